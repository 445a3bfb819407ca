/* SPDX-License-Identifier: MIT */
/* The clock of a world (docs/reference/clock.md has the rules). Synchronisation is conservative:
 * each emulator runs until it has used its time, and nobody acts before all have; what they said
 * meanwhile is put in order by its time first. So the course of a world follows from its input. */
#define _GNU_SOURCE
#include "engine.h"
#include <stdlib.h>
#include <string.h>

#define SILENT_S     0.5               /* then Python looks what is the matter */
#define BREATH_ROUNDS 4096             /* so often Python may see that it is interrupted */
#define DEVICES      65536
#define SCRIPT       100000000ULL      /* ps until a script sees what was shown */

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

/* Python looks, as soon as it sees anything. */
void world_look(struct world *w)
{
    world_event(w, (struct event){.time = w->now + w->script, .rank = RANK_SCRIPT,
                                  .kind = EVENT_LOOK});
}

static const struct event *first(const struct world *w)
{
    return w->events.count ? (const struct event *)w->events.at : NULL;
}

/* What emulators say */

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

static int awaited(const struct node *n, const struct message *m)
{
    return m->kind != KIND_TYPED
           || memmem(m->content, m->length, n->awaited, n->awaited_length) != NULL;
}

/* What was said has its effect later: on the LAN, or where Python hears it. */
static void take(struct world *w, struct node *n, struct message m)
{
    struct event e = {.time = m.time + w->lookahead, .rank = RANK_BLOCK, .who = m.node,
                      .adapter = n->adapter, .kind = EVENT_SAID};
    uint8_t *own;

    trace_message(w, &m);
    if (m.kind == KIND_SENT || m.kind == KIND_SEEN)
        n->sent[m.device] = word(m.content);
    if (m.kind != KIND_TAKEN && m.time + w->lookahead < n->granted)
        n->granted = m.time + w->lookahead; /* the emulator asks by then */
    if (!n->adapter || !(m.kind == KIND_WRITE || m.kind == KIND_TAKEN || m.kind == KIND_RESET)) {
        if (!(n->heard_by_python >> (m.kind & 63) & 1) || !awaited(n, &m))
            return;
        e.kind = EVENT_TOLD;
        if (m.kind != KIND_WRITE) {
            e.time = m.time + w->script;
            e.rank = RANK_SCRIPT;
        }
    }
    own = must(malloc(m.length + 1));
    memcpy(own, m.content, m.length);
    m.content = own;
    e.message = m;
    world_event(w, e);
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
        take(w, n, m);
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

/* What happens between them */

uint64_t world_floor(const struct world *w)
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
    case EVENT_SAID:
        if (e.message.kind == KIND_WRITE)
            adapter_written(e.adapter, &e.message);
        else
            adapter_heard(e.adapter, &e.message);
        free((void *)e.message.content);
        return;
    case EVENT_TOLD:
        w->told = e.message;
        w->telling = 1;
        return;
    case EVENT_LOOK:
        w->look = 1;
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

/* Who looks at a guest finds it as it is then: nobody is behind or ahead. */
static int looks(const struct event *e)
{
    return e->kind == EVENT_TOLD || e->kind == EVENT_LOOK;
}

/* Everything that can be known happens; sets the time of what is next. */
static enum why happen(struct world *w, uint64_t until, const struct python *python,
                       uint64_t *next)
{
    for (;;) {
        uint64_t least = world_floor(w), safe = least == NEVER ? NEVER : least + w->lookahead;
        uint64_t time = first(w) ? first(w)->time : NEVER, lan = lan_next(w);
        int pythons = 0, lans = 0, all = first(w) && looks(first(w));

        if (python->event != NEVER) {
            struct event theirs = {.time = python->event, .rank = python->rank,
                                   .who = python->who, .order = 0};
            if (!first(w) || !earlier(first(w), &theirs)) {
                time = python->event;
                pythons = 1;
                all = python->rank == RANK_SCRIPT;
            }
        }
        if (lan < time) {
            time = lan;
            lans = 1;
            pythons = all = 0;
        }
        if (python->follower < time) {
            time = python->follower;
            pythons = 1;
            lans = all = 0;
        }
        *next = time;
        if (time >= until || (all ? time > least : time >= safe))
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
            if (w->telling)
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

/* How long nobody else sees anything of what is on the LAN at A; without one Python sees it. */
static uint64_t crossing_of(const struct adapter *a)
{
    return a && !a->port->up.line ? a->port->up.least : 0; /* a line's ARP takes no time */
}

static void at_most(uint64_t *limit, uint64_t time, uint64_t later)
{
    if (time != NEVER && time + later < *limit)
        *limit = time + later;
}

/* Until when nothing can come to NODE that is not known yet (docs/reference/clock.md). */
static uint64_t limit_of(const struct world *w, struct node *n, uint64_t until)
{
    const struct event *e = (const struct event *)w->events.at;
    const struct crossing *c = (const struct crossing *)w->lan.crossings.at;
    uint64_t limit = until, reply;

    for (uint32_t i = 0; i < w->node_count; i++) {
        const struct node *other = w->nodes[i];

        if (other == n || other->ended)
            continue;
        at_most(&limit, other->next, w->script);
        at_most(&limit, other->next, w->lookahead + crossing_of(other->adapter));
    }
    for (size_t i = 0; i < w->events.count; i++, e++)
        at_most(&limit, e->time,
                looks(e) || e->adapter->node == n ? 0 : crossing_of(e->adapter));
    if (w->lan.crossings.count > COMING) {
        at_most(&limit, lan_next(w), 0);
        return limit;
    }
    for (size_t i = 0; i < w->lan.crossings.count; i++, c++) {
        const struct adapter *a = c->bridge ? NULL : c->target->adapter;

        if (a && a->node == n)
            continue;
        reply = !a ? 0 : a->station ? crossing_of(a) : crossing_of(a) + w->lookahead;
        at_most(&limit, picoseconds(c->at), reply);
    }
    return n->adapter ? adapter_ahead(n->adapter, limit) : limit;
}

/* Time is given to those who may use it; 0 if nobody may. */
static int give(struct world *w, const struct python *python, uint64_t until)
{
    struct node *given[NODES];
    uint32_t count = 0;

    if (python->event < until)
        until = python->event;
    if (python->follower < until)
        until = python->follower;
    for (uint32_t i = 0; i < w->node_count; i++) {
        struct node *n = w->nodes[i];
        uint64_t limit;

        if (n->ended || n->stopped)
            continue;
        limit = limit_of(w, n, until);
        if (n->next <= n->now && n->now + w->longest < limit)
            limit = n->now + w->longest;
        if (n->next < limit) {
            node_tell(n, KIND_GRANT, limit, NULL, 0, NULL, 0);
            n->granted = limit;
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
    uint64_t floor = world_floor(w);

    return floor < x ? floor : x;
}

/* All are at rest: it is as late as for the last of them. */
static void meet(struct world *w)
{
    for (uint32_t i = 0; i < w->node_count; i++)
        if (!w->nodes[i]->ended && w->nodes[i]->now > w->now)
            w->now = w->nodes[i]->now;
}

/* The world goes on until something concerns Python: why. UNTIL: that time has come; NOTHING: it
 * never will. */
enum why world_run(struct world *w, uint64_t until, const struct python *python)
{
    if (w->telling)
        free((void *)w->told.content);
    w->telling = 0;
    for (;;) {
        uint64_t next = NEVER;
        enum why why;

        if (w->gathering) {
            if (!gather(w))
                return SILENT;
            w->gathering = 0;
            if (w->look) {
                w->look = 0;
                return LOOK;
            }
            if (++w->since_breath == BREATH_ROUNDS) {
                w->since_breath = 0;
                return BREATH;
            }
        }
        why = happen(w, until, python, &next);
        if (w->late)
            return LATE;
        if (why != UNTIL)
            return why;
        w->rounds++;
        w->gathering = give(w, python, until);
        if (w->gathering)
            continue;
        if (until != NEVER && least(w, next) >= until) {
            if (until > w->now)
                w->now = until;
            return UNTIL;
        }
        if (next != NEVER)
            return STANDS;
        meet(w);
        return NOTHING;
    }
}

/* Each has used his time first, and Python is asked whether that was enough. */
void world_begin(struct world *w)
{
    w->gathering = 1;
    w->look = 1;
}

/* Bytes that the terminal at DEVICE was sent until now, whether that was told or not. */
uint64_t node_sent(const struct node *n, uint32_t device)
{
    return device < DEVICES ? n->sent[device] : 0;
}

struct world *world_new(uint64_t lookahead)
{
    struct world *w = must(calloc(1, sizeof(*w)));

    w->lookahead = lookahead;
    w->script = lookahead > SCRIPT ? lookahead : SCRIPT;
    w->longest = CHUNK;
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
    n->sent = must(calloc(DEVICES, sizeof(*n->sent)));
    n->world = w;
    strncpy(n->name, name, sizeof(n->name) - 1);
    w->nodes[w->node_count++] = n;
    return n;
}
