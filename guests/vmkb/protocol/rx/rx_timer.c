/* SPDX-License-Identifier: MIT */
/* Time: late acknowledgements, what is sent again, who is still there. */
#include "rx_internal.h"

/* Nothing came back in time: all that is under way is taken for lost and goes again, slowly at
 * first. */
static void timed_out(struct rx *rx, struct rx_call *c)
{
    rx->counts.timeouts++;
    c->backoff += c->backoff < 8;
    if (c->recovering != 2) {
        c->ssthresh = rx_half_window(c);
        c->recovering = 2;
    }
    c->recover = c->next - 1;
    c->cwnd = 1;
    for (uint32_t s = c->first; s != c->next; s++) {
        struct rx_packet *p = *rx_slot(c->tx, s);
        p->out = 0;
        p->lost = !p->acked;
    }
    struct rx_packet *oldest = *rx_slot(c->tx, c->first);
    if (c->backoff >= RX_NAKS && oldest->len > RX_DATA_DEFAULT) {
        c->conn->path_max = RX_DATA_DEFAULT; /* for what is yet to be cut */
        c->conn->data_max = RX_DATA_DEFAULT;
    }
    oldest->acked = 0;           /* what was acknowledged softly may be gone */
    oldest->lost = 1;
    c->resend_at = c->late_at = 0;
    rx_transmit(rx, c);
}

static bool gone(struct rx *rx, struct rx_call *c)
{
    int32_t code = rx->now - c->heard >= RX_DEAD_US                             ? RX_EDEAD
                   : c->busy_since && rx->now - c->busy_since >= RX_DEAD_US ? RX_ETIMEOUT
                   : c->resend_at && rx->now - c->arrived >= RX_STUCK_US    ? RX_ETIMEOUT
                                                                            : 0;

    if (!code)
        return false;
    rx_send_abort(rx, c, c->number, code);
    rx_call_fail(rx, c, code);
    return true;
}

static void call_tick(struct rx *rx, struct rx_call *c)
{
    if (c->ack_at && rx->now >= c->ack_at)
        rx_send_ack(rx, c, RX_ACK_DELAY, c->ack_serial);
    if (!c->active || gone(rx, c))
        return;
    if (c->resend_at && rx->now >= c->resend_at) {
        timed_out(rx, c);
    } else if (c->late_at && rx->now >= c->late_at) {
        rx_find_lost(rx, c);
        rx_transmit(rx, c);
    }
    uint64_t silent = c->heard > c->pinged ? c->heard : c->pinged;
    if (c->heard_any && rx->now - silent >= RX_PING_US) {
        c->pinged = rx->now;
        rx->counts.pings_out++;
        rx_send_ack(rx, c, RX_ACK_PING, 0);
    }
}

static void arm_call(struct rx *rx, const struct rx_call *c)
{
    if (c->ack_at)
        rx_arm(rx, c->ack_at);
    if (!c->active)
        return;
    if (c->resend_at)
        rx_arm(rx, c->resend_at);
    if (c->late_at)
        rx_arm(rx, c->late_at);
    if (c->heard_any)
        rx_arm(rx, (c->heard > c->pinged ? c->heard : c->pinged) + RX_PING_US);
    rx_arm(rx, c->heard + RX_DEAD_US);
    if (c->busy_since)
        rx_arm(rx, c->busy_since + RX_DEAD_US);
}

static bool quiet(const struct rx_conn *conn)
{
    for (unsigned i = 0; i < RX_CHANNELS; i++)
        if (conn->calls[i].active || conn->calls[i].ack_at)
            return false;
    return true;
}

void rx_tick(struct rx *rx, uint64_t now)
{
    uint32_t left = rx->conns_used;

    rx->now = now;
    if (now < rx->next)
        return;
    /* By place, as a tick may end any connection; of one that is made meanwhile nothing is due. Not
     * to the end of the table: most of it was never used. */
    for (unsigned k = 0; left && k < rx->config.connections; k++) {
        left -= rx->conns[k].used;
        for (unsigned i = 0; i < RX_CHANNELS && rx->conns[k].used; i++)
            call_tick(rx, &rx->conns[k].calls[i]);
    }
    rx->next = RX_NEVER;
    for (struct rx_conn *next, *conn = rx->all; conn; conn = next) {
        next = conn->next;
        for (unsigned i = 0; i < RX_CHANNELS; i++)
            arm_call(rx, &conn->calls[i]);
        if (conn->client)
            continue;
        if (quiet(conn) && now - conn->used_at >= RX_IDLE_US)
            rx_conn_free(rx, conn);
        else
            rx_arm(rx, conn->used_at + RX_IDLE_US > now ? conn->used_at + RX_IDLE_US
                                                        : now + RX_IDLE_US);
    }
    rx_feed_starved(rx);
}
