/* SPDX-License-Identifier: MIT */
/* TCPBEHAVIOR: how the TCPs of other hosts behaved, made of lwIP's own fields and callbacks
 * (behavior.c). docs/lab/line.md says what is known of each, and inferred. */
#ifndef VMKB_BEHAVIOR_H
#define VMKB_BEHAVIOR_H
#include "lib.h"

struct tcp_pcb;
struct pbuf;
struct tcp_hdr;
struct stack_tcp;

struct behavior {
    const char *name;
    bool nagle;              /* RFC 896 */
    bool slow_start;         /* from one segment; otherwise lwIP's four, or open */
    bool open;               /* no congestion window */
    bool repeats_early;      /* at the third duplicate ACK: fast retransmit */
    bool recovers;           /* and goes on with half of the window: fast recovery */
    bool karn;               /* a time-out once doubled stays until something is sent only once */
    bool rfc793_timer;       /* smoothed round trip, doubled; a sample of what was sent again too */
    bool timer_of_segment;   /* ACKs of what precedes the timed segment do not set it back */
    bool whole_window;       /* a time-out sends all again that is not acknowledged */
    uint16_t least_ticks;    /* half seconds of the shortest time-out; 0: lwIP's */
    uint16_t again_ticks;    /* and of the shortest after a first one */
    uint16_t piece;          /* bytes at which what a program writes is cut; 0: at the MSS */
    bool lone_ack;           /* each segment with data is acknowledged by itself */
    uint32_t window;         /* bytes of the receive window; 0: lwIP's own */
    uint32_t limit;          /* seconds in which what was handed over must be acknowledged; 0 */
};
extern struct behavior behavior;
extern bool behaves;         /* something of it is not lwIP's own */
extern bool behavior_named;  /* PROFILE TCPIP has one, be it LWIP */

void behavior_open(struct stack_tcp *t);      /* a new socket: Nagle */
void behavior_announce(struct tcp_pcb *pcb); /* the window of a connection's first segment */
void behavior_begin(struct stack_tcp *t);     /* it is about to send */
void behavior_acked(struct stack_tcp *t);     /* new data was acknowledged */
void behavior_received(struct tcp_pcb *pcb); /* data was taken in */
bool behavior_full(const struct stack_tcp *t); /* answer a reader, or the window stays shut */
void behavior_read(struct stack_tcp *t, uint32_t before); /* the window opened, from BEFORE */
void behavior_settle(void);              /* what is to go out has gone: timers */
uint16_t behavior_piece(uint16_t mss);   /* what stands for the MSS while something is written */
/* From lwIP's hook, before a segment is looked at. */
void behavior_input(struct tcp_pcb *pcb, const struct tcp_hdr *head, const struct pbuf *data);
#endif
