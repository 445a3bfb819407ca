/* SPDX-License-Identifier: MIT */
/* The two subchannels of a running link: segments each way, their numbers, what is sent again and
 * when, and XOFF and XON for what its user does not take. */
#include "dn_wire.h"

#define NOT_TIMED 0x8000
#define DELAY_FACTOR 2
#define DELAY_WEIGHT 3
#define XOFF_AT 2            /* segments that wait */
#define ACK_EVERY 2          /* segments are acknowledged at once */

static struct dn_segment *tx_at(struct dn_link *l, unsigned i)
{
    return &l->tx[(l->tx_head + i) % DN_WINDOW];
}

static unsigned number(unsigned last, unsigned n)
{
    return (last + n) & SEQ_MASK;
}

void data_start(struct dn_link *l)
{
    due_at(l->net, l->heard + DN_INACTIVE_US);
}

static void arm(struct dn_link *l, uint64_t *at)
{
    *at = l->net->now + DELAY_FACTOR * l->delay;
    due_at(l->net, *at);
}

/* An acknowledgement alone. */
void ack_now(struct dn_link *l, bool other)
{
    uint8_t frame[DN_FRAME];
    uint8_t *p = put_addresses(l, dn_body(frame), other ? MSG_ACK_OTHER : MSG_ACK);

    p = put16(p, ACK_PRESENT | (other ? l->rx_other : l->rx_last));
    if (other) {
        l->ack_other = 0;
    } else {
        l->ack_owed = 0;
        l->ack_at = 0;
    }
    route_send(l->net, l->node, frame, p, false);
}

static bool send_segment(struct dn_link *l, unsigned i)
{
    const struct dn_segment *s = tx_at(l, i);
    uint8_t frame[DN_FRAME];
    uint8_t *p = put_addresses(l, dn_body(frame), MSG_DATA | s->flags);
    unsigned seq = number(l->tx_acked, i + 1);

    p = put16(p, ACK_PRESENT | l->rx_last);
    l->ack_owed = 0;
    l->ack_at = 0;
    p = put16(p, seq | (seq % ACK_EVERY && !s->resent ? SEQ_DELAY : 0));
    memcpy(p, s->data, s->len);
    return route_send(l->net, l->node, frame, p + s->len, false);
}

static bool may_send(const struct dn_link *l)
{
    return l->tx_sent < l->tx_count && !l->xoff && (l->flow == 0 || l->credits > 0);
}

/* Send what may be sent; when all of a link that closes is acknowledged, disconnect. */
void data_pump(struct dn_link *l)
{
    while (l->state == DN_RUN && may_send(l)) {
        const struct dn_segment *s = tx_at(l, l->tx_sent);
        if (!send_segment(l, l->tx_sent)) {
            l->pump_at = l->net->now + DN_NO_ROOM_US;
            due_at(l->net, l->pump_at);
            break;
        }
        if (l->flow == 1 || (l->flow == 2 && (s->flags & MSG_EOM)))
            l->credits--;
        if (l->timed == NOT_TIMED) {
            l->timed = (uint16_t)number(l->tx_acked, l->tx_sent + 1u);
            l->timed_from = l->net->now;
        }
        l->net->counts.bytes_out += s->len;
        l->tx_sent++;
        if (!l->tx_at)
            arm(l, &l->tx_at);
    }
    if (l->state == DN_RUN && l->closing && !l->tx_count)
        send_di(l, l->close_reason);
}

size_t dn_room(const struct dn_link *l)
{
    return l->state == DN_RUN && !l->closing ? (size_t)(DN_WINDOW - l->tx_count) * l->segment : 0;
}

bool dn_send(struct dn_link *l, const uint8_t *m, size_t n, uint64_t now_us)
{
    unsigned flags = MSG_BOM;

    l->net->now = now_us;
    if (!n || n > dn_room(l))
        return false;
    while (n) {
        struct dn_segment *s = tx_at(l, l->tx_count);
        size_t part = n < l->segment ? n : l->segment;
        memcpy(s->data, m, part);
        s->len = (uint16_t)part;
        s->resent = 0;
        m += part;
        n -= part;
        s->flags = (uint8_t)(flags | (n ? 0 : MSG_EOM));
        flags = 0;
        l->tx_count++;
    }
    data_pump(l);
    return true;
}

static void delay_measured(struct dn_link *l)
{
    uint64_t took = l->net->now - l->timed_from;

    l->delay = (l->delay * DELAY_WEIGHT + took) / (DELAY_WEIGHT + 1);
    if (l->delay < DN_DELAY_MIN_US)
        l->delay = DN_DELAY_MIN_US;
    if (l->delay > DN_DELAY_MAX_US)
        l->delay = DN_DELAY_MAX_US;
    l->timed = NOT_TIMED;
}

/* XOFF, XON, or (flags 0) the question whether anybody is there. */
static void link_service(struct dn_link *l, unsigned flags)
{
    uint8_t frame[DN_FRAME];
    uint8_t *p = put_addresses(l, dn_body(frame), MSG_LINK);

    l->other_flags = (uint8_t)flags;
    l->other_out = 1;
    p = put16(p, ACK_PRESENT | l->rx_other);
    p = put16(p, number(l->other_acked, 1));
    *p++ = (uint8_t)flags;
    *p++ = 0;
    arm(l, &l->other_at);
    route_send(l->net, l->node, frame, p, false);
}

/* The first whole message that came: its segments, 0 when there is none. */
static unsigned whole_message(struct dn_link *l)
{
    for (unsigned i = 0; i < l->rx_count; i++)
        if (l->rx[(l->rx_head + i) % DN_QUEUE].flags & MSG_EOM)
            return i + 1;
    return 0;
}

_Static_assert(XOFF_AT + DN_WINDOW <= DN_QUEUE, "what is on its way at XOFF must have room");

/* Tell the peer to stop when messages wait for the user, to go on when none does. Of a message that
 * has come in part the rest must come. */
static void regulate(struct dn_link *l)
{
    if (l->state != DN_RUN || l->other_out)
        return;              /* one at a time: other_acked looks again */
    bool waiting = whole_message(l) != 0;
    if (!l->stopped && waiting && l->rx_count >= XOFF_AT) {
        l->stopped = 1;
        link_service(l, LS_XOFF);
    } else if (l->stopped && !waiting) {
        l->stopped = 0;
        link_service(l, LS_XON);
    }
}

static void other_acked(struct dn_link *l, unsigned seq)
{
    if (!l->other_out || seq != number(l->other_acked, 1)) {
        if (seq != l->other_acked)
            l->net->counts.violations++;
        return;
    }
    l->other_acked = (uint16_t)seq;
    l->other_out = 0;
    l->other_at = 0;
    regulate(l);
}

void data_ack(struct dn_link *l, bool other, unsigned word)
{
    unsigned seq = word & SEQ_MASK, n = (seq - l->tx_acked) & SEQ_MASK;
    bool again = (word & 0x1000) != 0; /* NAK */

    if (other) {
        other_acked(l, seq);
        return;
    }
    if (n > l->tx_sent) {
        if (n <= SEQ_MASK / 2) /* else it is old */
            l->net->counts.violations++;
        return;
    }
    if (l->timed != NOT_TIMED && n && ((l->timed - l->tx_acked) & SEQ_MASK) <= n)
        delay_measured(l);
    l->tx_acked = (uint16_t)seq;
    l->tx_head = (uint8_t)((l->tx_head + n) % DN_WINDOW);
    l->tx_count = (uint8_t)(l->tx_count - n);
    l->tx_sent = (uint8_t)(l->tx_sent - n);
    if (again && l->tx_sent)
        l->tx_at = l->net->now; /* at the next pass of the timers */
    else if (n)
        l->tx_at = 0;
    if (l->tx_sent && !l->tx_at)
        arm(l, &l->tx_at);
    if (l->tx_at)
        due_at(l->net, l->tx_at);
    if (!l->tx_sent)
        l->tx_at = 0;
    data_pump(l);
    if (n && l->state == DN_RUN && !l->closing)
        l->user->room(l);
}

static bool give(struct dn_link *l, unsigned segments)
{
    static uint8_t whole[DN_QUEUE * DN_SEGMENT];
    size_t n = 0;

    if (segments == 1)
        return l->user->message(l, l->rx[l->rx_head].data, l->rx[l->rx_head].len);
    for (unsigned i = 0; i < segments; i++) {
        const struct dn_segment *s = &l->rx[(l->rx_head + i) % DN_QUEUE];
        memcpy(whole + n, s->data, s->len);
        n += s->len;
    }
    return l->user->message(l, whole, n);
}

static void data_deliver(struct dn_link *l)
{
    unsigned n;

    if (l->delivering)
        return;
    l->delivering = 1;
    while (l->state == DN_RUN && !l->closing && (n = whole_message(l)) != 0 && give(l, n)) {
        l->rx_head = (uint8_t)((l->rx_head + n) % DN_QUEUE);
        l->rx_count = (uint8_t)(l->rx_count - n);
    }
    l->delivering = 0;
    if (l->state != DN_RUN)
        return;
    if (l->closing) {
        l->rx_count = 0;     /* what still comes is not wanted */
    } else if (l->rx_count == DN_QUEUE && !whole_message(l)) {
        l->net->counts.violations++;
        const struct dn_user *user = l->user;
        l->user = 0;
        send_di(l, DN_TOO_LONG);
        user->down(l, DN_TOO_LONG);
        return;
    }
    regulate(l);
}

void dn_resume(struct dn_link *l, uint64_t now_us)
{
    l->net->now = now_us;
    if (l->rx_count)
        data_deliver(l);
}

static bool segment_fits(struct dn_link *l, unsigned flags, size_t n)
{
    bool begins =
        l->rx_count == 0 || (l->rx[(l->rx_head + l->rx_count - 1u) % DN_QUEUE].flags & MSG_EOM);

    /* A message taken in part was taken whole: what goes before the queue ended with EOM. */
    return n <= DN_SEGMENT && begins == ((flags & MSG_BOM) != 0);
}

static void segment_take(struct dn_link *l, unsigned flags, unsigned word, const uint8_t *data,
                         size_t n)
{
    struct dn_segment *s = &l->rx[(l->rx_head + l->rx_count) % DN_QUEUE];

    memcpy(s->data, data, n);
    s->len = (uint16_t)n;
    s->flags = (uint8_t)flags;
    l->rx_count++;
    l->rx_last = (uint16_t)(word & SEQ_MASK);
    l->net->counts.bytes_in += n;
    l->ack_owed++;
    data_deliver(l);
    if (l->state != DN_RUN || !l->ack_owed)
        return;              /* an answer carried it */
    if (!(word & SEQ_DELAY) || l->ack_owed >= ACK_EVERY) {
        ack_now(l, false);
    } else if (!l->ack_at) {
        l->ack_at = (l->net->now + DN_ACK_US) / DN_ACK_GRID_US * DN_ACK_GRID_US;
        due_at(l->net, l->ack_at);
    }
}

/* p: the number and what follows. */
void data_segment(struct dn_link *l, unsigned flags, const uint8_t *p, const uint8_t *end)
{
    struct decnet *d = l->net;

    if (left(p, end) < 3 || (le16(p) & ACK_PRESENT)) {
        d->counts.malformed++;
        return;
    }
    unsigned word = le16(p), ahead = (word - l->rx_last) & SEQ_MASK;
    if (ahead == 1 && !segment_fits(l, flags, left(p + 2, end))) {
        d->counts.violations++;
        return;
    }
    if (ahead == 1 && l->rx_count < DN_QUEUE) {
        segment_take(l, flags, word, p + 2, left(p + 2, end));
        return;
    }
    if (ahead == 0 || ahead > SEQ_MASK / 2)
        d->counts.duplicates++;
    else
        d->counts.out_of_order++;
    ack_now(l, false);
}

static void resend(struct dn_link *l)
{
    if (++l->tx_tries > DN_TRIES) {
        l->net->counts.lost++;
        link_lost(l, DN_UNREACHABLE);
        return;
    }
    l->timed = NOT_TIMED;
    for (unsigned i = 0; i < l->tx_sent; i++) {
        tx_at(l, i)->resent = 1;
        l->net->counts.resent++;
        if (!send_segment(l, i)) {
            l->tx_tries--;
            l->tx_at = l->net->now + DN_NO_ROOM_US;
            due_at(l->net, l->tx_at);
            return;
        }
    }
    arm(l, &l->tx_at);
}

static void resend_other(struct dn_link *l)
{
    if (++l->other_tries > DN_TRIES) {
        l->net->counts.lost++;
        link_lost(l, DN_UNREACHABLE);
        return;
    }
    l->net->counts.resent++;
    link_service(l, l->other_flags);
}

void data_tick(struct dn_link *l)
{
    struct decnet *d = l->net;

    if (l->ack_at && d->now >= l->ack_at)
        ack_now(l, false);
    if (l->tx_at && d->now >= l->tx_at)
        resend(l);
    if (l->state == DN_RUN && l->pump_at && d->now >= l->pump_at) {
        l->pump_at = 0;
        data_pump(l);
    }
    if (l->state == DN_RUN && l->other_at && d->now >= l->other_at)
        resend_other(l);
    if (l->state == DN_RUN && l->closing && d->now >= l->close_by)
        send_di(l, l->close_reason); /* the other side takes nothing more */
    if (l->state != DN_RUN)
        return;
    if (l->closing)
        due_at(d, l->close_by);
    if (d->now >= l->heard + DN_INACTIVE_US && !l->other_out)
        link_service(l, 0);
    due_at(d, l->other_out ? l->other_at : l->heard + DN_INACTIVE_US);
    if (l->ack_at)
        due_at(d, l->ack_at);
    if (l->pump_at)
        due_at(d, l->pump_at);
    if (l->tx_at)
        due_at(d, l->tx_at);
}

void dn_close(struct dn_link *l, unsigned reason, uint64_t now_us)
{
    l->net->now = now_us;
    if (l->state == DN_RUN && !l->closing) {
        l->closing = 1;
        l->close_by = now_us + DN_CONNECT_US;
        due_at(l->net, l->close_by);
        l->close_reason = (uint8_t)reason;
        l->rx_count = 0;
        data_pump(l);
    } else if (l->state != DN_RUN && l->state != DN_FREE && l->state != DN_DI) {
        send_di(l, reason);
    }
}
