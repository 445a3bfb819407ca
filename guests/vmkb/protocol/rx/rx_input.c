/* SPDX-License-Identifier: MIT */
/* What comes in: to which connection and call it belongs, and what is no part of any. */
#include "rx_internal.h"

static bool known_type(int type)
{
    return type >= RX_DATA && type <= RX_VERSION;
}

/* Another call begins on the server's channel. False: not now. */
static bool new_call(struct rx *rx, struct rx_call *c, const struct rx_header *h)
{
    if (c->active) {
        bool answered = c->last_made && c->next == c->made;
        if (!answered) {         /* the client has given the old one up; it asks again */
            rx->counts.busies_out++;
            rx_call_fail(rx, c, RX_EUSER);
            rx_send_plain(rx, c, h->call, RX_BUSY, 0, 0);
            return false;
        }
        rx_acked_all(rx, c);
        rx_call_finish(rx, c);
        rx->counts.calls_done++;
        rx->ops.event(rx->arg, c, RX_DONE);
    }
    rx_call_start(rx, c, h->call);
    rx->ops.event(rx->arg, c, RX_NEW);
    return c->active;
}

static void abort_in(struct rx *rx, struct rx_call *c, const uint8_t *body, uint32_t len)
{
    rx->counts.aborts_in++;
    if (c->active)
        rx_call_fail(rx, c, len >= 4 && rx_get32(body) ? (int32_t)rx_get32(body) : RX_EPROTOCOL);
}

static void to_server_call(struct rx *rx, struct rx_call *c, struct rx_header *h,
                           const uint8_t *body, uint32_t len)
{
    int32_t ahead = (int32_t)(h->call - c->number);

    if (ahead > 0) {
        if (h->type == RX_ACK && len >= RX_ACK_FIXED && body[16] == RX_ACK_PING)
            rx_send_abort(rx, c, h->call, RX_EDEAD); /* of a call that another server knew */
        if (h->type != RX_DATA || h->seq == 0 || h->seq > rx->config.window || !new_call(rx, c, h))
            return;
    } else if (ahead < 0 || c->number == 0) {
        rx->counts.stale++;
        return;
    }
    c->heard = rx->now;
    c->heard_any = 1;
    if (!c->active && c->error && h->type != RX_ABORT) {
        rx_send_abort(rx, c, c->number, c->error);
        return;
    }
    switch (h->type) {
    case RX_DATA:
        rx_data_in(rx, c, h, body, len);
        break;
    case RX_ACK:
    case RX_ACKALL:
        rx_ack_in(rx, c, h, body, len);
        break;
    case RX_ABORT:
        abort_in(rx, c, body, len);
        break;
    default:
        break;
    }
}

static void to_client_call(struct rx *rx, struct rx_call *c, struct rx_header *h,
                           const uint8_t *body, uint32_t len)
{
    if (h->call != c->number || c->number == 0) {
        rx->counts.stale++;
        return;
    }
    if (!c->active && c->error) {
        if (h->type != RX_ABORT && h->type != RX_BUSY)
            rx_send_abort(rx, c, c->number, c->error);
        return;
    }
    c->heard = rx->now;
    c->heard_any |= h->type != RX_BUSY;
    if (h->type != RX_BUSY)
        c->busy_since = 0;
    switch (h->type) {
    case RX_DATA:
        if (c->next == 1 && c->active) { /* an answer to what was never asked */
            rx->counts.unsent++;
            break;
        }
        if (c->first != c->made || !c->ended)
            rx_acked_all(rx, c);
        rx_data_in(rx, c, h, body, len);
        break;
    case RX_ACK:
    case RX_ACKALL:
        rx_ack_in(rx, c, h, body, len);
        break;
    case RX_BUSY:
        rx->counts.busies_in++;
        if (c->active && !c->busy_since)
            c->busy_since = rx->now;
        break;
    case RX_ABORT:
        abort_in(rx, c, body, len);
        break;
    default:
        break;
    }
}

/* No connection of ours: a call's first packet makes one, where we serve. */
static struct rx_conn *stranger(struct rx *rx, const struct rx_address *from,
                                const struct rx_header *h, const uint8_t *body, uint32_t len)
{
    bool ping = h->type == RX_ACK && len >= RX_ACK_FIXED && body[16] == RX_ACK_PING;

    if (h->flags & RX_F_CLIENT && ping)
        rx_send_stray_abort(rx, from, h, h->call, RX_EDEAD);
    if (!(h->flags & RX_F_CLIENT) || h->type != RX_DATA || h->seq != 1 || h->call == 0) {
        rx->counts.unknown++;
        return 0;
    }
    if (h->security != 0 || !rx->ops.serves || !rx->ops.serves(rx->arg, h->service)) {
        rx->counts.refused++;
        rx_send_stray_abort(rx, from, h, 0, RX_EINVALID);
        return 0;
    }
    return rx_conn_new(rx, from, h->epoch, h->cid & ~3u, h->service, false);
}

static void of_connection(struct rx *rx, struct rx_conn *conn, const struct rx_header *h,
                          const uint8_t *body, uint32_t len)
{
    if (h->type == RX_ABORT) {
        rx->counts.aborts_in++;
        rx_conn_fail(rx, conn, len >= 4 && rx_get32(body) ? (int32_t)rx_get32(body) : RX_EPROTOCOL);
    } else if (h->type == RX_CHALLENGE && conn->client) {
        rx->counts.challenges++; /* we have no ticket to show */
        rx_send_abort(rx, &conn->calls[0], 0, RX_EINVALID);
        rx_conn_fail(rx, conn, RX_EINVALID);
    }
}

static void dispatch(struct rx *rx, const struct rx_address *from, struct rx_header *h,
                     const uint8_t *body, uint32_t len)
{
    struct rx_conn *conn = rx_find(rx, from, h);

    if (!conn)
        conn = stranger(rx, from, h, body, len);
    if (!conn)
        return;
    if (h->security != 0 || h->service != conn->service) {
        rx->counts.malformed++;
        return;
    }
    if (h->call == 0 || h->type == RX_CHALLENGE) {
        of_connection(rx, conn, h, body, len);
        return;
    }
    struct rx_call *c = &conn->calls[h->cid & 3];
    if (conn->client)
        to_client_call(rx, c, h, body, len);
    else
        to_server_call(rx, c, h, body, len);
    rx_feed_starved(rx);
}

bool rx_input(struct rx *rx, const struct rx_address *from, const uint8_t *packet, uint32_t len,
              uint64_t now)
{
    struct rx_header h;

    rx->now = now;
    rx->counts.packets_in++;
    if (!rx_header_get(&h, packet, len) || !known_type(h.type)) {
        rx->counts.malformed++;
        return false;
    }
    if (h.type == RX_VERSION)
        rx_version_in(rx, from, &h);
    else if (h.type == RX_DEBUG)
        rx_debug_in(rx, from, &h, packet + RX_HEADER, len - RX_HEADER);
    else
        dispatch(rx, from, &h, packet + RX_HEADER, len - RX_HEADER);
    return true;
}
