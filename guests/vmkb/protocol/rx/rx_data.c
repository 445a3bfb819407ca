/* SPDX-License-Identifier: MIT */
/* The other side's bytes: given to the program in order, each once; what comes too early is
 * kept. */
#include "rx_internal.h"

static bool same_call(const struct rx_call *c, uint32_t number)
{
    return c->active && c->number == number;
}

static void over(struct rx *rx, struct rx_call *c)
{
    if (c->conn->client) {
        rx_call_finish(rx, c);   /* the event may begin the next call on this channel */
        rx->counts.calls_done++;
    }
    rx->ops.event(rx->arg, c, RX_END);
}

/* One packet in order. False: the call is over, or another one has begun. */
static bool take(struct rx *rx, struct rx_call *c, const uint8_t *bytes, uint32_t len,
                 uint8_t flags)
{
    uint32_t number = c->number;

    c->want++;
    c->unacked++;
    if (len)
        rx->ops.data(rx->arg, c, bytes, len);
    if (same_call(c, number) && flags & RX_F_LAST)
        over(rx, c);
    return same_call(c, number);
}

static bool take_kept(struct rx *rx, struct rx_call *c)
{
    struct rx_packet **slot = rx_slot(c->rx, c->want);

    while (*slot) {
        struct rx_packet *p = *slot;
        *slot = 0;
        bool on = take(rx, c, p->bytes, p->len, p->flags);
        rx_packet_put(rx, p);
        if (!on)
            return false;
        slot = rx_slot(c->rx, c->want);
    }
    return true;
}

/* Kept until those before it come. Returns the reason of the acknowledgement that is due. */
static int keep(struct rx *rx, struct rx_call *c, const struct rx_header *h, const uint8_t *bytes,
                uint32_t len)
{
    struct rx_packet **slot = rx_slot(c->rx, h->seq);

    if (*slot) {
        rx->counts.duplicates++;
        return RX_ACK_DUPLICATE;
    }
    if (len > rx->packet_size || !(*slot = rx_packet_get(rx))) {
        rx->counts.no_space++;
        return RX_ACK_NO_SPACE;
    }
    (*slot)->seq = h->seq;
    (*slot)->len = len;
    (*slot)->flags = h->flags;
    memcpy((*slot)->bytes, bytes, len);
    rx->counts.out_of_sequence++;
    return RX_ACK_OUT_OF_SEQUENCE;
}

/* What the packets taken so far need. number: of the call before the program was told of them. */
static void acknowledge(struct rx *rx, struct rx_call *c, const struct rx_header *h, bool filled)
{
    bool more = h->flags & RX_F_MORE, last = h->flags & RX_F_LAST, eager = c->eager;

    if (eager)
        c->eager--;
    if (h->flags & RX_F_REQUEST_ACK) {
        rx_send_ack(rx, c, RX_ACK_REQUESTED, h->serial);
    } else if (filled || c->unacked >= rx->config.window / 2
               || (((!more && !last) || eager) && c->unacked > 1)) {
        rx_send_ack(rx, c, c->highest >= c->want ? RX_ACK_OUT_OF_SEQUENCE : RX_ACK_IDLE, h->serial);
    } else if (!c->ack_at) {
        c->ack_at = rx->now + RX_ACK_DELAY_US;
        rx_arm(rx, c->ack_at);
    }
    c->ack_serial = h->serial;
}

/* It cannot be part of this call: more than one last packet, or something behind it. */
static bool impossible(const struct rx_call *c, const struct rx_header *h)
{
    bool last = h->flags & RX_F_LAST;

    return h->seq == 0 || (c->last && (h->seq > c->last || (last && h->seq != c->last)))
           || (last && h->seq < c->highest);
}

static bool holds(const struct rx *rx, const struct rx_call *c)
{
    return rx->config.whole && !c->conn->client;
}

/* Where requests are taken whole: the packet that is wanted, which is in its slot, and those that
 * follow it are held, as far as there are buffers; all are given when the last is among them.
 * False: as take. */
static bool hold(struct rx *rx, struct rx_call *c)
{
    uint32_t number = c->number;

    while (c->held < rx->config.whole && *rx_slot(c->rx, c->want)) {
        c->want++;
        c->held++;
        c->unacked++;
    }
    if (!c->last || c->want <= c->last)
        return true;
    c->want -= c->held;
    c->unacked -= c->held;
    c->held = 0;
    return take_kept(rx, c) && c->number == number;
}

static void one(struct rx *rx, struct rx_call *c, const struct rx_header *h, const uint8_t *bytes,
                uint32_t len)
{
    uint32_t number = c->number;
    int reason = 0;

    rx->counts.data_in++;
    if (impossible(c, h)) {
        rx->counts.malformed++;
        return;
    }
    if (h->seq < c->want) {
        rx->counts.duplicates++;
        reason = RX_ACK_DUPLICATE;
        /* A sender whose window is small after a loss waits for us, though more is to follow (Linux
         * does not ask then), and sends again before we answer of ourselves. */
        c->eager = RX_WINDOW;
    } else if (h->seq - c->want >= rx->config.window) {
        rx->counts.out_of_window++;
        reason = RX_ACK_EXCEEDS_WINDOW;
    } else if (!c->active) {
        return;
    } else {
        bool early = h->seq != c->want, filled = !early && c->highest > h->seq;
        if (holds(rx, c) && c->held == rx->config.whole) {
            rx->counts.no_space++;
            reason = RX_ACK_NO_SPACE;
        } else if (early || holds(rx, c)) {
            reason = keep(rx, c, h, bytes, len);
        }
        if (h->flags & RX_F_LAST && reason != RX_ACK_NO_SPACE)
            c->last = h->seq;
        if (h->seq > c->highest && reason != RX_ACK_NO_SPACE)
            c->highest = h->seq;
        if (!early && reason != RX_ACK_NO_SPACE) {
            bool on = holds(rx, c) ? hold(rx, c)
                                   : take(rx, c, bytes, len, h->flags) && take_kept(rx, c);
            /* a server that has answered acknowledges by that; a client that is done may have gone
             * on */
            if (c->number != number || (!on && c->error) || (!c->conn->client && c->next > 1))
                return;
            acknowledge(rx, c, h, filled);
            return;
        }
    }
    rx_send_ack(rx, c, reason, h->serial);
}

/* A datagram of DATA: one packet, or a jumbogram of several. */
void rx_data_in(struct rx *rx, struct rx_call *c, struct rx_header *h, const uint8_t *body,
                uint32_t len)
{
    uint32_t number = c->number;

    rx->counts.jumbograms_in += (h->flags & RX_F_JUMBO) != 0;
    while (h->flags & RX_F_JUMBO) {
        if (len < RX_JUMBO_DATA + RX_JUMBO_HEADER) {
            rx->counts.malformed++;
            return;
        }
        uint8_t flags = body[RX_JUMBO_DATA];
        struct rx_header part = *h;
        part.flags = (uint8_t)((h->flags & ~(RX_F_JUMBO | RX_F_REQUEST_ACK)) | RX_F_MORE);
        one(rx, c, &part, body, RX_JUMBO_DATA);
        if (c->number != number)
            return;
        body += RX_JUMBO_DATA + RX_JUMBO_HEADER;
        len -= RX_JUMBO_DATA + RX_JUMBO_HEADER;
        h->flags = (uint8_t)((h->flags & RX_F_CLIENT) | flags);
        h->seq++;
        h->serial++;
    }
    one(rx, c, h, body, len);
}
