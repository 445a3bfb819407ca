/* SPDX-License-Identifier: MIT */
/* Logical links begin and end: connect initiate with session control's data, confirm,
 * disconnect. */
#include "dn_wire.h"

#define MENU_ACCESS 0x01
#define MENU_DATA   0x02
#define USER_MAX    16       /* bytes of names and of data that come with a disconnection */
#define ACCESS_MAX  39
#define NO_OBJECT   0x100 /* connect data that names an object by something else than its number */

const char *dn_state_name(unsigned state)
{
    static const char *const names[] = {"FREE",       "CONNECTING", "CONNECTING",
                                        "CONFIRMING", "RUN",        "DISCONNECTING"};

    return state < sizeof(names) / sizeof(*names) ? names[state] : "?";
}

const char *dn_reason_text(unsigned reason)
{
    switch (reason) {
    case DN_REJECTED:    return "THE NODE REFUSED THE CONNECTION";
    case DN_RESOURCES:   return "THE NODE HAS NO RESOURCES FOR IT";
    case DN_SHUTDOWN:    return "THE NODE IS SHUTTING DOWN";
    case DN_NO_OBJECT:   return "THE NODE HAS NO TERMINAL SERVICE";
    case DN_BAD_FORMAT:  return "THE NODE CALLS THE CONNECT DATA INVALID";
    case DN_BUSY:        return "THE NODE HAS NO FREE TERMINAL";
    case DN_ABORTED:     return "THE OTHER SIDE ABORTED IT";
    case DN_NO_ANSWER:   return "THE NODE DOES NOT ANSWER";
    case DN_UNREACHABLE: return "THE NODE IS NO LONGER REACHABLE";
    case DN_NO_LINK:     return "THE NODE NO LONGER KNOWS IT";
    case DN_COMPLETE:    return "DISCONNECTED";
    case DN_TOO_LONG:    return "A MESSAGE WAS TOO LONG";
    default:             return "THE NODE DISCONNECTED";
    }
}

struct dn_link *link_find(struct decnet *d, unsigned node, unsigned local, unsigned remote)
{
    unsigned i = (local & 0x7f) - 1u;

    if (i >= DN_LINKS)
        return 0;
    struct dn_link *l = &d->link[i];
    return l->state != DN_FREE && l->local == local && l->node == node && l->remote == remote ? l
                                                                                              : 0;
}

static struct dn_link *link_new(struct decnet *d, unsigned node)
{
    for (unsigned i = 0; i < DN_LINKS; i++) {
        struct dn_link *l = &d->link[i];
        if (l->state != DN_FREE)
            continue;
        uint16_t generation =
            (uint16_t)((l->generation ? l->generation : d->now / 1000000) % 511 + 1);
        memset(l, 0, offsetof(struct dn_link, tx));
        l->net = d;
        l->generation = generation;
        l->local = (uint16_t)(generation << 7 | (i + 1));
        l->node = (uint16_t)node;
        l->delay = DN_DELAY_FIRST_US;
        l->timed = 0x8000;
        l->heard = d->now;
        return l;
    }
    return 0;
}

static void link_free(struct dn_link *l)
{
    l->state = DN_FREE;
    l->user = 0;
}

void link_lost(struct dn_link *l, unsigned reason)
{
    const struct dn_user *user = l->user;

    link_free(l);
    if (user)
        user->down(l, reason);
}

static void control_again_at(struct dn_link *l)
{
    l->control_at = l->net->now + 2 * l->delay;
    due_at(l->net, l->control_at);
}

static void control_send_ci(struct dn_link *l, bool again)
{
    uint8_t frame[DN_FRAME];
    uint8_t *p = dn_body(frame);

    *p++ = again ? MSG_CI_AGAIN : MSG_CI;
    p = put16(p, 0);
    p = put16(p, l->local);
    *p++ = SERVICES;
    *p++ = INFO_NSP40;
    p = put16(p, DN_SEGMENT);
    *p++ = 0;
    *p++ = DN_OBJECT_CTERM;
    *p++ = 1;                /* source end user: a name */
    *p++ = 0;
    *p++ = l->ci_len;
    memcpy(p, l->ci_user, l->ci_len);
    p += l->ci_len;
    *p++ = 0;                /* no access control, no data */
    control_again_at(l);
    route_send(l->net, l->node, frame, p, true);
}

static void send_ca(struct dn_link *l)
{
    uint8_t frame[DN_FRAME];
    uint8_t *p = dn_body(frame);

    *p++ = MSG_CA;
    p = put16(p, l->remote);
    route_send(l->net, l->node, frame, p, false);
}

static void send_cc(struct dn_link *l)
{
    uint8_t frame[DN_FRAME];
    uint8_t *p = put_addresses(l, dn_body(frame), MSG_CC);

    *p++ = SERVICES;
    *p++ = INFO_NSP40;
    p = put16(p, DN_SEGMENT);
    *p++ = 0;
    control_again_at(l);
    route_send(l->net, l->node, frame, p, false);
}

void send_dc(struct decnet *d, unsigned node, unsigned dst, unsigned src, unsigned reason)
{
    uint8_t frame[DN_FRAME];
    uint8_t *p = dn_body(frame);

    *p++ = MSG_DC;
    p = put16(p, dst);
    p = put16(p, src);
    p = put16(p, reason);
    route_send(d, node, frame, p, false);
}

/* The link waits for the confirmation; its user has been told, or has asked for it. */
void send_di(struct dn_link *l, unsigned reason)
{
    uint8_t frame[DN_FRAME];
    uint8_t *p = put_addresses(l, dn_body(frame), MSG_DI);

    if (l->state != DN_DI) {
        l->state = DN_DI;
        l->control_tries = 0;
        l->close_reason = (uint8_t)reason;
    }
    p = put16(p, l->close_reason);
    *p++ = 0;
    control_again_at(l);
    route_send(l->net, l->node, frame, p, false);
}

struct dn_link *dn_connect(struct decnet *d, uint16_t node, const uint8_t *who, size_t who_len,
                           const struct dn_user *user, void *arg, uint64_t now_us)
{
    d->now = now_us;
    struct dn_link *l = link_new(d, node);
    if (!l)
        return 0;
    l->user = user;
    l->arg = arg;
    l->state = DN_CI;
    l->ci_len = (uint8_t)(who_len < USER_MAX ? who_len : USER_MAX);
    memcpy(l->ci_user, who, l->ci_len);
    l->connect_by = now_us + DN_CONNECT_US;
    due_at(d, l->connect_by);
    control_send_ci(l, false);
    return l;
}

void link_running(struct dn_link *l)
{
    l->state = DN_RUN;
    l->control_at = 0;
    data_start(l);
    l->user->up(l);
}

/* A counted field of at most max bytes: what follows it, or 0. */
static const uint8_t *counted(const uint8_t *p, const uint8_t *end, size_t max)
{
    return p && p < end && *p <= max && left(p + 1, end) >= *p ? p + 1 + *p : 0;
}

/* An end user: what follows it, or 0; *object is its number if it has one. */
static const uint8_t *end_user(const uint8_t *p, const uint8_t *end, unsigned *object)
{
    if (!p || left(p, end) < 2 || p[0] > 2)
        return 0;
    *object = p[0] == 0 ? p[1] : NO_OBJECT;
    if (p[0] == 0)
        return p[1] ? p + 2 : 0;
    if (p[1])
        return 0;
    return p[0] == 1           ? counted(p + 2, end, USER_MAX)
           : left(p, end) >= 6 ? counted(p + 6, end, USER_MAX)
                               : 0;
}

/* Session control's part of a connect initiate: the object that is wanted, or -1. */
static int connect_object(const uint8_t *p, const uint8_t *end)
{
    unsigned object = 0, from;

    p = end_user(p, end, &object);
    p = end_user(p, end, &from);
    if (!p || p >= end)
        return -1;
    unsigned menu = *p++;
    for (int i = 0; i < 3 && (menu & MENU_ACCESS); i++)
        p = counted(p, end, ACCESS_MAX);
    if (p && (menu & MENU_DATA))
        p = counted(p, end, USER_MAX);
    return p ? (int)object : -1;
}

static bool segment_size(struct dn_link *l, unsigned services, unsigned size)
{
    unsigned flow = services >> 2 & 3;

    if ((services & 3) != 1 || flow == 3 || size < DN_SEGMENT_MIN)
        return false;
    l->flow = (uint8_t)flow;
    l->segment = (uint16_t)(size < DN_SEGMENT ? size : DN_SEGMENT);
    return true;
}

static void connect_accept(struct dn_link *l, int object)
{
    struct decnet *d = l->net;
    int refused = object < 0 ? DN_BAD_FORMAT : d->ops->accept(d, l, (unsigned)object);

    if (refused >= 0) {
        d->counts.refused++;
        l->user = 0;
        send_di(l, (unsigned)refused);
        return;
    }
    l->state = DN_CC;
    l->connect_by = d->now + DN_CONNECT_US;
    due_at(d, l->connect_by);
    send_cc(l);
}

static struct dn_link *link_of_remote(struct decnet *d, unsigned node, unsigned remote)
{
    for (unsigned i = 0; i < DN_LINKS; i++) {
        struct dn_link *l = &d->link[i];
        if (l->state != DN_FREE && l->node == node && l->remote == remote)
            return l;
    }
    return 0;
}

static void connect_initiate(struct decnet *d, unsigned node, const uint8_t *p, const uint8_t *end)
{
    if (left(p, end) < 9 || le16(p + 1) || !le16(p + 3)) {
        d->counts.malformed++;
        return;
    }
    unsigned remote = le16(p + 3);
    struct dn_link *l = link_of_remote(d, node, remote);
    if (l && l->state == DN_RUN && d->now > l->connect_by) {
        link_lost(l, DN_NO_LINK); /* no copy comes so late: the node began anew */
        l = 0;
    }
    if (l) {                 /* it comes again: the answer was lost, or is on its way */
        d->counts.duplicates++;
        send_ca(l);
        if (l->state == DN_CC)
            send_cc(l);
        return;
    }
    l = link_new(d, node);
    if (!l) {
        d->counts.refused++;
        send_dc(d, node, remote, 0, DN_RESOURCES);
        return;
    }
    l->remote = (uint16_t)remote;
    if (!segment_size(l, p[5], le16(p + 7))) {
        d->counts.violations++;
        send_dc(d, node, remote, 0, DN_RESOURCES);
        return;
    }
    send_ca(l);
    connect_accept(l, connect_object(p + 9, end));
}

static struct dn_link *connecting(struct decnet *d, unsigned node, unsigned local)
{
    struct dn_link *l = link_find(d, node, local, 0);

    return l && (l->state == DN_CI || l->state == DN_CD) ? l : 0;
}

static void connect_confirm(struct decnet *d, unsigned node, const uint8_t *p, const uint8_t *end)
{
    if (left(p, end) < 9 || !le16(p + 3)) {
        d->counts.malformed++;
        return;
    }
    struct dn_link *l = link_find(d, node, le16(p + 1), le16(p + 3));
    if (l) {
        d->counts.duplicates++;
        if (l->state == DN_RUN)
            ack_now(l, false);
        return;
    }
    l = connecting(d, node, le16(p + 1));
    if (!l) {
        d->counts.unknown++;
        send_dc(d, node, le16(p + 3), le16(p + 1), DN_NO_LINK);
        return;
    }
    d->ops->work_for(d, l);
    l->remote = le16(p + 3) & 0xffff;
    if (!segment_size(l, p[5], le16(p + 7))) {
        d->counts.violations++;
        send_dc(d, node, l->remote, l->local, DN_NO_LINK);
        link_lost(l, DN_BAD_FORMAT);
        return;
    }
    l->heard = d->now;
    ack_now(l, false);
    link_running(l);
}

static void disconnect(struct decnet *d, unsigned node, const uint8_t *p, const uint8_t *end,
                       bool confirm)
{
    if (left(p, end) < 7) {
        d->counts.malformed++;
        return;
    }
    unsigned dst = le16(p + 1), src = le16(p + 3), reason = le16(p + 5);
    struct dn_link *l = link_find(d, node, dst, src);
    if (!l)                  /* it may refuse what has no address there yet */
        l = connecting(d, node, dst);
    if (!confirm)
        send_dc(d, node, src, dst, l ? DN_COMPLETE : DN_NO_LINK);
    if (!l) {
        d->counts.unknown++;
        return;
    }
    d->ops->work_for(d, l);
    if (l->state == DN_DI)
        link_lost(l, l->close_reason);
    else
        link_lost(l, reason);
}

static void connect_ack(struct decnet *d, unsigned node, const uint8_t *p, const uint8_t *end)
{
    struct dn_link *l = left(p, end) >= 3 ? connecting(d, node, le16(p + 1)) : 0;

    if (l && l->state == DN_CI) {
        l->state = DN_CD;
        l->control_at = 0;
    } else if (left(p, end) < 3) {
        d->counts.malformed++;
    }
}

void control_message(struct decnet *d, unsigned node, const uint8_t *p, const uint8_t *end)
{
    switch (*p) {
    case MSG_CI:
    case MSG_CI_AGAIN:
        connect_initiate(d, node, p, end);
        break;
    case MSG_CC:
        connect_confirm(d, node, p, end);
        break;
    case MSG_CA:
        connect_ack(d, node, p, end);
        break;
    case MSG_DI:
    case MSG_DC:
        disconnect(d, node, p, end, *p == MSG_DC);
        break;
    case MSG_NOP:
        break;
    default:
        d->counts.malformed++;
    }
}

void control_tick(struct dn_link *l)
{
    struct decnet *d = l->net;

    if (l->connect_by && l->state < DN_RUN) {
        if (d->now >= l->connect_by) {
            d->counts.lost++;
            link_lost(l, DN_NO_ANSWER);
            return;
        }
        due_at(d, l->connect_by);
    }
    if (!l->control_at)
        return;
    if (d->now < l->control_at) {
        due_at(d, l->control_at);
        return;
    }
    if (++l->control_tries > DN_TRIES) {
        d->counts.lost++;
        link_lost(l, l->state == DN_DI ? l->close_reason : DN_NO_ANSWER);
        return;
    }
    d->counts.resent++;
    if (l->state == DN_CI)
        control_send_ci(l, true);
    else if (l->state == DN_CC)
        send_cc(l);
    else if (l->state == DN_DI)
        send_di(l, l->close_reason);
}

void dn_abort(struct dn_link *l, unsigned reason, uint64_t now_us)
{
    if (l->state == DN_FREE)
        return;
    l->net->now = now_us;
    l->user = 0;
    if (l->state == DN_CI || l->state == DN_CD)
        link_free(l);        /* should it be confirmed yet, the answer is that there is no link */
    else if (l->state != DN_DI)
        send_di(l, reason);
}
