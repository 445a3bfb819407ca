/* SPDX-License-Identifier: MIT */
/* Acknowledgements of what we sent: what is freed, what is taken for lost, the window, the round
 * trip. */
#include "rx_internal.h"

static uint32_t between(uint32_t v, uint32_t low, uint32_t high)
{
    return v < low ? low : v > high ? high : v;
}

static void sample(struct rx_conn *conn, int64_t rtt)
{
    if (!conn->srtt) {
        conn->srtt = rtt ? rtt : 1;
        conn->rttvar = rtt / 2;
        return;
    }
    int64_t delta = rtt - conn->srtt;
    conn->srtt += delta / 8;
    if (conn->srtt < 1)
        conn->srtt = 1;
    conn->rttvar += ((delta < 0 ? -delta : delta) - conn->rttvar) / 4;
}

/* Of the packet that provoked the acknowledgement, if it went out once and was not waited for. */
static void measure(struct rx *rx, struct rx_call *c, const struct rx_ack *a)
{
    if (a->reason == RX_ACK_DELAY || !a->serial)
        return;
    for (uint32_t s = c->first; s != c->next; s++) {
        const struct rx_packet *p = *rx_slot(c->tx, s);
        if (p->serial == a->serial && p->sends == 1 && !p->acked) {
            sample(c->conn, (int64_t)(rx->now - p->sent_at));
            return;
        }
    }
}

/* The window that the other side offers and its sizes, where it tells them. */
static void learn(struct rx *rx, struct rx_call *c, const struct rx_ack *a)
{
    struct rx_conn *conn = c->conn;
    uint32_t own = rx->config.mtu - RX_IP_UDP - RX_HEADER;
    uint32_t said = a->max_mtu < a->if_mtu ? a->max_mtu : a->if_mtu;

    if (said > RX_HEADER)
        conn->data_max = between(said - RX_HEADER, RX_DATA_MIN, own);
    if (a->window)
        c->peer_window = conn->peer_window = between(a->window, 1, RX_WINDOW);
    if (a->jumbo)
        conn->jumbo = between(a->jumbo, 1, rx->config.jumbo);
}

static void grow(struct rx_call *c, uint32_t acked)
{
    if (c->recovering == 1)
        return;
    while (acked-- && c->cwnd < c->peer_window) {
        if (c->cwnd < c->ssthresh) {
            c->cwnd++;
        } else if (++c->grown >= c->cwnd) {
            c->cwnd++;
            c->grown = 0;
        }
    }
}

static uint32_t free_to(struct rx *rx, struct rx_call *c, uint32_t first)
{
    uint32_t n = 0;

    for (; c->first != first; c->first++, n++) {
        struct rx_packet **p = rx_slot(c->tx, c->first);
        rx_packet_put(rx, *p);
        *p = 0;
    }
    if (c->recovering && c->first > c->recover)
        c->recovering = 0;
    return n;
}

/* Later packets than p, sent after it, that have arrived; no more than RX_NAKS are counted. */
static unsigned overtaken(const struct rx_call *c, const struct rx_packet *p, uint32_t highest)
{
    unsigned n = 0;

    for (uint32_t s = p->seq + 1; s <= highest && n < RX_NAKS; s++) {
        const struct rx_packet *q = c->tx[s % RX_WINDOW];
        n += q->acked && (int32_t)(q->serial - p->serial) > 0;
    }
    return n;
}

static void slow_down(struct rx_call *c)
{
    if (c->recovering)
        return;
    c->recovering = 1;
    c->recover = c->next - 1;
    c->ssthresh = rx_half_window(c);
    c->cwnd = c->ssthresh;
}

/* Lost is what RX_NAKS later packets have overtaken; or one, and then a round trip of time: at the
 * end of a call and in a small window there are no more of them. */
void rx_find_lost(struct rx *rx, struct rx_call *c)
{
    uint64_t trip = (uint64_t)(c->conn->srtt + 4 * c->conn->rttvar);
    uint32_t highest = c->next - 1;

    c->late_at = 0;
    while (highest >= c->first && !(*rx_slot(c->tx, highest))->acked)
        highest--;
    for (uint32_t s = c->first; s < highest; s++) {
        struct rx_packet *p = *rx_slot(c->tx, s);
        unsigned later = p->acked || p->lost ? 0 : overtaken(c, p, highest);
        uint64_t due = p->sent_at + trip;
        if (!later)
            continue;
        if (later < RX_NAKS && rx->now < due) {
            if (!c->late_at || due < c->late_at)
                c->late_at = due;
            continue;
        }
        p->out = 0;
        p->lost = 1;
        rx->counts.fast_resent++;
        slow_down(c);
    }
    if (c->late_at)
        rx_arm(rx, c->late_at);
}

static void soft(struct rx *rx, struct rx_call *c, const struct rx_ack *a)
{
    for (uint32_t i = 0; i < a->count && a->first + i < c->next; i++) {
        struct rx_packet *p = *rx_slot(c->tx, a->first + i);
        if (a->acks[i] == 1) {
            p->acked = 1;
            p->out = p->lost = 0;
        } else if (p->acked) {   /* revoked */
            p->acked = 0;
            p->lost = 1;
            slow_down(c);
        }
    }
    rx_find_lost(rx, c);
}

/* The server has no more to say than what has arrived. */
static void perhaps_done(struct rx *rx, struct rx_call *c)
{
    if (!c->last_made || c->first != c->made || c->conn->client)
        return;
    rx_call_finish(rx, c);
    rx->counts.calls_done++;
    rx->ops.event(rx->arg, c, RX_DONE);
}

void rx_acked_all(struct rx *rx, struct rx_call *c)
{
    grow(c, free_to(rx, c, c->next));
    if (c->next != c->made || c->open || !c->ended) {
        while (c->first != c->made) {
            struct rx_packet **p = rx_slot(c->tx, c->first++);
            rx_packet_put(rx, *p);
            *p = 0;
        }
        if (c->open)
            rx_packet_put(rx, c->open);
        c->open = 0;
        c->next = c->first;
        c->discard = 1;
    }
    c->recovering = 0;
    c->backoff = 0;
    c->resend_at = c->late_at = 0;
}

void rx_ack_in(struct rx *rx, struct rx_call *c, const struct rx_header *h, const uint8_t *body,
               uint32_t len)
{
    uint32_t number = c->number, was = c->first;
    struct rx_ack a = {.first = c->next};

    if (h->type == RX_ACK && !rx_ack_get(&a, body, len)) {
        rx->counts.malformed++;
        return;
    }
    if (h->type == RX_ACK && (a.reason < RX_ACK_REQUESTED || a.reason > RX_ACK_IDLE)) {
        rx->counts.malformed++;
        return;
    }
    rx->counts.acks_in++;
    if (a.first > c->next) {
        rx->counts.unsent++;
        return;
    }
    if (h->type == RX_ACK && a.reason == RX_ACK_PING && h->flags & RX_F_REQUEST_ACK) {
        rx->counts.pings_in++;
        rx_send_ack(rx, c, RX_ACK_PING_RESPONSE, h->serial);
    }
    if (!c->active)
        return;
    bool newest = (int32_t)(h->serial - c->ack_heard) > 0;
    if (a.first < c->first || (!newest && a.first == c->first)) {
        rx->counts.stale++;
        return;
    }
    if (newest) {
        c->ack_heard = h->serial;
        measure(rx, c, &a);
        learn(rx, c, &a);
    }
    grow(c, free_to(rx, c, a.first));
    if (newest)
        soft(rx, c, &a);
    if (c->first != was) {
        c->backoff = 0;
        c->resend_at = c->first == c->next ? 0 : rx->now + rx_rto(c);
        if (c->resend_at)
            rx_arm(rx, c->resend_at);
    }
    perhaps_done(rx, c);
    if (!c->active || c->number != number)
        return;
    rx_transmit(rx, c);
    rx_offer_room(rx, c);
}
