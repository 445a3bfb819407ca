/* SPDX-License-Identifier: MIT */
/* What the files of the Rx core share. */
#ifndef VMKB_RX_INTERNAL_H
#define VMKB_RX_INTERNAL_H
#include "rx_core.h"

#define RX_NEVER    (~0UL)
#define RX_DATA_MIN 520          /* an MTU of 576: nobody can talk us into smaller packets */

struct rx_packet {
    struct rx_packet *next;      /* of the free ones */
    uint64_t sent_at;
    uint32_t seq, serial, len, size; /* len: bytes of data; size: that may be in it */
    uint8_t flags, sends;
    uint8_t acked;               /* softly: it may be revoked */
    uint8_t out, lost;           /* under way; to be sent again */
    uint8_t bytes[];             /* header and data */
};

/* rx_table.c: packets and connections */
struct rx_packet *rx_packet_get(struct rx *rx);
void rx_packet_put(struct rx *rx, struct rx_packet *p);
struct rx_conn *rx_find(struct rx *rx, const struct rx_address *from, const struct rx_header *h);
struct rx_conn *rx_conn_new(struct rx *rx, const struct rx_address *peer, uint32_t epoch,
                            uint32_t cid, uint16_t service, bool client);
void rx_conn_free(struct rx *rx, struct rx_conn *c);
void rx_arm(struct rx *rx, uint64_t at); /* rx->next is no later than that */

/* rx_call.c: the beginning and end of calls */
void rx_call_start(struct rx *rx, struct rx_call *c, uint32_t number);
void rx_call_finish(struct rx *rx, struct rx_call *c); /* its packets are given back; no event */
void rx_call_fail(struct rx *rx, struct rx_call *c, int32_t code); /* and the program is told */
void rx_conn_fail(struct rx *rx, struct rx_conn *conn, int32_t code);
void rx_feed_starved(struct rx *rx); /* who waited for packets is told that there are some */

/* rx_send.c: what goes out */
static inline struct rx_packet **rx_slot(struct rx_packet **ring, uint32_t seq)
{
    return &ring[seq % RX_WINDOW];
}
void rx_transmit(struct rx *rx, struct rx_call *c);
uint64_t rx_rto(const struct rx_call *c);
/* RX_ROOM, if somebody waits for it and there is */
void rx_offer_room(struct rx *rx, struct rx_call *c);
/* A packet that is not DATA. call: its number, 0 for the connection's own. */
void rx_send_plain(struct rx *rx, struct rx_call *c, uint32_t call, int type, int flags,
                   uint32_t body_len);
void rx_send_abort(struct rx *rx, struct rx_call *c, uint32_t call, int32_t code);
void rx_send_ack(struct rx *rx, struct rx_call *c, int reason, uint32_t serial);
/* An answer to a packet that belongs to no connection; body: 4 bytes of code, for ABORT. */
void rx_send_stray_abort(struct rx *rx, const struct rx_address *to, const struct rx_header *h,
                         uint32_t call, int32_t code);

/* rx_acks.c: acknowledgements of what we sent */
/* Half of what is under way, 2 packets at least (RFC 5681, equation 4): half of a window that was
 * not used would be no less than before. */
static inline uint32_t rx_half_window(const struct rx_call *c)
{
    uint32_t out = c->next - c->first, now = c->cwnd < out ? c->cwnd : out;

    return now / 2 > 2 ? now / 2 : 2;
}
void rx_ack_in(struct rx *rx, struct rx_call *c, const struct rx_header *h, const uint8_t *body,
               uint32_t len);
void rx_find_lost(struct rx *rx, struct rx_call *c); /* of what is under way; it is not sent yet */
/* all that was sent has arrived; what was not is dropped */
void rx_acked_all(struct rx *rx, struct rx_call *c);

/* rx_data.c */
void rx_data_in(struct rx *rx, struct rx_call *c, struct rx_header *h, const uint8_t *body,
                uint32_t len);

/* rx_about.c: VERSION and DEBUG */
void rx_version_in(struct rx *rx, const struct rx_address *from, const struct rx_header *h);
void rx_debug_in(struct rx *rx, const struct rx_address *from, const struct rx_header *h,
                 const uint8_t *body, uint32_t len);
#endif
