/* SPDX-License-Identifier: MIT */
/* What waits to be sent on a connection, in a buffer of its owner's, and goes one SEND at a time:
 * what is added meanwhile goes with the next. */
#ifndef VMKB_OUT_H
#define VMKB_OUT_H
#include "net.h"

struct net_out {
    bool sending;            /* a SEND is under way */
    unsigned len;            /* bytes in the buffer */
    unsigned going;          /* of them, those of the SEND under way */
    uint32_t closes;         /* goes with the next SEND: as in struct net_ask */
    struct sock_reply reply;
};

/* Begins a SEND of what is in the buffer. False: one is under way already, there is nothing to
 * send, or it could not be begun. */
bool net_out_start(struct net *n, struct net_out *o, int sock, const void *buffer, uint32_t tag);
/* The same with the program's next wait, as net_later does it. */
bool net_out_later(struct net *n, struct net_out *o, int sock, const void *buffer, uint32_t tag);
/* The SEND has ended well: what is left moves to the front. */
void net_out_sent(struct net_out *o, void *buffer);
#endif
