/* SPDX-License-Identifier: MIT */
/* gms_net: the calls of this system. Those beyond the window wait in the order in which they were
 * started, so that of many callers none is passed by another. */
#include "gms_parts.h"

/* Which IPL of that station was heard of last: 0 if none was. The one asked for last is looked at
 * first. */
static uint32_t heard(struct gms *g, const uint8_t mac[6])
{
    unsigned i = g->heard_last;

    if (gms_same(g->heard[i].mac, mac))
        return g->heard[i].epoch;
    for (i = 0; i < GMS_STATIONS; i++)
        if (gms_same(g->heard[i].mac, mac)) {
            g->heard_last = i;
            return g->heard[i].epoch;
        }
    return 0;
}

static void hear(struct gms *g, const uint8_t mac[6], uint32_t epoch)
{
    unsigned i;

    for (i = 0; i < GMS_STATIONS && !gms_same(g->heard[i].mac, mac); i++)
        ;
    if (i == GMS_STATIONS)
        i = g->hear_next++ % GMS_STATIONS;
    memcpy(g->heard[i].mac, mac, 6);
    g->heard[i].epoch = epoch;
}

struct gms_call *gms_call_get(struct gms *g, void *owner, const uint8_t mac[6])
{
    struct gms_call *c = g->free;

    if (!c)
        return 0;
    g->free = c->next;
    c->state = CALL_MINE;
    c->owner = owner;
    c->depth = 0;
    c->of = 0;
    c->request.pages = 0;
    c->request.token = gms16(GMS_NOWHERE);
    memcpy(c->request.to, mac, 6);
    c->request.known = heard(g, mac);
    return c;
}

void gms_then(struct gms_call *c, gms_continuation *run, void *arg)
{
    c->then[c->depth].run = run;
    c->then[c->depth++].arg = arg;
}

static void send(struct gms *g, const struct gms_call *c)
{
    g->ops->send(&c->request, c->of, c->of ? c->of->at : 0, c->request.pages);
}

static void transmit(struct gms *g, struct gms_call *c)
{
    c->state = CALL_SENT;
    c->ticks = GMS_TICKS + 1;   /* the first is part of one */
    c->tries = 1;
    g->in_flight++;
    send(g, c);
}

void gms_call_start(struct gms *g, struct gms_call *c)
{
    g->counts.calls++;
    c->request.serial = gms32(++g->serial);
    if (g->in_flight < GMS_WINDOW) {
        transmit(g, c);
        return;
    }
    c->state = CALL_QUEUED;
    c->next = 0;
    if (g->queue)
        g->queue_end->next = c;
    else
        g->queue = c;
    g->queue_end = c;
}

void gms_call_give(struct gms *g, struct gms_call *c)
{
    if (c->of)
        counted_let(c->of);
    c->of = 0;
    c->state = CALL_FREE;
    c->next = g->free;
    g->free = c;
}

static void defer(struct gms *g, struct gms_call *c)
{
    c->state = CALL_DEFERRED;
    c->next = 0;
    if (g->late)
        g->late_end->next = c;
    else
        g->late = c;
    g->late_end = c;
    g->counts.deferred++;
    g->ops->later();
}

static void run(struct gms *g, struct gms_call *c, bool late)
{
    while (c->state == CALL_DONE && c->depth) {
        c->depth--;
        if (!c->then[c->depth].run(c, c->then[c->depth].arg, late)) {
            c->depth++;
            defer(g, c);
        }
    }
    if (c->state == CALL_DONE)
        gms_call_give(g, c);
}

static void disarm(struct gms *g, const struct gms_call *c)
{
    unsigned token = gms16(c->request.token);

    if (token < GMS_TOKENS)
        g->token[token].armed = 0;
}

/* One less on its way: the next that waits goes before what the continuations may start. */
static void ended(struct gms *g, struct gms_call *c)
{
    struct gms_call *next = g->queue;
    disarm(g, c);
    c->state = CALL_DONE;
    g->in_flight--;
    if (next) {
        g->queue = next->next;
        transmit(g, next);
    }
}

static void payload(struct gms *g, struct gms_call *c, const struct gms_frame *f)
{
    unsigned token = gms16(f->token);

    if (token == GMS_NOWHERE ? c->request.token != f->token
                             : token >= GMS_TOKENS || !g->token[token].armed
                                   || gms32(f->key) != g->token[token].key) {
        g->counts.wrong_token++;
        c->status = GMS_WRONGTOKEN;
        return;
    }
    c->landed = (uint16_t)g->ops->land(c, token, f->place, f->pages);
    if (c->landed == GMS_NOWHERE) {
        g->counts.no_frame++;
        c->status = GMS_NOFRAME;
    }
}

void gms_replied(struct gms *g, const struct gms_frame *f)
{
    struct gms_call *c = gms_kept(&g->call[gms16(f->call)]);

    if (c->state != CALL_SENT || c->request.serial != f->serial) {
        g->counts.stale++;
        return;
    }
    g->ops->work_for(c->owner);
    g->counts.done++;
    c->status = f->status <= GMS_LOOP ? f->status : GMS_LOOP;
    c->landed = GMS_NOWHERE;
    c->reply = f->message;
    if (f->pages)
        payload(g, c, f);
    if (c->request.known != f->epoch && gms_same(f->from, c->request.to)) {
        hear(g, f->from, f->epoch);
        c->request.known = f->epoch;
    }
    ended(g, c);
    run(g, c, false);
}

void gms_late(struct gms *g)
{
    struct gms_call *c = g->late, *next;

    g->late = 0;
    for (; c; c = next) {
        next = c->next;
        g->ops->work_for(c->owner);
        c->state = CALL_DONE;
        run(g, c, true);
    }
}

void gms_calls_tick(struct gms *g)
{
    unsigned left = g->in_flight; /* those that are started meanwhile may be looked at too */

    for (unsigned i = 0; i < GMS_CALLS && left; i++) {
        struct gms_call *c = &g->call[i];
        if (c->state != CALL_SENT)
            continue;
        left--;
        if (--c->ticks)
            continue;
        g->ops->work_for(c->owner);
        if (c->tries == GMS_TRIES) {
            g->counts.failed++;
            c->status = GMS_TIMEOUT;
            c->landed = GMS_NOWHERE;
            ended(g, c);
            run(g, c, false);
            continue;
        }
        c->ticks = (uint8_t)(GMS_TICKS << (c->tries / 2));
        c->tries++;
        g->counts.again++;
        send(g, c);
    }
}

static void drop_from(struct gms_call **first, struct gms_call **end, const void *owner)
{
    struct gms_call *last = 0;

    for (struct gms_call **p = first; *p;)
        if ((*p)->owner == owner) {
            *p = (*p)->next;
        } else {
            last = *p;
            p = &(*p)->next;
        }
    *end = last;
}

void gms_calls_forget(struct gms *g, const void *owner)
{
    drop_from(&g->queue, &g->queue_end, owner);
    drop_from(&g->late, &g->late_end, owner);
    for (unsigned i = 0; i < GMS_CALLS; i++) {
        struct gms_call *c = &g->call[i];
        if (c->state == CALL_FREE || c->owner != owner)
            continue;
        disarm(g, c);
        if (c->state == CALL_SENT)
            ended(g, c);
        gms_call_give(g, c);
    }
}
