/* SPDX-License-Identifier: MIT */
/* What the files of the end node share: bytes of messages, and each other's functions. */
#ifndef VMKB_DN_WIRE_H
#define VMKB_DN_WIRE_H
#include "decnet.h"
#include "le.h"
#include "lib.h"

#define ETH       14
#define FRAME_MIN 60
#define LENGTH    2          /* of the routing message, after the Ethernet header */
#define LONG_HEADER 21
#define NSP_HEADER_MAX 13 /* flags, two addresses, two acknowledgements, number, and one to spare */

/* NSP message flags */
#define MSG_DATA       0x00
#define MSG_BOM        0x20
#define MSG_EOM        0x40
#define MSG_INTERRUPT  0x30
#define MSG_LINK       0x10
#define MSG_ACK        0x04
#define MSG_ACK_OTHER  0x14
#define MSG_CA         0x24
#define MSG_NOP        0x08
#define MSG_CI         0x18
#define MSG_CI_AGAIN   0x68
#define MSG_CC         0x28
#define MSG_DI         0x38
#define MSG_DC         0x48

#define ACK_PRESENT 0x8000
#define ACK_CROSS   0x2000   /* of the other subchannel */
#define SEQ_DELAY   0x1000   /* acknowledgement may be delayed */
#define SEQ_MASK    0x0fff
#define SERVICES    0x01     /* no flow control asked for: XOFF and XON do */
#define INFO_NSP40  0x02
#define LS_XOFF     0x01
#define LS_XON      0x02

/* Bytes between p and end. */
static inline size_t left(const uint8_t *p, const uint8_t *end)
{
    return (size_t)(end - p);
}

static inline void due_at(struct decnet *d, uint64_t at)
{
    if (at < d->due)
        d->due = at;
}

/* dn_route.c. Messages are built at dn_body(frame) in a frame of DN_FRAME bytes. */
#define DN_FRAME (ETH + LENGTH + LONG_HEADER + NSP_HEADER_MAX + DN_SEGMENT + 64)
static inline uint8_t *dn_body(uint8_t *frame)
{
    return frame + ETH + LENGTH + LONG_HEADER;
}
/* How nearly all messages of a link begin. */
static inline uint8_t *put_addresses(const struct dn_link *l, uint8_t *p, unsigned type)
{
    *p++ = (uint8_t)type;
    p = put16(p, l->remote);
    return put16(p, l->local);
}
bool route_send(struct decnet *d, unsigned node, uint8_t *frame, uint8_t *end, bool return_it);

/* dn_nsp.c: a message from a node; returned: it is our own, which could not be delivered. */
void nsp_message(struct decnet *d, unsigned node, const uint8_t *p, const uint8_t *end,
                 bool returned);
void nsp_tick(struct dn_link *l);

/* dn_control.c: connecting and disconnecting. */
void control_message(struct decnet *d, unsigned node, const uint8_t *p, const uint8_t *end);
void control_tick(struct dn_link *l);
void link_running(struct dn_link *l);
void link_lost(struct dn_link *l, unsigned reason); /* tells the user */
void send_dc(struct decnet *d, unsigned node, unsigned dst, unsigned src, unsigned reason);
void send_di(struct dn_link *l, unsigned reason);
struct dn_link *link_find(struct decnet *d, unsigned node, unsigned local, unsigned remote);

/* dn_data.c: segments, acknowledgements, link service. */
void data_pump(struct dn_link *l);
void data_start(struct dn_link *l);
void data_segment(struct dn_link *l, unsigned flags, const uint8_t *p, const uint8_t *end);
void data_ack(struct dn_link *l, bool other, unsigned word);
void data_tick(struct dn_link *l);
void ack_now(struct dn_link *l, bool other);
#endif
