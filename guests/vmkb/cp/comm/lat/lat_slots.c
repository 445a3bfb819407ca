/* SPDX-License-Identifier: MIT */
/* Slots: sessions begin, carry text and credits, and end. One credit is the right to send one slot
 * with data; an empty Data_a carries credits and uses none. */
#include "lat_wire.h"

#define SLOT_HEADER 4
#define CLASS_TERMINAL 1
#define GRANT_MAX 15            /* what fits the nibble */

/* The slot at `at`, and where the next one is; 0 when it does not fit. */
const uint8_t *slot_next(const uint8_t *at, const uint8_t *end, struct slot *s)
{
    if (end - at < SLOT_HEADER)
        return 0;
    s->dst = at[0];
    s->src = at[1];
    s->len = at[2];
    s->type = at[3] >> 4;
    s->low = at[3] & 15;
    s->data = at + SLOT_HEADER;
    at += SLOT_HEADER + s->len;
    if (at > end)
        return 0;
    return s->len & 1 && at < end ? at + 1 : at;
}

static void session_queue(struct lat_session *s)
{
    struct lat_circuit *c = s->circuit;

    if (s->queued)
        return;
    s->queued = 1;
    s->next = 0;
    if (c->first)
        c->last->next = s;
    else
        c->first = s;
    c->last = s;
}

static void unqueue(struct lat_session *s)
{
    struct lat_circuit *c = s->circuit;
    struct lat_session *before = 0;

    if (!s->queued)
        return;
    for (struct lat_session *q = c->first; q != s; q = q->next)
        before = q;
    if (before)
        before->next = s->next;
    else
        c->first = s->next;
    if (c->last == s)
        c->last = before;
    s->queued = 0;
}

void session_release(struct lat *l, struct lat_session *s)
{
    struct lat_circuit *c = s->circuit;
    void *term = s->term;

    unqueue(s);
    if (c->payer == s)
        c->payer = 0;
    c->sessions--;
    l->drains -= s->closing;
    s->closing = 0;
    s->circuit = 0;
    s->term = 0;
    if (term)
        l->ops->close(term);
}

static void control(struct lat_circuit *c, uint8_t dst, unsigned type, unsigned reason)
{
    if (c->control_count < LAT_CONTROLS)
        c->control[c->control_count++] =
            (struct lat_control){dst, 0, (uint8_t)(type << 4 | reason)};
}

/* We end it: the server is told, the terminal is free at once. */
void session_stop(struct lat *l, struct lat_session *s, unsigned reason)
{
    control(s->circuit, s->remote, SLOT_STOP, reason);
    session_release(l, s);
}

static bool wants_to_send(struct lat *l, const struct lat_session *s)
{
    size_t waiting = l->ops->waiting(s->term);

    if (s->starting || (s->closing && !waiting))
        return true;
    return (waiting && s->credits) || (!s->held && !s->closing && s->granted <= LAT_CREDITS / 4);
}

static void feed(struct lat *l, struct lat_session *s)
{
    if (!s->held || s->feeding)
        return;
    s->feeding = 1;          /* it may call lat_ready */
    size_t n = l->ops->input(s->term, s->input, s->held);
    s->feeding = 0;
    if (s->closing || n > s->held)
        n = s->held;         /* the user logged off with that line */
    s->held = (uint16_t)(s->held - n);
    if (n && s->held)
        memmove(s->input, s->input + n, s->held);
}

static struct lat_session *find(struct lat *l, const struct lat_circuit *c, const struct slot *slot)
{
    if (!slot->dst || slot->dst > LAT_SESSIONS)
        return 0;
    struct lat_session *s = &l->session[slot->dst - 1];
    return s->circuit == c && (s->remote == slot->src || !slot->src) ? s : 0;
}

static bool service_is_ours(const struct lat *l, const uint8_t *name, unsigned len)
{
    unsigned i = 0;

    for (; i < len && l->node[i]; i++) {
        uint8_t c = name[i] >= 0x61 && name[i] <= 0x7a ? name[i] - 0x20 : name[i];
        if ((uint8_t)l->node[i] != c)
            return false;
    }
    return i == len && !l->node[i];
}

/* Why a Start slot is refused; 0: it is not. */
static unsigned refusal(struct lat *l, const struct lat_circuit *c, const struct slot *slot)
{
    const uint8_t *name;
    unsigned len;

    if (!slot->src || slot->dst || slot->len < 4
        || !counted(slot->data + 3, slot->data + slot->len, &name, &len) || !slot->data[2])
        return SLOT_INVALID;
    for (unsigned i = 0; i < LAT_SESSIONS; i++)
        if (l->session[i].circuit == c && l->session[i].remote == slot->src)
            return SLOT_INVALID;
    if (l->closed)
        return SLOT_SHUTDOWN;
    if (slot->data[0] != CLASS_TERMINAL)
        return SLOT_CLASS;
    return service_is_ours(l, name, len) ? 0 : SLOT_NO_SERVICE;
}

static void start(struct lat *l, struct lat_circuit *c, const struct slot *slot)
{
    unsigned i = 0, why = refusal(l, c, slot);

    while (i < LAT_SESSIONS && l->session[i].circuit)
        i++;
    if (!why && i == LAT_SESSIONS)
        why = SLOT_RESOURCES;
    if (!why) {
        struct lat_session *s = &l->session[i];
        s->term = 0;
        s->circuit = c;
        s->stop_at = 0;
        s->held = s->queued = s->closing = s->feeding = 0;
        s->remote = slot->src;
        s->credits = slot->low;
        s->granted = LAT_CREDITS;
        s->slot_max = slot->data[2];
        s->starting = 1;
        c->sessions++;
        s->term = l->ops->open(s);
        if (s->term) {
            c->payer = s;
            session_queue(s);
            return;
        }
        session_release(l, s);
        why = SLOT_RESOURCES;
    }
    l->counts.refused++;
    control(c, slot->src, SLOT_REJECT, why);
}

static void data_a(struct lat *l, struct lat_session *s, const struct slot *slot)
{
    if (slot->len) {
        if (!s->granted || s->held + slot->len > LAT_HELD) {
            l->counts.violations++;
            session_stop(l, s, SLOT_INVALID);
            return;
        }
        s->granted--;
        l->counts.bytes_in += slot->len;
        if (!s->closing) {
            memcpy(s->input + s->held, slot->data, slot->len);
            s->held = (uint16_t)(s->held + slot->len);
            feed(l, s);
        }
    }
    if (s->circuit && wants_to_send(l, s))
        session_queue(s);
}

static void data_b(struct lat *l, struct lat_session *s, const struct slot *slot)
{
    if (!s->granted) {
        l->counts.violations++;
        session_stop(l, s, SLOT_INVALID);
        return;
    }
    s->granted--;
    if (slot->len && slot->data[0] & DATA_B_BREAK && !s->closing) {
        s->held = 0;         /* what was typed before is not wanted any more */
        l->ops->attention(s->term);
    }
    if (s->circuit && wants_to_send(l, s))
        session_queue(s);
}

static void take(struct lat *l, struct lat_circuit *c, const struct slot *slot)
{
    if (slot->type == SLOT_START) {
        l->ops->work_for(0);
        start(l, c, slot);
        return;
    }
    struct lat_session *s = find(l, c, slot);
    if (!s) {
        l->counts.unknown++;
        if (slot->type == SLOT_DATA_A || slot->type == SLOT_DATA_B)
            control(c, slot->src, SLOT_STOP, SLOT_INVALID);
        return;
    }
    c->payer = s;
    l->ops->work_for(s->term);
    if (slot->type == SLOT_DATA_A || slot->type == SLOT_DATA_B) {
        unsigned credits = s->credits + slot->low;
        s->credits = (uint8_t)(credits < 255 ? credits : 255);
    }
    switch (slot->type) {
    case SLOT_DATA_A:
        data_a(l, s, slot);
        break;
    case SLOT_DATA_B:
        data_b(l, s, slot);
        break;
    case SLOT_REJECT:
    case SLOT_STOP:
        session_release(l, s);
        break;
    default:
        break;               /* attention has no meaning from a terminal to a host */
    }
}

void slots_take(struct lat *l, struct lat_circuit *c, const uint8_t *at, const uint8_t *end,
                unsigned count)
{
    struct slot s;

    for (; count; count--) {
        if (!(at = slot_next(at, end, &s)))
            return;
        take(l, c, &s);
    }
}

static uint8_t *put_slot(uint8_t *p, unsigned dst, unsigned src, size_t len, unsigned type,
                         unsigned low)
{
    p[0] = (uint8_t)dst;
    p[1] = (uint8_t)src;
    p[2] = (uint8_t)len;
    p[3] = (uint8_t)(type << 4 | low);
    p += SLOT_HEADER + len;
    if (len & 1)
        *p++ = 0;
    return p;
}

/* The answer to a Start slot: class, smallest attention and data slots, no names, no parameters. */
static uint8_t *put_start(struct lat *l, struct lat_session *s, uint8_t *p)
{
    static const uint8_t body[] = {CLASS_TERMINAL, 1, 255, 0, 0, 0};

    memcpy(p + SLOT_HEADER, body, sizeof(body));
    s->starting = 0;
    return put_slot(p, s->remote, lat_id(l, s), sizeof(body), SLOT_START, LAT_CREDITS);
}

static uint8_t *put_data(struct lat *l, struct lat_session *s, uint8_t *p, size_t room)
{
    size_t max = room - SLOT_HEADER - 1, n = 0;
    unsigned grant = s->held || s->closing ? 0 : (unsigned)LAT_CREDITS - s->granted;

    if (max > s->slot_max)
        max = s->slot_max;
    if (s->credits)
        n = l->ops->output(s->term, p + SLOT_HEADER, max);
    if (!n && s->granted > LAT_CREDITS / 4)
        grant = 0;           /* enough are left: they go with text */
    if (!n && !grant)
        return p;
    s->credits = (uint8_t)(s->credits - (n != 0));
    if (grant > GRANT_MAX)
        grant = GRANT_MAX;
    s->granted = (uint8_t)(s->granted + grant);
    l->counts.bytes_out += n;
    return put_slot(p, s->remote, lat_id(l, s), n, SLOT_DATA_A, grant);
}

/* Everything there is to say on a circuit, in turn, as far as there is room; returns its bytes. */
size_t slots_build(struct lat *l, struct lat_circuit *c, uint8_t *at, size_t room, unsigned *count)
{
    uint8_t *p = at, *end = at + room;
    unsigned n = 0;

    /* the longest Start or Stop slot, or one with a little text */
    for (; c->first && n < 255 && end - p >= 32; n++) {
        struct lat_session *s = c->first;
        c->payer = s;
        l->ops->work_for(s->term);
        unqueue(s);
        if (s->starting) {
            p = put_start(l, s, p);
        } else if (s->closing && !l->ops->waiting(s->term)) {
            p = put_slot(p, s->remote, 0, 0, SLOT_STOP, SLOT_USER);
            session_release(l, s);
            continue;
        } else {
            uint8_t *before = p;
            p = put_data(l, s, p, (size_t)(end - p));
            if (p == before)
                n--;
        }
        if (wants_to_send(l, s))
            session_queue(s);
    }
    unsigned sent = 0;
    for (; sent < c->control_count && n < 255 && end - p >= SLOT_HEADER; n++) {
        const struct lat_control *k = &c->control[sent++];
        p = put_slot(p, k->dst, k->src, 0, k->type >> 4, k->type & 15);
    }
    c->control_count = (uint8_t)(c->control_count - sent);
    memmove(c->control, c->control + sent, c->control_count * sizeof(c->control[0]));
    *count = n;
    return (size_t)(p - at);
}

void lat_ready(struct lat *l, struct lat_session *s, uint64_t now_us)
{
    if (!s->term)
        return;              /* it is being opened: its Start comes first */
    l->now = now_us;
    if (!s->closing)
        feed(l, s);
    if (wants_to_send(l, s)) {
        session_queue(s);
        circuit_kick(l, s->circuit);
    }
}

void lat_closing(struct lat *l, struct lat_session *s, uint64_t now_us)
{
    if (!s->term || s->closing)
        return;
    l->now = now_us;
    s->closing = 1;
    l->drains++;
    if (!s->feeding)
        s->held = 0;
    s->stop_at = now_us + LAT_DRAIN_US;
    if (wants_to_send(l, s)) {
        session_queue(s);
        circuit_kick(l, s->circuit);
    }
}
