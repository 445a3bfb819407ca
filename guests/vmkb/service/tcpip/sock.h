/* SPDX-License-Identifier: MIT */
/* A socket of a client machine, and what the files sock_*.c share. */
#ifndef VMKB_SOCK_H
#define VMKB_SOCK_H
#include "tcpip.h"

#define SOCKS      CLIENT_NUMBERS
#define CLIENTS    128       /* paths of this machine: CP's IUCV_VM_PATHS */
#define SEND_QUEUE 8         /* SEND messages not yet taken */
#define RECV_QUEUE 4         /* RECV messages not yet answered */
#define FLIGHT     6         /* data buffers of one socket */
#define BACKLOG    64        /* established, and nobody has asked for them */
/* a SEND up to this long is copied to TCP's own storage, not to a data buffer */
#define COPY_MAX   1024
#define COPIED_MAX 4096      /* and this much of it may be unacknowledged */
#define RX_KEEP    8192      /* bytes a socket may leave unread when input buffers are short */
#define LINGER_S   180
/* A closed connection that takes no more data for so long is reset; RFC 1122, 4.2.3.5: not before
 * 100 s. */

enum { SOCK_FREE, SOCK_NEW, SOCK_LISTENING, SOCK_CONNECTING, SOCK_OPEN, SOCK_CLOSING };

struct call {                /* a message whose reply is held */
    uint32_t msgid;          /* 0: none */
    uint32_t len;            /* SEND: bytes of it; RECV: room in the reply */
    bool all;                /* RECV: not before it is full */
    uint32_t room;           /* of a RECV that sends first: room in the reply; 0: a SEND */
};

struct flight {              /* a data buffer with bytes of the connection */
    uint8_t *buffer;
    uint32_t len, written, acked;
};

struct sock {
    uint8_t state, fin, dirty;
    uint8_t shut;            /* the client sends no more */
    uint8_t ended;           /* FIN is queued */
    uint8_t unnamed;         /* CONNECT_FROM: its client does not know its number yet */
    uint8_t queued; /* in its listener's waiting[]: the client does not know its number yet */
    uint8_t idle;            /* polls since a closed connection took bytes */
    uint8_t lost;            /* its client took back bytes behind which it is closed: no FIN */
    uint8_t polled;          /* bytes waited at the last poll, and none have been read since */
    uint16_t path;
    int16_t error;           /* what ended the connection */
    uint16_t bound_port;
    struct stack_tcp tcp;
    /* CONNECT or CONNECT_FROM; len: bytes to send then, room: for what comes then, or 0 */
    struct call accept, connect;
    struct call recv[RECV_QUEUE];
    unsigned recv_count;
    struct call send[SEND_QUEUE];
    unsigned send_count;
    uint32_t send_taken;     /* bytes of send[0] already received */
    struct flight flight[FLIGHT];
    unsigned flight_count;
    uint32_t streamed;       /* bytes of buffers that TCP was given, modulo 2^32 */
    uint32_t copied; /* bytes copied to TCP, not acknowledged; they precede those of flight[] */
    int16_t waiting[BACKLOG]; /* accepted connections nobody has asked for */
    unsigned waiting_count;
};

extern struct sock socks[SOCKS];

static inline struct sock *sock_of(const struct stack_tcp *t)
{
    return (struct sock *)((uintptr_t)t - offsetof(struct sock, tcp));
}

struct sock *sock_new(uint16_t path);
int sock_number(const struct sock *s);
struct sock *sock_find(uint16_t path, unsigned number);
void sock_release(struct sock *s);       /* the slot is free; the connection is not ours any more */
void sock_abort(struct sock *s);
void sock_close(struct sock *s);
void sock_failed(struct sock *s, int error); /* every held call is answered with it */
void sock_mark(struct sock *s);          /* sockets_settle looks at it */
void sock_mark_last(struct sock *s);     /* behind all others */

/* Answer a held or present call. extra follows the sock_reply. False: the client had taken the call
 * back; of an answer without extra that is not known yet. */
extern uint8_t *const sock_reply_data; /* extra may be put together here */
bool sock_reply(uint16_t path, uint32_t msgid, int rc, int value, const void *extra, uint32_t len);
bool sock_answer(struct sock *s, struct call *c, int rc, int value, const void *extra,
                 uint32_t len);

/* Of a message that was told of in this turn: its data, if that came with it and is so long. */
const void *sock_text(uint32_t msgid, uint32_t len);

/* sock_data.c */
void buffers_init(void);
void sock_pump(struct sock *s); /* take SEND messages while there are buffers, write, output */
/* RECV: what is there; RECV_ALL: when that fills it, or now */
void sock_deliver(struct sock *s, bool now);
void sock_await(struct sock *s, const struct call *recv);
void sock_next_recv(struct sock *s);     /* the first RECV is answered */
void sock_drop_buffers(struct sock *s);
void sock_pump_starved(void); /* those that waited for data buffers, when there are some again */
bool sock_idle(const struct sock *s);    /* nothing waits to be sent or acknowledged */

/* sock_calls.c */
void sock_call(uint16_t path, const struct iucv_interrupt *i);
bool port_allowed(uint16_t port, bool udp, const char *userid);
uint32_t sock_take(uint16_t path, uint32_t msgid, void *to, uint32_t size); /* RECEIVE; bytes */
/* CONNECT_FROM was taken back: nobody would ever close the socket. */
bool sock_given_up(const struct sock *s);
/* What a call of SOCKET, BIND, LISTEN, CONNECT or CONNECT_FROM brings: `size` bytes, at most 16. */
void sock_given(uint16_t path, const struct iucv_interrupt *i, void *to, uint32_t size);
const char *client_name(uint16_t path);

/* sock_udp.c: datagram sockets; their numbers follow those of streams */
#define UDPS       32
#define UDP_FIRST  SOCKS
/* SOCK_UDP, and calls of numbers from UDP_FIRST on */
void udp_call(uint16_t path, const struct iucv_interrupt *i);
void udp_settle(void);                   /* answer the RECVFROMs for which something came */
/* The messages that waited for room on the link go out as far as there is some. Whether any did. */
bool udp_let_go(void);
void udp_path_gone(uint16_t path);
long udp_netstat(uint32_t index, char *line, long size); /* a row of NETSTAT; 0: no more */
unsigned udp_count(void);
#endif
