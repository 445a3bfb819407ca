/* SPDX-License-Identifier: MIT */
/* The clock of a world (docs/reference/clock.md has the rules). Synchronisation is conservative:
 * each emulator runs until it has used its time, and nobody acts before all have; what they said
 * meanwhile is put in order by its time first. So the course of a world follows from its input. */
#define _GNU_SOURCE
#include "engine.h"
#include <stdlib.h>
#include <string.h>

#define SILENT_S     0.5               /* then Python looks what is the matter */
#define LOOK_ROUNDS  4096              /* so often Python may see that it is interrupted */
#define FEW          64                /* events of the same kind, at first */

double world_seconds(const struct world *w)
{
    return (double)w->now / PS;
}

/* A time in seconds as one that is not before it. */
uint64_t picoseconds(double time)
{
    uint64_t whole = (uint64_t)(time * PS);

    return (double)whole / PS >= time ? whole : whole + 1;
}

/* Events */

static int earlier(const void *one, const void *other)
{
    const struct event *a = one, *b = other;

    if (a->time != b->time)
        return a->time < b->time;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->who != b->who)
        return a->who < b->who;
    return a->order < b->order;
}

void world_event(struct world *w, struct event e)
{
    e.order = w->order++;
    if (e.time < w->now)
        e.time = w->now;
    heap_push(&w->events, &e);
}

static const struct event *first(const struct world *w)
{
    return w->events.count ? (const struct event *)w->events.at : NULL;
}

/* What emulators say */

static void keep(struct world *w, struct message m)
{
    if (w->heard_count == w->heard_room) {
        w->heard_room = 2 * w->heard_room + FEW;
        w->heard = must(realloc(w->heard, w->heard_room * sizeof(m)));
    }
    if (w->kept_length + m.length > w->kept_room) {
        w->kept_room = 2 * (w->kept_length + m.length) + 4096;
        w->kept = must(realloc(w->kept, w->kept_room));
    }
    memcpy(w->kept + w->kept_length, m.content, m.length);
    m.content = (const uint8_t *)w->kept_length; /* an offset until all have been heard */
    w->kept_length += m.length;
    w->heard[w->heard_count++] = m;
}

static uint64_t from(const struct node *n, uint64_t time)
{
    return time == NEVER ? NEVER : time + n->began;
}

static uint64_t word(const uint8_t *at)
{
    uint64_t x;

    memcpy(&x, at, 8);
    return x;
}

static void hear(struct world *w, struct node *n)
{
    const uint8_t *p = n->channel->out, *end = p + n->channel->out_length;

    while (p < end) {
        uint32_t length;
        struct message m = {.node = (uint32_t)n->index, .kind = p[0]};

        memcpy(&length, p + 1, 4);
        m.time = word(p + 5) + n->began;
        m.content = p + MESSAGE_HEAD;
        m.length = length - 8;
        p += 5 + length;
        if (m.kind == KIND_ASK) {
            n->now = m.time;
            n->next = from(n, word(m.content));
            n->instructions = word(m.content + 8);
            n->running = 0;
            continue;
        }
        m.device = (uint32_t)(m.content[0] | m.content[1] << 8);
        m.content += 2;
        m.length -= 2;
        keep(w, m);
        if (m.kind == KIND_STOPPED) {
            n->now = m.time;
            n->next = NEVER;
            n->running = 0;
            n->stopped = 1;
        }
    }
    n->channel->in_length = n->channel->out_length = 0;
}

/* All have used their time; 0 if one is silent. */
static int gather(struct world *w)
{
    for (; w->gathered < w->node_count; w->gathered++) {
        struct node *n = w->nodes[w->gathered];

        while (n->running && !n->ended) {
            if (!channel_waits(n->channel, WORLDS_TURN, SILENT_S)) {
                w->silent = (int32_t)w->gathered;
                return 0;
            }
            hear(w, n);
            if (n->running)            /* it had more to say than there was room for */
                channel_give(n->channel, EMULATORS_TURN);
        }
    }
    w->gathered = 0;
    return 1;
}

static void tell_python(struct world *w, const struct message *m)
{
    if (w->told_count == w->told_room) {
        w->told_room = 2 * w->told_room + FEW;
        w->told = must(realloc(w->told, w->told_room * sizeof(*m)));
    }
    w->told[w->told_count++] = *m;
}

static int awaited(const struct node *n, const struct message *m)
{
    return m->kind != KIND_TYPED
           || memmem(m->content, m->length, n->awaited, n->awaited_length) != NULL;
}

static void take(struct world *w, const struct message *m)
{
    struct node *n = w->nodes[m->node];

    trace_message(w, m);
    if (m->kind == KIND_WRITE) {
        struct event e = {.time = m->time + w->lookahead, .rank = RANK_BLOCK, .who = m->node,
                          .adapter = n->adapter, .message = *m, .kind = EVENT_BLOCK};
        uint8_t *own = must(malloc(m->length + 1));
        memcpy(own, m->content, m->length);
        e.message.content = own;
        world_event(w, e);
    } else if (n->adapter && (m->kind == KIND_TAKEN || m->kind == KIND_RESET)) {
        adapter_heard(n->adapter, m);
    } else if ((n->heard_by_python >> (m->kind & 63) & 1) && awaited(n, m)) {
        tell_python(w, m);
    }
}

/* What was heard, in the order of its time; then by node, then as it was said. */
static void tell(struct world *w)
{
    struct message *h = w->heard;

    for (uint32_t i = 0; i < w->heard_count; i++)
        h[i].content = w->kept + (uintptr_t)h[i].content;
    for (uint32_t i = 1; i < w->heard_count; i++) {
        struct message m = h[i];
        uint32_t k = i;
        for (; k && h[k - 1].time > m.time; k--)
            h[k] = h[k - 1];
        h[k] = m;
    }
    for (uint32_t i = 0; i < w->heard_count; i++)
        take(w, &h[i]);
    w->heard_count = 0;
    w->kept_length = 0;
}

/* What happens between them */

static uint64_t floor_of(const struct world *w)
{
    uint64_t least = NEVER;

    for (uint32_t i = 0; i < w->node_count; i++)
        if (!w->nodes[i]->ended && w->nodes[i]->next < least)
            least = w->nodes[i]->next;
    return least;
}

static void act(struct world *w)
{
    struct event e;

    heap_pop(&w->events, &e);
    switch (e.kind) {
    case EVENT_BLOCK:
        if (e.adapter) {
            adapter_written(e.adapter, &e.message);
            free((void *)e.message.content);
        } else {
            tell_python(w, &e.message);
            w->told_own = (void *)e.message.content;
        }
        return;
    case EVENT_END_WRITE:
        adapter_end_write(e.adapter);
        return;
    case EVENT_FRAMES:
        lan_ingress(e.adapter->port, (struct frame **)(e.frames.at + e.frames.first),
                    (int)e.frames.count, world_seconds(w), 1);
        while (e.frames.count)
            frame_drop(words_take(&e.frames).pointer);
        free(e.frames.at);
    }
}

/* The next thing that Python has to do. */
struct python {
    uint64_t event, follower;          /* an event's time; when something with a clock of its own
                                          wants to be called */
    uint32_t rank, who;                /* the event's */
};

static uint64_t lan_next(const struct world *w)
{
    uint64_t at;

    if (!w->lan.crossings.count)
        return NEVER;
    at = picoseconds(lan_due(&w->lan));
    return at > w->now ? at : w->now;
}

/* Everything that can be known happens; sets the time of what is next. */
static enum why happen(struct world *w, uint64_t until, const struct python *python,
                       uint64_t *next)
{
    for (;;) {
        uint64_t least = floor_of(w), safe = least == NEVER ? NEVER : least + w->lookahead;
        uint64_t time = first(w) ? first(w)->time : NEVER, lan = lan_next(w);
        int pythons = 0, lans = 0;

        if (python->event != NEVER) {
            struct event theirs = {.time = python->event, .rank = python->rank,
                                   .who = python->who, .order = 0};
            if (!first(w) || !earlier(first(w), &theirs)) {
                time = python->event;
                pythons = 1;
            }
        }
        if (lan < time) {
            time = lan;
            lans = 1;
            pythons = 0;
        }
        if (python->follower < time) {
            time = python->follower;
            pythons = 1;
            lans = 0;
        }
        *next = time;
        if (time >= (safe < until ? safe : until))
            return UNTIL;
        if (time > w->now)
            w->now = time;
        if (pythons) {
            w->due = time;
            return DUE;
        }
        if (lans) {
            lan_poll(&w->lan, (double)time / PS);
        } else {
            act(w);
            if (w->told_count)
                return HEARD;
        }
        if (w->lan.woken.count)
            return WOKEN;
        if (w->look) {
            w->look = 0;
            return LOOK;
        }
    }
}

/* Time is given to those who may use it; 0 if nobody may. */
static int give(struct world *w, uint64_t event, uint64_t until, uint32_t watch)
{
    struct node *given[NODES];
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->node_count; i++) {
        struct node *n = w->nodes[i];
        uint64_t limit = event < until ? event : until;

        if (n->ended || n->stopped)
            continue;
        for (uint32_t k = 0; k < w->node_count; k++) {
            const struct node *other = w->nodes[k];
            if (other != n && !other->ended && other->next != NEVER
                && other->next + w->lookahead < limit)
                limit = other->next + w->lookahead;
        }
        if (n->next <= n->now && n->now + CHUNK < limit)
            limit = n->now + CHUNK;
        if (n->next < limit) {
            uint8_t what = (uint8_t)watch;
            node_tell(n, KIND_GRANT, limit, &what, 1, NULL, 0);
            n->running = 1;
            given[count++] = n;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        channel_give(given[i]->channel, EMULATORS_TURN);
    return count != 0;
}

static uint64_t least(const struct world *w, uint64_t x)
{
    uint64_t floor = floor_of(w);

    return floor < x ? floor : x;
}

/* The world goes on until something concerns Python: why. UNTIL: that time has come; NOTHING: it
 * never will. */
enum why world_run(struct world *w, uint64_t until, uint32_t watch, const struct python *python)
{
    w->told_count = 0;
    free(w->told_own);
    w->told_own = NULL;
    for (;;) {
        uint64_t next = NEVER;
        enum why why;

        if (w->gathering) {
            if (!gather(w))
                return SILENT;
            tell(w);
            w->gathering = 0;
            if (w->told_count)
                return HEARD;
            if (w->look || ++w->since_look == LOOK_ROUNDS) {
                w->look = 0;
                w->since_look = 0;
                return LOOK;
            }
        }
        why = happen(w, until, python, &next);
        if (why != UNTIL)
            return why;
        w->rounds++;
        w->gathering = give(w, next, until, watch);
        if (w->gathering)
            continue;
        if (until != NEVER && least(w, next) >= until) {
            if (until > w->now)
                w->now = until;
            return UNTIL;
        }
        return next == NEVER ? NOTHING : STANDS;
    }
}

/* Each has used his time first, and Python is asked whether that was enough. */
void world_begin(struct world *w)
{
    w->gathering = 1;
    w->look = 1;
}

void world_meet(struct world *w)
{
    for (uint32_t i = 0; i < w->node_count; i++)
        if (!w->nodes[i]->ended && w->nodes[i]->now > w->now)
            w->now = w->nodes[i]->now;
}

struct world *world_new(uint64_t lookahead)
{
    struct world *w = must(calloc(1, sizeof(*w)));

    w->lookahead = lookahead;
    w->silent = -1;
    w->events = (struct heap){.size = sizeof(struct event), .before = earlier};
    lan_init(&w->lan);
    return w;
}

/* An emulator at CHANNEL, which began at BEGAN; NULL if there are too many. */
struct node *world_add(struct world *w, const char *name, uint64_t began, struct channel *channel)
{
    struct node *n;

    if (w->node_count == NODES)
        return NULL;
    n = must(calloc(1, sizeof(*n)));
    n->index = (int32_t)w->node_count;
    n->now = n->next = n->began = began;
    n->running = 1;
    n->channel = channel;
    n->world = w;
    strncpy(n->name, name, sizeof(n->name) - 1);
    w->nodes[w->node_count++] = n;
    return n;
}
