/* SPDX-License-Identifier: MIT */
/* From two samples to rates. Percent: 100 is one engine for the whole interval. */
#include "rtm.h"

static uint64_t grown(uint64_t before, uint64_t after)
{
    return after > before ? after - before : 0;
}

static uint32_t percent(uint64_t us, uint64_t length)
{
    uint64_t p = (us * 10000 + length / 2) / length;

    return p < RTM_NONE ? (uint32_t)p : RTM_NONE - 1;
}

static uint64_t per_second(uint64_t count, uint64_t length)
{
    return (count * 100000000 + length / 2) / length;
}

/* Time of one kind of use under both ways of counting. */
static struct rtm_cpu share(uint64_t time_a, uint64_t time_b, uint64_t us_a, uint64_t us_b,
                            uint64_t length)
{
    return (struct rtm_cpu){percent(grown(time_a, time_b) >> 12, length),
                            percent(grown(us_a, us_b), length)};
}

static uint32_t ratio(uint64_t total, uint64_t virt)
{
    uint64_t r = virt ? (total * 100 + virt / 2) / virt : 0;

    return r < RTM_NONE ? (uint32_t)r : RTM_NONE - 1;
}

static void user_rates(const struct monitor *a, const struct monitor *b, uint64_t length,
                       struct rtm_user *u)
{
    uint64_t total = grown(a->total_us, b->total_us), virt = grown(a->virt_us, b->virt_us);

    name_string(u->userid, b->userid);
    u->total = share(a->virt.time + a->cp.time, b->virt.time + b->cp.time, a->total_us, b->total_us,
                     length);
    u->virt = share(a->virt.time, b->virt.time, a->virt_us, b->virt_us, length);
    u->tv = ratio(total, virt);
    u->instr =
        (grown(a->virt.instr + a->cp.instr, b->virt.instr + b->cp.instr) * 1000000 + length / 2)
        / length;
    u->io = per_second(grown(a->sio, b->sio), length);
    u->iucv = per_second(grown(a->iucv, b->iucv), length);
    u->console = per_second(grown(a->console, b->console), length);
    u->storage = b->storage;
    u->wait = b->wait;
    u->queue = b->queue[0];
    u->connected = b->connected;
    u->now = b;
}

/* Before another of at most its use; equals by name. */
static bool before(const struct rtm_user *x, const struct rtm_user *y)
{
    if (x->total.model != y->total.model)
        return x->total.model > y->total.model;
    return strcmp(x->userid, y->userid) < 0;
}

static void insert(struct rtm_interval *out, const struct rtm_user *u)
{
    unsigned at = out->user_count++;

    for (; at > 0 && before(u, &out->user[at - 1]); at--)
        out->user[at] = out->user[at - 1];
    out->user[at] = *u;
}

static void users(const struct rtm_snapshot *a, const struct rtm_snapshot *b, const char *self,
                  struct rtm_interval *out)
{
    static const struct monitor none;
    struct rtm_system *s = &out->system;
    uint64_t iucv = 0, console = 0;
    struct rtm_user u;
    unsigned k = 0;

    for (unsigned n = 0; n < b->user_count; n++) {
        const struct monitor *now = &b->user[n], *old = &none;
        while (k < a->user_count && a->slot[k] < b->slot[n])
            k++;
        if (k < a->user_count && a->slot[k] == b->slot[n] && a->user[k].logon_us == now->logon_us
            && memcmp(a->user[k].userid, now->userid, 8) == 0)
            old = &a->user[k];
        user_rates(old, now, s->length_us, &u);
        iucv += grown(old->iucv, now->iucv);
        console += grown(old->console, now->console);
        if (strcmp(u.userid, self) == 0) {
            s->self = u.total;
            s->self_instr = grown(old->virt.instr + old->cp.instr, now->virt.instr + now->cp.instr);
        }
        insert(out, &u);
    }
    s->iucv = per_second(iucv, s->length_us);
    s->console = per_second(console, s->length_us);
}

static void devices(const struct rtm_snapshot *a, const struct rtm_snapshot *b,
                    struct rtm_interval *out)
{
    uint64_t length = out->system.length_us;

    for (unsigned n = 0; n < b->device_count; n++) {
        static const struct monitor_device none;
        const struct monitor_device *now = &b->device[n];
        const struct monitor_device *old = n < a->device_count ? &a->device[n] : &none;
        if (!now->starts)
            continue;
        struct rtm_device d = {per_second(grown(old->starts, now->starts), length),
                               per_second(grown(old->reads, now->reads), length),
                               per_second(grown(old->writes, now->writes), length), now};
        unsigned at = out->device_count++;
        for (; at > 0 && out->device[at - 1].rate < d.rate; at--)
            out->device[at] = out->device[at - 1];
        out->device[at] = d;
    }
}

static void system_rates(const struct monitor *a, const struct monitor *b, struct rtm_system *s)
{
    uint64_t length = s->length_us;
    uint64_t hits = grown(a->mdc_hits, b->mdc_hits), misses = grown(a->mdc_misses, b->mdc_misses);
    uint32_t fixed = MONITOR_FIXED_PAGES;

    memcpy(s->model, b->model, 8);
    for (int i = 7; i >= 0 && (s->model[i] == ' ' || !s->model[i]); i--)
        s->model[i] = 0;
    s->virt = share(a->virt.time, b->virt.time, a->virt_us, b->virt_us, length);
    s->cp =
        share(a->cp.time, b->cp.time, a->total_us - a->virt_us, b->total_us - b->virt_us, length);
    s->own = share(a->system.time, b->system.time, a->system_us, b->system_us, length);
    s->wait = percent(grown(a->idle.time, b->idle.time) >> 12, length);
    s->tv = ratio(grown(a->total_us, b->total_us), grown(a->virt_us, b->virt_us));
    s->instr = (grown(a->virt.instr + a->cp.instr + a->system.instr,
                      b->virt.instr + b->cp.instr + b->system.instr)
                    * 1000000
                + length / 2)
               / length;
    s->io = per_second(grown(a->sio, b->sio), length);
    s->mdc_reads = per_second(hits + misses, length);
    s->mdc_hit = hits + misses ? (uint32_t)((hits * 10000 + (hits + misses) / 2) / (hits + misses))
                               : RTM_NONE;
    s->pages = b->pages_total > fixed ? b->pages_total - fixed : 0;
    if (s->pages)
        s->storage = (uint32_t)(grown(b->pages_free, s->pages) * 10000 / s->pages);
    s->queue[0] = b->queue[0];
    s->queue[1] = b->queue[1];
    s->users = b->users;
    s->connected = b->connected;
}

bool rtm_rates(const struct rtm_snapshot *a, const struct rtm_snapshot *b, const char *self,
               struct rtm_interval *out)
{
    memset(out, 0, sizeof(*out));
    if (b->system.now_us <= a->system.now_us)
        return false;
    out->system.end_us = b->system.now_us;
    out->system.length_us = b->system.now_us - a->system.now_us;
    system_rates(&a->system, &b->system, &out->system);
    users(a, b, self, out);
    devices(a, b, out);
    return true;
}

uint32_t rtm_busy(const struct rtm_system *s, bool model)
{
    return model ? s->virt.model + s->cp.model + s->own.model
                 : s->virt.timer + s->cp.timer + s->own.timer;
}

void rtm_remember(struct rtm_history *h, const struct rtm_system *s)
{
    h->past[h->next] = *s;
    h->line[h->next][0] = 0;
    h->next = (h->next + 1) % RTM_HISTORY;
    if (h->count < RTM_HISTORY)
        h->count++;
}

const struct rtm_system *rtm_past(const struct rtm_history *h, unsigned back)
{
    return back < h->count ? &h->past[(h->next + RTM_HISTORY - 1 - back) % RTM_HISTORY] : 0;
}
