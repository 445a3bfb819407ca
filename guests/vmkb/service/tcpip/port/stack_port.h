/* SPDX-License-Identifier: MIT */
/* lwIP's side of stack.h: what it keeps in each socket, and what is worth no call. */
#ifndef VMKB_STACK_PORT_H
#define VMKB_STACK_PORT_H
#include "lwip/init.h"
#include "lwip/tcp.h"
#include "lwip/udp.h"
#include "older.h"
#include "behavior.h"

#define STACK_LEVEL  "LWIP " LWIP_VERSION_STRING
#define SPARE_WINDOW SOCK_RECV_MAX /* bytes beyond the window while something lost is awaited */

struct stack_tcp {
    struct tcp_pcb *pcb;
    /* what nobody has read: pbufs one after the other, tot_len not kept up */
    struct pbuf *rx, *rx_last;
    uint32_t rx_len;
    uint32_t cwnd;           /* not 0: the ACK at hand leaves a hole; the window behind it */
    uint32_t hole_end;       /* then: as far as the hole goes */
    uint32_t resent_to;      /* as far as lost data went out again */
    uint32_t resent_at;      /* and the next new sequence number when it did */
    uint32_t untold;         /* bytes that were acknowledged in the midst of a train */
    uint32_t by_two;         /* bytes to come of which each second segment is acknowledged */
    uint8_t begun;           /* the first window is what it shall be */
    uint8_t single;          /* no trains: what is sent stays here, or PROFILE TCPIP has it so */
    uint8_t kept;            /* segments that this block brought wait for an acknowledgement */
};

struct stack_udp {
    struct udp_pcb *pcb;
};

/* loss.c */
#ifndef LACKS_LWIP_HOOK_TCP_INPACKET_PCB
void loss_next_hole(struct stack_tcp *t);
void loss_acknowledge(struct stack_tcp *t);
bool loss_may_write(const struct tcp_pcb *pcb);
#endif

/* tcp.c */
void stack_tcp_begin(struct stack_tcp *t);
int sock_from_err(err_t e);

/* udp.c */
void stack_ping_init(void);

/* gather.c */
void stack_input_ends(void);

static inline void stack_settled(void)
{
    if (behaves)
        behavior_settle();
}

static inline bool stack_may_wait(void)
{
    return !behaves;
}

static inline bool stack_tcp_lives(const struct stack_tcp *t)
{
    return t->pcb != NULL;
}

static inline bool stack_tcp_may_write(struct stack_tcp *t)
{
    if (!t->begun)
        stack_tcp_begin(t);
    return loss_may_write(t->pcb);
}

static inline uint32_t stack_tcp_room(const struct stack_tcp *t)
{
    return tcp_sndbuf(t->pcb);
}

static inline uint32_t stack_tcp_mss(const struct stack_tcp *t)
{
    return tcp_mss(t->pcb);
}

static inline bool stack_tcp_quiet(const struct stack_tcp *t)
{
    return tcp_sndqueuelen(t->pcb) == 0;
}

static inline uint32_t stack_tcp_unread(const struct stack_tcp *t)
{
    return t->rx_len;
}

/* A user's window may be smaller than what a client takes at a time. */
static inline bool stack_tcp_hurries(const struct stack_tcp *t)
{
    return (behaves && behavior_full(t))
           || (TCP_WND < 2 * SOCK_RECV_MAX && t->rx_len >= TCP_WND / 2);
}

static inline void stack_tcp_settle(struct stack_tcp *t)
{
    if (t->kept)
        loss_acknowledge(t);
}

static inline bool stack_udp_lives(const struct stack_udp *u)
{
    return u->pcb != NULL;
}

static inline uint16_t stack_udp_port(const struct stack_udp *u)
{
    return u->pcb->local_port;
}
#endif
