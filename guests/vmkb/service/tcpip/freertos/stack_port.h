/* SPDX-License-Identifier: MIT */
/* FreeRTOS-Plus-TCP's side of stack.h. Its IP task does what is to be done when run() calls it; the
 * sockets that it has news of are looked at behind it (tcp.c). */
#ifndef VMKB_STACK_PORT_H
#define VMKB_STACK_PORT_H
#include "FreeRTOS.h"
#include "FreeRTOS_IP.h"
#include "FreeRTOS_IP_Private.h"
#include "FreeRTOS_Sockets.h"

#define STACK_LEVEL "FREERTOS-PLUS-TCP " ipFR_TCP_VERSION_NUMBER

struct stack_tcp {
    FreeRTOS_Socket_t *socket;
    uint32_t sent;           /* bytes that were written and not acknowledged */
    uint32_t offered;        /* bytes that the client knows of */
    uint8_t listens, connects, open, ended, shut;
    uint8_t gone;            /* no connection; what came before may still be read */
};

struct stack_udp {
    FreeRTOS_Socket_t *socket;
};

/* ip.c */
void ip_run(void);           /* the IP task has nothing more to do then */
/* tcp.c */
void tcp_look(void);         /* at the sockets of which there is news */

void stack_run(void);        /* both, until there is no more */

static inline bool stack_may_wait(void) { return true; }
static inline void stack_settled(void) {}
static inline void stack_behavior_say(void) {}
static inline bool stack_loops(void) { return false; }
static inline unsigned stack_tcp_time_waits(void) { return 0; }

static inline bool stack_tcp_lives(const struct stack_tcp *t)
{
    return t->socket && !t->gone;
}

static inline bool stack_tcp_may_write(struct stack_tcp *t)
{
    return t->socket->u.xTCP.eTCPState == eESTABLISHED && !t->shut;
}

static inline uint32_t stack_tcp_room(const struct stack_tcp *t)
{
    return (uint32_t)FreeRTOS_tx_space(t->socket);
}

static inline uint32_t stack_tcp_mss(const struct stack_tcp *t)
{
    return t->socket->u.xTCP.usMSS;
}

static inline bool stack_tcp_quiet(const struct stack_tcp *t)
{
    return t->sent == 0;
}

static inline uint32_t stack_tcp_unread(const struct stack_tcp *t)
{
    return t->offered;
}

/* Its window stays shut until the client has read most of what came: it may wait for more than
 * that. */
static inline bool stack_tcp_hurries(const struct stack_tcp *t)
{
    return t->socket->u.xTCP.bits.bLowWater;
}

static inline void stack_tcp_settle(struct stack_tcp *t) { (void)t; }

static inline bool stack_udp_lives(const struct stack_udp *u)
{
    return u->socket != NULL;
}

static inline uint16_t stack_udp_port(const struct stack_udp *u)
{
    return u->socket->usLocalPort;
}
#endif
