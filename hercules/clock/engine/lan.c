/* SPDX-License-Identifier: MIT */
/* The LAN: a switch that learns addresses, with any number of ports. A frame crosses the sender's
 * link up to the switch and a receiver's link down from it; both are worked out when the frame
 * comes in, and the copies wait in a heap for the time at which they arrive.
 * hercules/wire/lan.py is the same for a wire on the host's clock. */
#include "engine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESSES_MAX  4096
#define IN_FLIGHT_MAX  (64 * 1024 * 1024)
#define FOLLOWS_WITHIN 0.003           /* seconds from a frame to the one that follows it */

/* What arrives when */

static int before(const void *one, const void *other)
{
    const struct crossing *a = one, *b = other;

    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void push(struct lan *lan, struct crossing c)
{
    c.order = lan->order++;
    heap_push(&lan->crossings, &c);
}

static const struct crossing *first(const struct lan *lan)
{
    return lan->crossings.count ? (const struct crossing *)lan->crossings.at : NULL;
}

double lan_due(const struct lan *lan)
{
    return first(lan) ? first(lan)->at : INFINITY;
}

static int by_time(const void *one, const void *other)
{
    const struct crossing *const *a = one, *const *b = other;

    return before(*a, *b) ? -1 : 1;
}

/* What is on its way to P, in order: how many. There must be no more than COMING in the LAN. */
int lan_coming(const struct port *p, const struct crossing *found[COMING])
{
    const struct crossing *c = (const struct crossing *)p->lan->crossings.at;
    int count = 0;

    for (size_t i = 0; i < p->lan->crossings.count; i++)
        if (c[i].target == p)
            found[count++] = &c[i];
    qsort(found, (size_t)count, sizeof(*found), by_time);
    return count;
}

void lan_init(struct lan *lan)
{
    lan->crossings = (struct heap){.size = sizeof(struct crossing), .before = before};
}

/* Ports */

struct port *lan_attach(struct lan *lan, int python)
{
    struct port *p;

    if (lan->port_count == NODES)
        return NULL;
    p = must(calloc(1, sizeof(*p)));
    p->index = lan->indices++;
    p->python = python;
    p->lan = lan;
    lan->ports[lan->port_count++] = p;
    return p;
}

static void discard(struct port *p)
{
    while (p->queue.count) {
        struct frame *f = words_take(&p->queue).pointer;
        direction_drop_late(&p->down, f, DROP_GONE);
        frame_drop(f);
    }
    words_clear(&p->ends);
    words_clear(&p->last_at);
    p->queued_bytes = 0;
    p->followed = 0;
}

void lan_disconnect(struct port *p)
{
    struct lan *lan = p->lan;
    int kept = 0;

    p->connected = 0;
    adapter_lost(p->adapter);
    discard(p);
    for (int i = 0; i < lan->address_count; i++)
        if (lan->addresses[i].port != p)
            lan->addresses[kept++] = lan->addresses[i];
    lan->address_count = kept;
}

/* Its link is cut, or is whole again. */
void lan_cut(struct port *p, int cut)
{
    p->up.cut = p->down.cut = cut;
    if (cut)
        adapter_lost(p->adapter);
}

/* Its storage stays: frames may be on their way to it. */
void lan_detach(struct port *p)
{
    struct lan *lan = p->lan;
    int at = 0;

    lan_disconnect(p);
    p->gone = 1;
    while (lan->ports[at] != p)
        at++;
    memmove(&lan->ports[at], &lan->ports[at + 1],
            (size_t)(--lan->port_count - at) * sizeof(lan->ports[0]));
}

static struct medium *new_medium(void)
{
    return must(calloc(1, sizeof(struct medium)));
}

static struct medium *shared_medium(struct lan *lan, const char *name)
{
    int i = 0;

    while (i < lan->media_count && strcmp(lan->media[i].name, name) != 0)
        i++;
    if (i == NODES)
        return lan->media[NODES - 1].medium;
    if (i == lan->media_count) {
        strncpy(lan->media[i].name, name, sizeof(lan->media[i].name) - 1);
        lan->media[i].medium = new_medium();
        lan->media_count++;
    }
    return lan->media[i].medium;
}

void lan_set_profile(struct port *p, const struct profile *profile, const char *name)
{
    struct medium *medium = profile->shared ? shared_medium(p->lan, name) : new_medium();
    struct profile down = *profile;

    if (down.shared)                   /* a frame is sent once, by its sender */
        down.rate = down.delay = 0;
    direction_set(&p->up, profile, medium);
    direction_set(&p->down, &down, profile->half_duplex ? medium : new_medium());
}

/* Frames on their way */

static int64_t room_at(const struct port *p)
{
    int64_t free = p->down.profile.queue - p->queued_bytes;
    int64_t flight = IN_FLIGHT_MAX - p->in_flight_bytes;

    return p->in_flight && flight < free ? flight : free;
}

static int bridged(const struct port *from, const struct port *to)
{
    return to->up.profile.shared && to->up.medium != from->up.medium;
}

/* Those who have been woken, each once, in order. */
struct woken {
    struct port *port[NODES];
    int count;
};

static void arrive(struct port *p, struct frame *f, struct woken *woken)
{
    words_add(&p->queue, (union word){.pointer = f});
    p->queued_bytes += f->length;
    if (p->queued_bytes > p->down.queue_high_water)
        p->down.queue_high_water = p->queued_bytes;
    if (!p->woken)
        woken->port[woken->count++] = p;
    p->woken = 1;
}

static void deliver(struct port *to, const struct transit *t, double now, struct woken *woken)
{
    struct transit copies[COPIES];
    int n = direction_offer(&to->down, t, room_at(to), to->connected, copies);

    for (int i = 0; i < n; i++) {
        double done = copies[i].done;

        if (done <= now && !to->in_flight) {
            arrive(to, copies[i].frame, woken);
            continue;
        }
        if (!copies[i].late) {
            /* a profile changed live must not let later frames overtake */
            done = to->last_arrival = fmax(done, to->last_arrival);
            words_add(&to->due, (union word){.time = done});
        }
        to->in_flight++;
        to->in_flight_bytes += copies[i].frame->length;
        push(to->lan, (struct crossing){.at = done, .target = to, .transit = copies[i]});
    }
}

static void turn(struct lan *lan, struct bridge *b, double now, struct woken *woken)
{
    struct transit *next;
    struct port *to;
    struct transit t;

    b->sending = b->waiting.count != 0;
    if (!b->sending)
        return;
    to = words_take(&b->waiting).pointer;
    next = words_take(&b->waiting).pointer;
    t = *next;
    free(next);
    b->bytes -= t.frame->length;
    t.begun = fmax(now, b->medium->busy_until);
    t.done = t.begun + profile_seconds(&to->up.profile, t.frame->length);
    b->medium->busy_until = t.done;
    /* before the frame arrives: whether another follows is known then */
    push(lan, (struct crossing){.at = t.done, .bridge = b});
    deliver(to, &t, now, woken);
    frame_drop(t.frame);
}

static void over_bridge(struct port *to, const struct transit *t, double now, struct woken *woken)
{
    struct medium *m = to->up.medium;
    struct transit copies[COPIES], *kept;

    if (!m->bridge) {
        m->bridge = must(calloc(1, sizeof(*m->bridge)));
        m->bridge->medium = m;
    }
    if (m->bridge->bytes + t->frame->length > to->up.profile.queue) {
        /* counted as one more than the queue holds */
        direction_offer(&to->down, t, 0, 1, copies);
        return;
    }
    kept = must(malloc(sizeof(*kept)));
    *kept = *t;
    frame_share(t->frame);
    words_add(&m->bridge->waiting, (union word){.pointer = to});
    words_add(&m->bridge->waiting, (union word){.pointer = kept});
    m->bridge->bytes += t->frame->length;
    if (!m->bridge->sending)
        turn(to->lan, m->bridge, now, woken);
}

static void expect(struct port *p, double when)
{
    size_t i;

    words_add(&p->expected, (union word){.time = when});
    for (i = p->expected.count - 1; i && words_at(&p->expected, i - 1)->time > when; i--)
        *words_at(&p->expected, i) = *words_at(&p->expected, i - 1);
    words_at(&p->expected, i)->time = when;
}

static void down(struct port *from, struct port *to, const struct transit *t, double now,
                 struct woken *woken)
{
    if (t->done > now && (to->down.profile.half_duplex || bridged(from, to))) {
        /* Whose turn it is then is known when the frame has come, not before. */
        frame_share(t->frame);
        push(to->lan,
             (struct crossing){.at = t->done, .target = to, .sender = from, .transit = *t});
        expect(to, t->done);
        to->expected_bytes += t->frame->length;
        if (to->down.profile.half_duplex && to->down.profile.store_and_forward) {
            int i = 0;
            while (i < from->towards_count && from->towards[i] != to)
                i++;
            if (i == from->towards_count)
                from->towards[from->towards_count++] = to;
        }
        return;
    }
    if (bridged(from, to))
        over_bridge(to, t, now, woken);
    else
        deliver(to, t, now, woken);
}

static struct address *known(struct lan *lan, const uint8_t *mac)
{
    for (int i = 0; i < lan->address_count; i++)
        if (memcmp(lan->addresses[i].mac, mac, 6) == 0)
            return &lan->addresses[i];
    return NULL;
}

static void learn(struct lan *lan, const uint8_t *mac, struct port *p)
{
    struct address *a = known(lan, mac);

    if (a) {
        a->port = p;
    } else if (lan->address_count < ADDRESSES_MAX) {
        if (!lan->addresses)
            lan->addresses = must(calloc(ADDRESSES_MAX, sizeof(*lan->addresses)));
        a = &lan->addresses[lan->address_count++];
        memcpy(a->mac, mac, 6);
        a->port = p;
    }
}

static void through_switch(struct port *from, const struct transit *t, double now,
                           struct woken *woken)
{
    struct lan *lan = from->lan;
    const uint8_t *frame = t->frame->data;
    struct address *a;
    int others = 0;

    if (lan->watch)
        lan->watch(t->done, from->index, frame, t->frame->length);
    a = known(lan, frame + 6);
    if ((!a || a->port != from) && !(frame[6] & 1))
        learn(lan, frame + 6, from);
    a = known(lan, frame);
    if (a) {
        if (a->port == from)
            lan->filtered++;
        else
            down(from, a->port, t, now, woken);
        return;
    }
    for (int i = 0; i < lan->port_count; i++)
        if (lan->ports[i] != from && lan->ports[i]->connected) {
            down(from, lan->ports[i], t, now, woken);
            others++;
        }
    lan->filtered += !others;
}

static void wake(struct lan *lan, struct woken *woken)
{
    for (int i = 0; i < woken->count; i++)
        woken->port[i]->woken = 0;
    for (int i = 0; i < woken->count; i++) {
        if (woken->port[i]->adapter)
            adapter_wake(woken->port[i]->adapter);
        else if (woken->port[i]->python)
            words_add(&lan->woken, (union word){.number = woken->port[i]->index});
    }
}

/* Who gets gms_net's frames of these: how many, each once. */
static int receivers(struct lan *lan, struct frame **frames, int count, struct port *to[NODES])
{
    int n = 0;

    for (int i = 0; i < count; i++) {
        struct address *a = frame_is(frames[i], PAGED) ? known(lan, frames[i]->data) : NULL;
        int k = 0;

        if (!a)
            continue;
        while (k < n && to[k] != a->port)
            k++;
        if (k == n && n < NODES)
            to[n++] = a->port;
    }
    return n;
}

/* The ends of the blocks that are on their way, or in the queue if none is. */
static void end_sent(struct port **ports, int count)
{
    for (int k = 0; k < count; k++) {
        struct port *p = ports[k];

        if (p->due.count)
            words_add(&p->last_at, *words_at(&p->due, p->due.count - 1));
        else
            port_end_block(p);
    }
}

void lan_ingress(struct port *p, struct frame **frames, int count, double now, int together)
{
    struct woken woken = {.count = 0};
    struct port *paged[NODES];
    int pages = together ? receivers(p->lan, frames, count, paged) : 0;

    p->towards_count = 0;
    end_sent(paged, pages);            /* it is not put together with what others sent before */
    for (int i = 0; i < count; i++) {
        struct transit sent = {now, now, frames[i], 0}, copies[COPIES];
        int n = direction_offer(&p->up, &sent, INT64_MAX, 1, copies);
        for (int k = 0; k < n; k++) {
            through_switch(p, &copies[k], now, &woken);
            frame_drop(copies[k].frame);
        }
    }
    end_sent(paged, pages);
    for (int i = 0; together && i < woken.count; i++)
        port_end_block(woken.port[i]);
    wake(p->lan, &woken);
}

static void arrived(struct port *p, double when)
{
    while (p->last_at.count && words_at(&p->last_at, 0)->time <= when) {
        words_take(&p->last_at);
        port_end_block(p);
    }
}

static void land(struct crossing *c, struct woken *woken)
{
    struct port *p = c->target;
    struct frame *f = c->transit.frame;
    double soon;

    p->in_flight--;
    p->in_flight_bytes -= f->length;
    if (p->down.cut || !p->connected) {
        direction_drop_late(&p->down, f, p->down.cut ? DROP_CUT : DROP_GONE);
        frame_drop(f);
    } else {
        arrive(p, f, woken);
    }
    if (!c->transit.late) {
        words_take(&p->due);
        arrived(p, c->at);
    }
    soon = fmin(p->due.count ? words_at(&p->due, 0)->time : INFINITY,
                p->expected.count ? words_at(&p->expected, 0)->time : INFINITY);
    p->followed = soon - c->at <= FOLLOWS_WITHIN;
    if (!p->followed)
        port_end_block(p);
    if (!p->woken)
        woken->port[woken->count++] = p;
    p->woken = 1;
}

void lan_poll(struct lan *lan, double now)
{
    struct woken woken = {.count = 0};

    while (lan_due(lan) <= now) {
        struct crossing c;

        heap_pop(&lan->crossings, &c);
        if (c.bridge) {
            turn(lan, c.bridge, c.at, &woken);
        } else if (c.sender) {
            words_take(&c.target->expected);
            c.target->expected_bytes -= c.transit.frame->length;
            down(c.sender, c.target, &c.transit, c.at, &woken);
            frame_drop(c.transit.frame);
        } else {
            land(&c, &woken);
        }
    }
    wake(lan, &woken);
}
