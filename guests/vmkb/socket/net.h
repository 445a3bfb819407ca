/* SPDX-License-Identifier: MIT */
/* A program's side of the TCPIP machine's sockets (include/socket.h): calls that are started and
 * end later, and calls that are waited for. One struct net is one IUCV path. */
#ifndef VMKB_NET_H
#define VMKB_NET_H
#include "diag.h"
#include "iucv.h"
#include "lib.h"
#include "socket.h"

#define NET_CALLS  200       /* calls under way on one path; IUCV allows 255 */
#define NET_DONE   (2 * NET_CALLS) /* ended calls kept while another one is waited for */
#define NET_CALL_US   5000000  /* what a call that waits for nobody outside may take */
#define NET_ANSWER_US 10000000 /* what TCPIP may take to look something up */
#define NET_AGAIN_US  1000000  /* between two tries of what IUCV had no room for */
#define NET_ETIME  (-40)     /* the deadline passed; the call was taken back */
#define NET_EATTN  (-41)     /* HX while waiting; the call was taken back */
#define NET_EPATH  (-42)     /* no path to the TCPIP machine, or it went away */

struct net_done {            /* how a call ended */
    uint32_t tag;            /* the caller's own; 0 never */
    int32_t rc;              /* SOCK_EOK, SOCK_E..., NET_EPATH */
    int32_t value;
    uint32_t len;            /* bytes of reply after the struct sock_reply */
};

/* A call: what socket.h says that the function takes. data must stay until it has ended, and so
 * must reply. */
struct net_ask {
    int function, sock;
    const void *data;
    uint32_t len;
    uint32_t room;           /* bytes at reply */
    uint32_t closes;         /* with bytes to send: 1 + a socket that is closed before; or 0 */
    /* 8-byte aligned, begins with a struct sock_reply; 0: only rc and value are wanted */
    void *reply;
};

struct net_found {
    struct sock_reply head;
    struct sock_address a;
};

struct net_names {
    struct sock_reply head;
    struct sock_address own, peer;
};

struct net {
    uint16_t path;
    uint8_t open;
    struct net_done done[NET_DONE];
    unsigned done_count;
    struct net_under_way { /* where their replies go, to read rc and value there */
        uint32_t tag, msgid;
        struct sock_reply *reply;
    } calls[NET_CALLS];
    unsigned next_call;      /* where a free one is looked for first */
    struct iucv_parm later;  /* a call that goes with the next wait, */
    bool waits;              /* if there is one */
};

/* Connect a path to machine userid (normally "TCPIP"). 0, or IUCV's return code, or NET_ETIME. */
long net_open(struct net *n, const char *userid);
void net_close(struct net *n);

/* Start a call. 0, or an IUCV return code (IUCV_ELIMIT: too many under way), or NET_EPATH. tag: not
 * 0. */
long net_start(struct net *n, const struct net_ask *ask, uint32_t tag);
/* Start a call with the next one or with net_wait, whichever comes first: that saves a call of CP.
 * Who uses it waits by net_wait or net_call alone. What IUCV has no room for goes when it has;
 * what it refuses otherwise ends with NET_EPATH. Returns as net_start. */
long net_later(struct net *n, const struct net_ask *ask, uint32_t tag);
void net_pass(struct net *n);            /* it goes now: the program is busy before its next wait */
/* The same, and then wait as net_wait does, in one call of CP. False, with d->rc as net_wait has it
 * or NET_EPATH. */
bool net_start_and_wait(struct net *n, const struct net_ask *ask, uint32_t tag, struct net_done *d,
                        uint64_t us);
/* Give an IUCV event to the net. True: *d is how one call ended. */
bool net_event(struct net *n, const struct iucv_interrupt *i, struct net_done *d);
/* Wait for any call to end, at most us microseconds (0: for ever). False at the deadline or at HX
 * (d->rc says). */
bool net_wait(struct net *n, struct net_done *d, uint64_t us);
/* Take back a call that is under way; its tag will not be seen again. */
void net_cancel(struct net *n, uint32_t tag);
/* The same for all tags first..last. */
void net_cancel_range(struct net *n, uint32_t first, uint32_t last);
/* A call from start to end, at most us microseconds. rc; *got: how it ended, or 0. */
int net_call(struct net *n, const struct net_ask *ask, struct net_done *got, uint64_t us);

/* Calls that wait for nobody outside, each at most NET_CALL_US. */
int net_socket(struct net *n, int *sock); /* a new stream socket; *sock -1 when there is none */
/* The same on a port of ours, 0: any; it listens if there is a backlog. *got, or 0: the port. */
int net_socket_at(struct net *n, uint16_t port, uint32_t backlog, int *sock, uint16_t *got);
int net_name(struct net *n, int sock, struct net_names *names);
/* at most NET_ANSWER_US */
int net_resolve(struct net *n, const char *host, struct net_found *found);
int net_end(struct net *n, int sock, int how);       /* SOCK_CLOSE, SOCK_ABORT or SOCK_SHUTDOWN */
/* A server's start: a path to userid, and a listening socket on port. 0, IUCV's return code
 * (positive), or a SOCK_ or NET_ error, with the path closed again. */
long net_serve(struct net *n, const char *userid, uint16_t port, uint32_t backlog, int *listener);
const char *net_error(int rc); /* a few words, for a message */
#endif
