/* SPDX-License-Identifier: MIT */
/* Calls begin and end. */
#include "rx_internal.h"

void rx_call_start(struct rx *rx, struct rx_call *c, uint32_t number)
{
    struct rx_conn *conn = c->conn;
    uint8_t channel = c->channel;

    memset(c, 0, sizeof(*c));
    c->conn = conn;
    c->channel = channel;
    c->number = number;
    c->active = 1;
    c->first = c->next = c->made = c->want = 1;
    c->peer_window = conn->peer_window;
    c->cwnd = conn->cwnd;
    c->ssthresh = conn->ssthresh;
    c->heard = c->pinged = conn->used_at = rx->now;
    rx->counts.calls++;
    rx_arm(rx, rx->now + RX_PING_US);
}

static void drop(struct rx *rx, struct rx_packet **p)
{
    if (*p)
        rx_packet_put(rx, *p);
    *p = 0;
}

void rx_call_finish(struct rx *rx, struct rx_call *c)
{
    for (uint32_t s = c->first; s != c->made; s++)
        drop(rx, rx_slot(c->tx, s));
    c->first = c->next = c->made;
    if (c->highest >= c->want)
        for (unsigned i = 0; i < RX_WINDOW; i++)
            drop(rx, &c->rx[i]);
    drop(rx, &c->open);
    c->resend_at = c->late_at = 0;
    c->refused = 0;
    if (c->active) {
        c->conn->cwnd = c->cwnd;
        c->conn->ssthresh = c->ssthresh;
        c->conn->used_at = rx->now;
    }
    c->active = 0;
}

void rx_call_fail(struct rx *rx, struct rx_call *c, int32_t code)
{
    rx_call_finish(rx, c);
    c->error = code;
    c->ack_at = 0;
    rx->counts.calls_failed++;
    rx->ops.event(rx->arg, c, RX_FAILED);
}

void rx_conn_fail(struct rx *rx, struct rx_conn *conn, int32_t code)
{
    if (conn->client)
        conn->error = code;
    for (unsigned i = 0; i < RX_CHANNELS; i++)
        if (conn->calls[i].active)
            rx_call_fail(rx, &conn->calls[i], code);
}

void rx_feed_starved(struct rx *rx)
{
    if (!rx->starved || !rx->free)
        return;
    rx->starved = 0;
    for (struct rx_conn *conn = rx->all; conn; conn = conn->next)
        for (unsigned i = 0; i < RX_CHANNELS; i++)
            rx_offer_room(rx, &conn->calls[i]);
}

struct rx_conn *rx_connect(struct rx *rx, const struct rx_address *server, uint16_t service)
{
    uint32_t cid = rx->next_cid;

    rx->next_cid += 4;
    return rx_conn_new(rx, server, rx->config.epoch & 0x7fffffff, cid, service, true);
}

void rx_disconnect(struct rx *rx, struct rx_conn *conn)
{
    for (unsigned i = 0; i < RX_CHANNELS; i++) {
        struct rx_call *c = &conn->calls[i];
        if (c->active)
            rx_abort(rx, c, RX_EUSER);
        else if (c->ack_at)
            rx_send_ack(rx, c, RX_ACK_DELAY, c->ack_serial);
    }
    rx_conn_free(rx, conn);
}

struct rx_call *rx_begin(struct rx *rx, struct rx_conn *conn)
{
    if (conn->error)
        return 0;
    for (unsigned i = 0; i < RX_CHANNELS; i++)
        if (!conn->calls[i].active) {
            rx_call_start(rx, &conn->calls[i], conn->calls[i].number + 1);
            return &conn->calls[i];
        }
    return 0;
}

void rx_abort(struct rx *rx, struct rx_call *c, int32_t code)
{
    if (!c->active)
        return;
    rx_call_finish(rx, c);
    c->error = code;
    c->ack_at = 0;
    rx->counts.calls_failed++;
    rx_send_abort(rx, c, c->number, code);
}
