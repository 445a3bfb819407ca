/* SPDX-License-Identifier: MIT */
/* FTPSERVE: what its files share. One session per control connection, all in one event loop. */
#ifndef VMKB_FTP_SERVER_H
#define VMKB_FTP_SERVER_H
#include "fs.h"
#include "lib.h"
#include "null_file.h"
#include "out.h"
#include "serve.h"
#include "paths.h"
#include "passive.h"
#include "text.h"

#define SESSIONS   28
#define DISKS      SESSIONS  /* each at one of its own, if need be */
#define LINE       512       /* bytes of one command */
#define SAID       256       /* replies that go with the call for the next command */
#define OUT        4096      /* replies and listings waiting to be sent on the control connection */
#define SLOTS      3         /* data buffers of one session */
#define SLOT       32768
#define INS        2         /* buffers for what comes */
#define FILE_BUFFER 40960     /* a record of RECORD bytes may lie anywhere in it */
#define RECORD     32768     /* longest line taken */
#define IDLE_S     300
#define LOGIN_S    60        /* from the connection to the right password */
#define CROWDED_S  5         /* when all sessions are taken, one without a user has this long */
#define DATA_S     60 /* for the data connection to come, and for each of its bytes to move on */
#define LOGIN_TRIES 3
#define WRONG_US    2000000  /* after a wrong password, as CP's LOGON has it */

struct disk {
    char owner[9];           /* empty: free */
    uint16_t vaddr, as;      /* the owner's address; ours */
    bool to_write;           /* linked for those who may write; others have a link of their own */
    bool writable;           /* and CP gave it: nobody else has it read/write */
    unsigned users;          /* sessions that are there */
    struct fs fs;
};

enum { XFER_NONE, XFER_RETR, XFER_STOR, XFER_LIST, XFER_NULL };

struct reply_buffer {        /* where TCPIP puts a reply */
    struct sock_reply head;
    uint8_t bytes[sizeof(struct sock_address) + SOCK_RECV_MAX];
};

struct session {
    bool used, closing, receiving, sending;
    bool looking;            /* control_more is at work: it is not entered twice */
    int sock;
    struct sock_address peer, own;
    char user[9];
    bool named, logged_in, anonymous;
    uint8_t tries;
    uint64_t held_until;     /* no command runs before: 0, or its password waits to be looked at */
    bool wrong;              /* it was looked at: what waits is the answer */
    char password[9];
    uint64_t last_us;        /* of the last command or byte */
    uint64_t began_us, send_us; /* the session; the reply that is on its way */

    uint8_t line[LINE];      /* command being put together, ISO 8859-1 */
    unsigned line_len;
    bool line_long;
    uint8_t pending[1024];   /* received and not yet looked at */
    unsigned pending_len;
    struct { struct sock_reply head; uint8_t bytes[1024]; } in;
    char said[SAID];         /* what goes with the call for more commands */
    char out_bytes[OUT];     /* ISO 8859-1 */
    struct net_out out;

    struct disk *disk;       /* the working minidisk */
    struct disk *at;         /* where the files of the command at hand are: there, or at `away` */
    struct disk *away;       /* a minidisk that only the command at hand uses, or 0 */
    bool ascii;
    bool files_ascii;        /* the type in which the last file was moved or its size asked */
    bool unix_list, list_told; /* what LIST gives; told: by SITE LISTFORMAT */
    uint64_t restart;        /* REST: what comes next begins behind so many bytes */
    uint8_t site_recfm;      /* 0: by type */
    uint32_t site_lrecl;
    struct fs_name rename_from;
    bool renaming;
    char rename_owner[9];    /* the minidisk of rename_from */
    uint16_t rename_vaddr;

    /* data connection */
    uint8_t data, xfer;
    bool passive;
    int listener, data_sock;
    struct sock_address port;
    uint16_t own_data_port;  /* 0: any */
    /* the answer of ACCEPT, with the peer's address, or of CONNECT_FROM, with ours */
    struct { struct sock_reply head; struct sock_address address; } opened;
    bool starting;           /* the data connection is not there yet */
    unsigned slots_out;      /* SENDs under way */
    uint8_t slot_busy;       /* a bit for each */
    uint8_t in_now, in_asked; /* the buffer that comes next, and RECVs under way */
    uint8_t in_skip;         /* bytes before those of the file in it */
    uint32_t ready;          /* bytes of the file that are in the first slot already */
    bool whole;              /* they are all of it: they go with the call that connects */
    bool eof;
    int fs_failed, net_failed; /* what ended the transfer: an FS_ code, a SOCK_ code, or neither */
    uint64_t bytes, started_us;
    struct fs_file file;
    struct null_file null;   /* XFER_NULL */
    struct text_out tout;
    struct text_in tin;
    char list_fn[9], list_ft[9];
    /* in front of NLST's names: a minidisk that is not the working one, and a / */
    char list_before[16];
    uint32_t list_cursor;
    uint8_t list_style, facts;
    struct sock_reply slot_reply[SLOTS];
    union {                  /* outgoing or incoming, never both */
        struct {
            /* before the bytes that go with CONNECT_FROM */
            struct sock_connection to __attribute__((aligned(8)));
            uint8_t slot[SLOTS][SLOT];
        };
        struct {
            struct reply_buffer data_in[INS];
            uint8_t record[RECORD];
        };
    };
    uint8_t file_buffer[FILE_BUFFER] __attribute__((aligned(8)));
};

/* tags of calls: session << 8 | what */
enum {
    TAG_RECV = 1, TAG_SEND, TAG_ACCEPT, TAG_CONNECT, TAG_DATA_IN, TAG_SLOT,
    TAG_CLOSED = TAG_SLOT + SLOTS /* never taken back: the socket would stay */
};

extern bool anonymous_allowed;
extern struct passive passive;
uint32_t tag_of(const struct session *s, int what);

/* control.c */
void control_start(struct session *s);
void control_received(struct session *s, const struct net_done *d);
void control_sent(struct session *s, const struct net_done *d);
void control_more(struct session *s); /* look at further commands, if the session is free for one */
void control_flush(struct session *s);  /* what waits to be sent */
void control_end(struct session *s);    /* close when what is waiting has been sent */
void session_drop(struct session *s);   /* at once */
/* "code text" as a reply line; text is in the program's own characters. */
void reply(struct session *s, int code, const char *f, ...);
/* a line without code or end mark added but CR LF */
void reply_raw(struct session *s, const char *f, ...);

/* commands.c */
void command_run(struct session *s, char *name, char *arg);

/* login.c */
extern uint64_t login_next;             /* the first held_until of all sessions; ~0: none waits */
void login_password(struct session *s, char *arg);
void login_wrong(struct session *s);
void login_right(struct session *s);
void login_due(struct session *sessions, unsigned count); /* after login_next */

/* file_commands.c */
/* s->at is to be the minidisk that p names, or the working one. False: the client was told why
 * not. */
bool at_disk_of(struct session *s, const struct path *p);
void away_done(struct session *s);      /* leaves s->away */
/* whether s->at can be used; the client is told if not */
bool have_disk(struct session *s, bool to_write);
bool data_wanted(struct session *s);    /* whether there was a PASV or a PORT; likewise */
bool existing(struct session *s, const char *arg, struct fs_stat *st); /* likewise */
void file_retr(struct session *s, char *arg);
void file_stor(struct session *s, char *arg);
void file_appe(struct session *s, char *arg);
void file_stou(struct session *s, char *arg);
void file_dele(struct session *s, char *arg);
void file_rnfr(struct session *s, char *arg);
void file_rnto(struct session *s, char *arg);
void file_size(struct session *s, char *arg);
void file_mdtm(struct session *s, char *arg);

/* list_commands.c */
void file_list(struct session *s, char *arg);
void file_nlst(struct session *s, char *arg);
void file_mlsd(struct session *s, char *arg);
void file_mlst(struct session *s, char *arg);

/* data.c */
void data_port(struct session *s, const struct sock_address *a);
int data_passive(struct session *s);    /* port number, or an error */
void data_begin(struct session *s);     /* connect or wait, then move */
void data_event(struct session *s, int what, const struct net_done *d);
void data_abort(struct session *s, int code, const char *text);
void data_forget(struct session *s);    /* no passive listener, no PORT */
/* Of MLSD and MLST: in the type in force, Image before a file was moved in ASCII or its SIZE
 * asked. */
uint64_t facts_size(const struct session *s, const struct fs_stat *st);
uint64_t wire_size(const struct fs_stat *st, bool ascii); /* bytes that RETR sends in that type */

/* files.c */
struct disk *disk_use(const char *user, bool anonymous, const char *owner, uint16_t vaddr,
                      const char **why);
void disk_leave(struct disk *d);
/* Whether it can be written, for those who may: who had it read/write may have left meanwhile. */
bool disk_writable(struct disk *d);
int disk_refresh(struct disk *d);       /* a read-only disk that was changed is mounted anew */
bool disk_has(struct disk *d, const struct fs_name *name);
const char *fs_words(int code);

/* lists.c */
/* One line of a listing, without its end. */
enum { LIST_VM, LIST_NAMES, LIST_FACTS, LIST_UNIX };
/* style: one of the first two */
int list_line(const struct fs_stat *st, int style, char *text, size_t size);
/* The facts of RFC 3659 that are wanted, and the name. size: bytes that RETR would send. */
enum { FACT_TYPE = 1, FACT_SIZE = 2, FACT_MODIFY = 4, FACTS_ALL = 7 };
int list_facts(const struct fs_stat *st, unsigned facts, uint64_t bytes, char *text, size_t size);
/* bytes: as RETR in Image sends them; now: seconds since 1900. */
int list_unix(const struct fs_stat *st, const struct disk *d, uint64_t bytes, uint64_t now,
              char *text, size_t size);
void time_words(uint64_t seconds, char text[15]); /* yyyymmddhhmmss, UTC */

/* main.c */
uint64_t now_1900(void);
uint64_t now_us(void);
#endif
