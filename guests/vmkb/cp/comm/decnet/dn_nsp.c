/* SPDX-License-Identifier: MIT */
/* NSP: which link a message is for, and what its acknowledgements say. */
#include "dn_wire.h"

#define LS_FLOW    0x03
#define LS_REQUEST 0x0c
#define CREDITS_MAX 127

/* Up to two acknowledgements; what follows them. */
static const uint8_t *take_acks(struct dn_link *l, const uint8_t *p, const uint8_t *end, bool other)
{
    for (int i = 0; i < 2 && left(p, end) >= 2 && (le16(p) & ACK_PRESENT); i++, p += 2) {
        unsigned word = le16(p);
        if (word & 0x4000)
            l->net->counts.violations++;
        else
            data_ack(l, other != ((word & ACK_CROSS) != 0), word);
        if (l->state != DN_RUN)
            return end;      /* its user closed it meanwhile */
    }
    return p;
}

static void flow(struct dn_link *l, unsigned flags, int value)
{
    switch (flags & LS_FLOW) {
    case 0:
        break;
    case LS_XOFF:
        l->xoff = 1;
        break;
    case LS_XON:
        l->xoff = 0;
        break;
    default:
        l->net->counts.violations++;
        return;
    }
    if (flags & LS_REQUEST)
        return;              /* interrupts: none are sent */
    l->credits += value;
    if (l->credits > CREDITS_MAX)
        l->credits = CREDITS_MAX;
    if (l->credits < -CREDITS_MAX)
        l->credits = -CREDITS_MAX;
}

/* Interrupts and link service: the second subchannel. */
static void other_message(struct dn_link *l, unsigned type, const uint8_t *p, const uint8_t *end)
{
    if (left(p, end) < (type == MSG_LINK ? 4 : 2)
        || (type == MSG_LINK && (p[2] & ~(LS_FLOW | LS_REQUEST)))) {
        l->net->counts.malformed++;
        return;
    }
    unsigned ahead = (le16(p) - l->rx_other) & SEQ_MASK;
    if (ahead == 1) {
        l->rx_other = (uint16_t)(le16(p) & SEQ_MASK);
        if (type == MSG_LINK)
            flow(l, p[2], (int8_t)p[3]);
    } else if (ahead == 0 || ahead > SEQ_MASK / 2) {
        l->net->counts.duplicates++;
    } else {
        l->net->counts.out_of_order++;
    }
    ack_now(l, true);
    data_pump(l);
}

static void running_message(struct dn_link *l, const uint8_t *p, const uint8_t *end)
{
    unsigned type = *p;
    bool other = type == MSG_LINK || type == MSG_INTERRUPT || type == MSG_ACK_OTHER;

    l->heard = l->net->now;
    l->tx_tries = 0;         /* a sign of the other side */
    l->other_tries = 0;
    if (l->state == DN_CC)
        link_running(l);
    if (l->state != DN_RUN)
        return;
    const uint8_t *after = take_acks(l, p + 5, end, other);
    if (l->state != DN_RUN)
        return;
    if (type == MSG_ACK || type == MSG_ACK_OTHER) {
        if (after == p + 5)
            l->net->counts.malformed++;
    } else if (other) {
        other_message(l, type, after, end);
    } else {
        data_segment(l, type & (MSG_BOM | MSG_EOM), after, end);
    }
}

static void returned_message(struct decnet *d, unsigned node, const uint8_t *p, const uint8_t *end)
{
    struct dn_link *l = (*p == MSG_CI || *p == MSG_CI_AGAIN) && left(p, end) >= 5
                            ? link_find(d, node, le16(p + 3), 0) : 0;

    if (l && l->state == DN_CI)
        link_lost(l, DN_UNREACHABLE);
    else
        d->counts.unknown++;
}

void nsp_message(struct decnet *d, unsigned node, const uint8_t *p, const uint8_t *end,
                 bool returned)
{
    if (p >= end) {
        d->counts.malformed++;
        return;
    }
    if (returned) {
        returned_message(d, node, p, end);
        return;
    }
    bool data = (*p & ~(MSG_BOM | MSG_EOM)) == MSG_DATA;
    if (!data && *p != MSG_LINK && *p != MSG_INTERRUPT && *p != MSG_ACK && *p != MSG_ACK_OTHER) {
        control_message(d, node, p, end);
        return;
    }
    if (left(p, end) < 7) {
        d->counts.malformed++;
        return;
    }
    struct dn_link *l = link_find(d, node, le16(p + 1), le16(p + 3));
    if (!l) {
        d->counts.unknown++;
        send_dc(d, node, le16(p + 3), le16(p + 1), DN_NO_LINK);
        return;
    }
    d->ops->work_for(d, l);
    if (l->state == DN_CC || l->state == DN_RUN)
        running_message(l, p, end);
}

void nsp_tick(struct dn_link *l)
{
    control_tick(l);
    if (l->state == DN_RUN)
        data_tick(l);
}
