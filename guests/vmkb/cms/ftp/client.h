/* SPDX-License-Identifier: MIT */
/* The FTP command: what its files share. One struct ftp is one use of the command; it has one path
 * to the TCPIP machine and one control connection at a time.
 *
 * Functions that talk to the server return 0 or the reply's code when all is well, and else one of
 *   400-599      the server's reply
 *   FTP_USAGE... below 100: this side's own reasons, already said on the console
 *   negative     the control connection is of no more use, or HX: already said, too. */
#ifndef VMKB_FTP_CLIENT_H
#define VMKB_FTP_CLIENT_H
#include "cms.h"
#include "names.h"
#include "net.h"
#include "replies.h"
#include "text.h"

enum { FTP_USAGE = 1, FTP_FILE = 2, FTP_NETWORK = 3, FTP_TCPIP = 4, FTP_STATE = 6 };
enum { FTP_GONE = -3, FTP_HALTED = -5 };

#define SLOTS   4 /* data buffers; the disk is read into one while TCPIP has the others */
#define SLOT    32768        /* bytes of one: what one SEND may have */
#define INS     3 /* buffers for what comes; TCPIP has two while the third is written to the disk */
#define RECORD  65536        /* longest record */
#define NAMES   32768        /* names that MGET's NLST may give, in bytes */

enum { T_CTL_IN = 1, T_CTL_OUT, T_CALL, T_DATA, T_SLOT, T_MAX = T_SLOT + SLOTS };

struct ftp_call {            /* by tag: a call under way, or how it ended */
    bool busy, ended;
    int32_t rc, value;
};

struct ftp {
    struct net net;
    struct ftp_call call[T_MAX];
    uint64_t timeout_us;
    bool exit_on_error, halted, ended;

    /* control connection */
    bool connected;
    int control;
    struct sock_address server, own;
    struct reply_reader reader;
    struct { struct sock_reply head; uint8_t bytes[2048]; } in;
    unsigned in_at, in_len;
    char out[300];
    struct sock_reply out_reply, call_reply;
    int code;                /* of the last reply, and its last line */
    char text[REPLY_LINE + 1];

    /* settings */
    bool ascii, passive, no_epsv;
    char mode;               /* local filemode letter, LCD */
    uint8_t recfm;           /* LOCSITE: 0 is by type */
    uint32_t lrecl;

    /* data connection */
    int listener, data;      /* sockets; -1: none */
    bool open;
    struct { struct sock_reply head; struct sock_address from; } accepted;
    /* the last command that moved data: when it went out, when the reply that ends it was there */
    uint64_t began_us, ended_us;
    /* all data connections so far: how many were used to their end, how long they were open */
    uint64_t opened_us, data_us, data_bytes;
    uint32_t connections;
    uint64_t bytes;
    struct sock_reply slot_reply[SLOTS];
    union buffers {          /* outgoing or incoming, never both */
        uint8_t slot[SLOTS][SLOT];
        struct {
            struct sock_reply head;
            uint8_t bytes[SOCK_RECV_MAX];
        } in[INS];
    } *buffers;
    uint8_t *record;         /* RECORD bytes */

    struct cms_file *input;  /* subcommands come from here, or 0 */
};

/* conn.c */
uint64_t ftp_now(void);      /* microseconds */
int ftp_start(struct ftp *f, int tag, const struct net_ask *ask);
/* Until one call has ended: 0, NET_ETIME, NET_EPATH, FTP_HALTED. */
int ftp_poll(struct ftp *f, uint64_t until_us);
void ftp_cancel(struct ftp *f, int tag);
/* A call from start to end. SOCK_ or NET_ code or FTP_HALTED; *value may be 0. */
int ftp_call(struct ftp *f, const struct net_ask *ask, int32_t *value);
int ftp_socket(struct ftp *f, int *sock);                /* *sock -1 when there is none */
int ftp_listen(struct ftp *f, int *sock, uint16_t *port); /* one that listens on any port */
int ftp_name(struct ftp *f, int sock, struct net_names *names);
/* SOCK_CLOSE or SOCK_ABORT, if it is open */
void ftp_close(struct ftp *f, int *sock, int function);

/* control.c */
int control_open(struct ftp *f, const char *host, uint16_t port);
void control_close(struct ftp *f);
/* Says and sends a command; `shown`, if not 0, is said instead of it. 0 or negative. */
int control_send(struct ftp *f, const char *shown, const char *format, ...) LIB_FORMAT(3, 4);
/* Looks at what has come, and asks for more. The code of a reply that is complete, 0: none is, or
 * negative. */
int control_step(struct ftp *f);
int control_reply(struct ftp *f);             /* waits for one */
int control_ask(struct ftp *f, const char *format, ...) LIB_FORMAT(2, 3); /* send, and its reply */
int control_lost(struct ftp *f, const char *why);

/* data.c */
/* the connection is open after it */
int data_command(struct ftp *f, const char *verb, const char *name);
int data_reply(struct ftp *f); /* what the server says in the end: 0 or a reply's code */
/* Pieces of what comes go to take(to, bytes, n), which returns 0 to go on and else is *taken. 0, or
 * the code of a failure of the connection or of the server, which is said. */
int data_receive(struct ftp *f, int (*take)(void *to, uint8_t *bytes, uint32_t n), void *to,
                 int *taken);
int data_send(struct ftp *f, struct text_out *from, int *read);
void data_message(const struct ftp *f); /* of what data_reply has ended */

/* files.c */
int file_get(struct ftp *f, const char *foreign, const struct local_name *local, bool replace);
int file_get_null(struct ftp *f, const char *foreign); /* to the null file */
/* verb: STOR or APPE */
int file_put(struct ftp *f, const struct local_name *local, const char *verb, const char *foreign);

/* subcommands.c, moves.c, local.c */
struct ftp_sub {
    const char *name;
    uint8_t min, code, connected; /* code: thousands of the return code under (EXIT */
    int (*run)(struct ftp *f, struct words *w);
};
extern const struct ftp_sub ftp_subs[];
/* length, -1 at the end */
int ftp_read(struct ftp *f, char *line, unsigned max, const char *prompt, bool hidden);
int ftp_login(struct ftp *f, const char *user, const char *password);
int ftp_sub_run(struct ftp *f, const char *line);  /* 0, or the code of (EXIT */

int sub_get(struct ftp *f, struct words *w);
int sub_put(struct ftp *f, struct words *w);
int sub_append(struct ftp *f, struct words *w);
int sub_mget(struct ftp *f, struct words *w);
int sub_mput(struct ftp *f, struct words *w);
int sub_dir(struct ftp *f, struct words *w);
int sub_ls(struct ftp *f, struct words *w);
int sub_lcd(struct ftp *f, struct words *w);
int sub_lpwd(struct ftp *f, struct words *w);
int sub_locsite(struct ftp *f, struct words *w);
int sub_locstat(struct ftp *f, struct words *w);
#endif
