/* SPDX-License-Identifier: MIT */
/* What goes out: the program's bytes in packets, as many as the window allows, and all other
 * packets. */
#include "rx_internal.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint64_t rx_rto(const struct rx_call *c)
{
    const struct rx_conn *conn = c->conn;
    uint64_t rto =
        conn->srtt ? (uint64_t)(conn->srtt + 4 * conn->rttvar) + RX_RTO_ADD_US : RX_RTO_FIRST_US;

    rto <<= c->backoff < 6 ? c->backoff : 6;
    return rto < RX_RTO_MAX_US ? rto : RX_RTO_MAX_US;
}

static void header(struct rx_call *c, uint8_t *to, uint32_t call, int type, int flags, uint32_t seq)
{
    struct rx_conn *conn = c->conn;
    const struct rx_header h = {.epoch = conn->epoch,
                                .cid = conn->cid | c->channel,
                                .call = call,
                                .seq = seq,
                                .serial = conn->serial++,
                                .type = (uint8_t)type,
                                .flags = (uint8_t)(flags | (conn->client ? RX_F_CLIENT : 0)),
                                .service = conn->service};

    rx_header_put(to, &h);
}

static void out(struct rx *rx, const struct rx_address *to, const uint8_t *packet, uint32_t len)
{
    rx->counts.packets_out++;
    rx->ops.send(rx->arg, to, packet, len);
}

void rx_send_plain(struct rx *rx, struct rx_call *c, uint32_t call, int type, int flags,
                   uint32_t body_len)
{
    header(c, rx->scratch, call, type, flags, 0);
    out(rx, &c->conn->peer, rx->scratch, RX_HEADER + body_len);
}

void rx_send_abort(struct rx *rx, struct rx_call *c, uint32_t call, int32_t code)
{
    rx->counts.aborts_out++;
    rx_put32(rx->scratch + RX_HEADER, (uint32_t)code);
    rx_send_plain(rx, c, call, RX_ABORT, 0, 4);
}

void rx_send_stray_abort(struct rx *rx, const struct rx_address *to, const struct rx_header *h,
                         uint32_t call, int32_t code)
{
    struct rx_header a = {.epoch = h->epoch,
                          .cid = h->cid,
                          .call = call,
                          .serial = 1,
                          .type = RX_ABORT,
                          .flags = (h->flags & RX_F_CLIENT) ^ RX_F_CLIENT,
                          .service = h->service};

    rx->counts.aborts_out++;
    rx_header_put(rx->scratch, &a);
    rx_put32(rx->scratch + RX_HEADER, (uint32_t)code);
    out(rx, to, rx->scratch, RX_HEADER + 4);
}

void rx_send_ack(struct rx *rx, struct rx_call *c, int reason, uint32_t serial)
{
    uint32_t own = rx->config.mtu - RX_IP_UDP;
    uint8_t have[RX_WINDOW];
    struct rx_ack a = {.first = c->want,
                       .previous = c->highest,
                       .serial = serial,
                       .reason = (uint8_t)reason,
                       .acks = have,
                       .max_mtu = own,
                       .if_mtu = own,
                       .window = rx->config.window,
                       .jumbo = rx->config.jumbo};

    for (uint32_t s = c->want; s <= c->highest && a.count < RX_WINDOW; s++)
        have[a.count++] = *rx_slot(c->rx, s) != 0;
    rx->counts.acks_out++;
    c->unacked = 0;
    c->ack_at = 0;
    uint32_t len = rx_ack_put(rx->scratch + RX_HEADER, &a);
    rx_send_plain(rx, c, c->number, RX_ACK, reason == RX_ACK_PING ? RX_F_REQUEST_ACK : 0, len);
}

/* ---- DATA */

/* What may go out now: what is lost first. 0: nothing. */
static struct rx_packet *pick(struct rx_call *c)
{
    uint32_t under_way = c->next - c->first;

    if (c->recovering) {
        uint32_t pipe = 0;
        struct rx_packet *lost = 0;
        for (uint32_t s = c->first; s != c->next; s++) {
            struct rx_packet *p = *rx_slot(c->tx, s);
            pipe += p->out;
            if (p->lost && !lost)
                lost = p;
        }
        if (pipe >= c->cwnd)
            return 0;
        if (lost)
            return lost;
        return c->next != c->made && under_way < c->peer_window ? *rx_slot(c->tx, c->next) : 0;
    }
    return c->next != c->made && under_way < smaller(c->peer_window, c->cwnd)
               ? *rx_slot(c->tx, c->next)
               : 0;
}

static void mark(struct rx *rx, struct rx_call *c, struct rx_packet *p)
{
    if (p->seq == c->next)
        c->next++;
    p->out = 1;
    p->lost = 0;
    p->sent_at = rx->now;
    p->sends += p->sends < 255;
    rx->counts.data_out++;
    rx->counts.resent += p->sends > 1;
}

/* An acknowledgement is asked for twice in a window, of what is sent again, and where a burst ends
 * that is not the end of all: unless one is to come anyway, then more packets will follow. */
static int flags_of(struct rx_call *c, const struct rx_packet *p, bool more)
{
    int flags = p->flags & RX_F_LAST;
    bool awaited = c->asked >= c->first;
    bool ask =
        p->sends > 1 || (!flags && (!(more || awaited) || ++c->unasked >= c->peer_window / 2));

    if (ask) {
        c->unasked = 0;
        c->asked = p->seq;
    }
    return flags | (ask ? RX_F_REQUEST_ACK : 0) | (more || (awaited && !flags) ? RX_F_MORE : 0);
}

static void send_one(struct rx *rx, struct rx_call *c, struct rx_packet *p, bool more)
{
    p->serial = c->conn->serial;
    header(c, p->bytes, c->number, RX_DATA, flags_of(c, p, more), p->seq);
    out(rx, &c->conn->peer, p->bytes, RX_HEADER + p->len);
}

static bool joins(const struct rx_packet *p)
{
    return p->sends == 1 && p->len == RX_JUMBO_DATA && !(p->flags & RX_F_LAST);
}

/* p, and what may follow it in the same datagram: what has not been sent before. Returns what did
 * not fit. */
static struct rx_packet *send_jumbo(struct rx *rx, struct rx_call *c, struct rx_packet *p,
                                    struct rx_packet *then)
{
    uint8_t *at = rx->datagram;
    unsigned n = 1;

    p->serial = c->conn->serial;
    header(c, at, c->number, RX_DATA, 0, p->seq);
    uint8_t *flags = at + 21, base = at[21];
    at += RX_HEADER;
    for (;;) {
        memcpy(at, p->bytes + RX_HEADER, p->len);
        at += p->len;
        if (!(joins(p) && then && then->sends == 0 && then->seq == p->seq + 1
              && n < c->conn->jumbo))
            break;
        *flags = base | RX_F_JUMBO;
        memset(at, 0, RX_JUMBO_HEADER);
        flags = at;
        at += RX_JUMBO_HEADER;
        p = then;
        p->serial = c->conn->serial++;
        n++;
        mark(rx, c, p);
        then = pick(c);
    }
    *flags = (uint8_t)(base | flags_of(c, p, then != 0));
    out(rx, &c->conn->peer, rx->datagram, (uint32_t)(at - rx->datagram));
    return then;
}

void rx_transmit(struct rx *rx, struct rx_call *c)
{
    struct rx_packet *p = pick(c);

    if (!p)
        return;
    if (!c->conn->client) {      /* a reply acknowledges the request */
        c->ack_at = 0;
        c->unacked = 0;
    }
    while (p) {
        mark(rx, c, p);
        struct rx_packet *then = pick(c);
        if (c->conn->jumbo > 1 && p->sends == 1) {
            then = send_jumbo(rx, c, p, then);
        } else {
            send_one(rx, c, p, then != 0);
        }
        p = then;
    }
    if (!c->resend_at) {
        c->resend_at = rx->now + rx_rto(c);
        rx_arm(rx, c->resend_at);
    }
}

/* ---- the program's side */

/* Packets are made some way ahead of what may be sent: their size is that of the moment. */
static uint32_t room(const struct rx_call *c)
{
    uint32_t most = smaller(RX_WINDOW - 1, smaller(c->peer_window, c->cwnd) + 2),
             made = c->made - c->first;

    return made < most ? most - made : 0;
}

static void close_packet(struct rx_call *c, uint8_t flags)
{
    struct rx_packet *p = c->open;

    p->flags = flags;
    p->seq = c->made;
    *rx_slot(c->tx, c->made++) = p;
    c->open = 0;
}

static bool open_packet(struct rx *rx, struct rx_call *c)
{
    c->open = rx_packet_get(rx);
    if (!c->open) {
        rx->starved = 1;
        return false;
    }
    c->open->size = c->conn->jumbo > 1 ? RX_JUMBO_DATA : c->conn->data_max;
    return true;
}

uint32_t rx_write(struct rx *rx, struct rx_call *c, const void *bytes, uint32_t len)
{
    uint32_t taken = 0;

    if (!c->active || c->ended || c->discard)
        return len;
    while (taken < len) {
        if (c->open && c->open->len == c->open->size)
            close_packet(c, 0);
        if (!c->open && (!room(c) || !open_packet(rx, c))) {
            c->refused = 1;
            rx_transmit(rx, c);
            break;
        }
        uint32_t n = smaller(len - taken, c->open->size - c->open->len);
        memcpy(c->open->bytes + RX_HEADER + c->open->len, (const uint8_t *)bytes + taken, n);
        c->open->len += n;
        taken += n;
    }
    return taken;
}

static void make_last(struct rx *rx, struct rx_call *c)
{
    if (!c->open && c->made != c->next)
        (*rx_slot(c->tx, c->made - 1))->flags = RX_F_LAST; /* not sent yet */
    else if (c->open || open_packet(rx, c))
        close_packet(c, RX_F_LAST);
    else
        return;              /* rx_offer_room tries again */
    c->last_made = 1;
    rx_transmit(rx, c);
}

void rx_end(struct rx *rx, struct rx_call *c)
{
    if (!c->active || c->ended)
        return;
    c->ended = 1;
    if (!c->discard)
        make_last(rx, c);
}

void rx_offer_room(struct rx *rx, struct rx_call *c)
{
    if (!c->active || c->discard || !rx->free)
        return;
    if (c->ended && !c->last_made)
        make_last(rx, c);
    if (!c->refused || c->ended || !room(c))
        return;
    c->refused = 0;
    rx->ops.event(rx->arg, c, RX_ROOM);
}
