/* SPDX-License-Identifier: MIT */
/* A real device that is a machine's alone. Its channel programs are copied with real addresses in
 * place of the guest's, which differ by one number; what the device says comes back with the
 * guest's own addresses. Nothing outside of the machine's storage can be named. */
#include "sie.h"
#include "acct.h"
#include "lib.h"

#define CMD_TIC        0x08
#define KEPT           8       /* CCWs of a program whose copy may be used again, */
#define KEPT_IDAWS     32      /* and their indirect addresses */
#define KEPT_FLAGS     (CCW_CD | CCW_CC | CCW_SLI | CCW_SKIP | CCW_IDA)

struct sie_channel {
    struct ccw ccws[SIE_CHAIN];
    uint64_t idaws[SIE_IDAWS];
    uint32_t guest[SIE_CHAIN]; /* where the guest has that CCW */
    unsigned count, idaw_count;
    uint32_t orb_flags;      /* of the program that was copied last; 0: it cannot be used again */
    uint64_t given[KEPT];    /* its CCWs, as the guest had them, */
    uint64_t given_idaws[KEPT_IDAWS]; /* and its indirect addresses */
    uint16_t list_at[KEPT], list_room[KEPT]; /* which of them are whose */
};
_Static_assert(sizeof(struct sie_channel) <= PAGE_SIZE, "struct sie_channel");

static bool copy_list(struct sie *s, uint64_t *to, const uint64_t *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *page = guest_absolute(s, list[i] & ~(PAGE_SIZE - 1), PAGE_SIZE);
        if (!page)
            return false;
        to[i] = (uintptr_t)page + (list[i] & (PAGE_SIZE - 1));
    }
    return true;
}

static bool indirect(struct sie *s, struct sie_channel *w, struct ccw *ccw, uint32_t orb_flags)
{
    unsigned n, at = w->idaw_count;
    const uint64_t *list = list_of(s, ccw->data, ccw->count, &n);

    if (!list || !list_readable(orb_flags) || at + n > SIE_IDAWS
        || !copy_list(s, w->idaws + at, list, n))
        return false;
    ccw->data = (uint32_t)(uintptr_t)&w->idaws[at];
    w->idaw_count += n;
    if (w->count <= KEPT && w->idaw_count <= KEPT_IDAWS) {
        w->list_at[w->count - 1] = (uint16_t)at;
        w->list_room[w->count - 1] = (uint16_t)n;
        memcpy(w->given_idaws + at, list, 8UL * n);
    }
    return true;
}

/* Where the copy of the guest's CCW is; -1: it has none yet. */
static int copied(const struct sie_channel *w, uint32_t at)
{
    for (unsigned i = 0; i < w->count; i++)
        if (w->guest[i] == at)
            return (int)i;
    return -1;
}

/* The program from there on. False: the guest named what it does not have; its last CCW tells. */
static bool translate(struct sie *s, struct sie_channel *w, uint32_t orb_flags, uint32_t at)
{
    struct guest_ccw given;

    w->count = w->idaw_count = 0;
    for (;; at += 8) {
        int before = copied(w, at);
        if (w->count == SIE_CHAIN)
            return false;
        struct ccw *ccw = &w->ccws[w->count];
        w->guest[w->count++] = at;
        if (before >= 0) {   /* it goes round */
            *ccw = (struct ccw){CMD_TIC, 0, 0, (uint32_t)(uintptr_t)&w->ccws[before]};
            return true;
        }
        if (!fetch_command(s, orb_flags, at, &given))
            return false;
        if ((given.code & 15) == CMD_TIC) {
            w->count--;
            if (w->count == 0)
                return false;
            at = given.data - 8;
            continue;
        }
        *ccw = (struct ccw){given.code, given.flags & KEPT_FLAGS, given.count, given.data};
        if (given.flags & CCW_IDA) {
            if (!indirect(s, w, ccw, orb_flags))
                return false;
        } else {
            const uint8_t *data = guest_absolute(s, given.data, given.count);
            if (!data)
                return false;
            ccw->data = (uint32_t)(uintptr_t)data;
        }
        if (!(given.flags & (CCW_CC | CCW_CD)))
            return true;
    }
}

/* The guest's CCW address for one of the copy. */
static uint32_t guests(const struct sie_channel *w, uint32_t ccw)
{
    uint32_t index = (ccw - (uint32_t)(uintptr_t)w->ccws) / sizeof(struct ccw);

    return index && index <= w->count ? w->guest[index - 1] + 8 : 0;
}

bool ccw_fast = true;

/* Remember a short program of format 1 that lies in one piece. */
static void keep(struct sie *s, struct sie_channel *w, uint32_t orb_flags, uint32_t at)
{
    const uint64_t *ccws = guest_absolute(s, at, 8UL * w->count);

    w->orb_flags = 0;
    if (!ccw_fast || !(orb_flags & ORB_FORMAT_1) || w->count > KEPT || !ccws
        || w->idaw_count > KEPT_IDAWS
        || w->guest[w->count - 1] != at + 8 * (w->count - 1)
        || w->ccws[w->count - 1].cmd == CMD_TIC)
        return;
    w->orb_flags = orb_flags;
    for (unsigned i = 0; i < w->count; i++)
        w->given[i] = ccws[i];
}

/* The list of CCW i, which is now that: nearly always it names the same pages as before. */
static bool kept_list(struct sie *s, struct sie_channel *w, unsigned i, uint64_t ccw)
{
    unsigned n, at = w->list_at[i];
    const uint64_t *list = list_of(s, (uint32_t)ccw, ccw >> 32 & 0xffff, &n);

    if (!list || n > w->list_room[i])
        return false;
    if (memcmp(list, w->given_idaws + at, 8UL * n) == 0)
        return true;
    memcpy(w->given_idaws + at, list, 8UL * n);
    return copy_list(s, w->idaws + at, list, n);
}

/* A driver starts the same program again and again, with other data and counts: only these are
 * corrected in the copy. False: it is another program. */
static bool kept(struct sie *s, struct sie_channel *w, uint32_t orb_flags, uint32_t at)
{
    const uint64_t *ccws;

    if (!w->orb_flags || w->orb_flags != orb_flags || w->guest[0] != at)
        return false;
    ccws = guest_absolute(s, at, 8UL * w->count);
    for (unsigned i = 0; i < w->count; i++) {
        uint64_t now = ccws[i];
        bool same = now == w->given[i], by_list = (now >> 48 & CCW_IDA) != 0;
        const uint8_t *data = 0;
        if (same && !by_list)
            continue;
        if ((now ^ w->given[i]) >> 48)
            return false;
        if (by_list ? !kept_list(s, w, i, now)
                    : !(data = guest_absolute(s, (uint32_t)now, now >> 32 & 0xffff)))
            return false;
        w->ccws[i].count = (uint16_t)(now >> 32);
        if (data)
            w->ccws[i].data = (uint32_t)(uintptr_t)data;
        w->given[i] = now;
    }
    return true;
}

static bool copy(struct sie *s, struct sie_channel *w, uint32_t orb_flags, uint32_t at)
{
    if (ccw_fast && kept(s, w, orb_flags, at))
        return true;
    w->orb_flags = 0;
    if (!translate(s, w, orb_flags, at))
        return false;
    keep(s, w, orb_flags, at);
    return true;
}

static void start(struct sie *s, struct subchannel *c, uint32_t orb_flags, uint32_t at)
{
    struct sie_channel *w = c->work;

    if (!copy(s, w, orb_flags, at))
        io_end(s, c, w->guest[w->count - 1] + 8, 0, CSTAT_PROGRAM, 0);
    else if (device_start(c->real, w->ccws) != 0)
        io_end(s, c, at, DSTAT_CHANNEL_END | DSTAT_DEVICE_END | DSTAT_UNIT_CHECK, 0, 0);
}

static void interrupt(struct device *d, const struct irb *irb, int ended)
{
    struct subchannel *c = d->arg;

    if (!c)
        return;
    if (c->scsw.flags & SCSW_CLEARS) {
        if (ended)
            io_cleared(c->sie, c);
    } else if (ended) {
        io_end(c->sie, c, guests(c->work, irb->ccw), irb->dstat, irb->cstat, irb->residual);
    } else if (irb->dstat) {
        io_alert(c->sie, c, irb->dstat);
    }
}

static bool clear(struct sie *s, struct subchannel *c)
{
    (void)s;
    if (!c->real->busy)
        return true;
    device_clear(c->real);
    return false;
}

static const struct sie_driver driver = {start, clear};

void dedicated_add(struct sie *s, uint16_t vaddr, uint16_t raddr)
{
    struct device *d = device_find(raddr);
    struct subchannel *c;

    if (!d || d->interrupt) {
        console_say(s->vm, "DMKDED040E DEV %04X DOES NOT EXIST OR IS IN USE", raddr);
        return;
    }
    c = io_add(s, vaddr, &driver);
    if (!c)
        return;
    c->work = (struct sie_channel *)pages_get(1);
    if (!c->work) {
        c->driver = 0;
        return;
    }
    c->real = d;
    d->arg = c;
    d->owner = &s->vm->acct;
    d->interrupt = interrupt;
}

/* The machine goes away, and with it the storage that its programs name. */
bool dedicated_quiet(struct sie *s)
{
    const uint64_t until = us_now() + QUIET_US;
    bool quiet = true;

    for (unsigned i = 0; i < SIE_DEVICES; i++) {
        struct subchannel *c = &s->subchannels[i];
        struct device *d = c->real;
        if (!d)
            continue;
        d->arg = 0;
        if (d->busy)
            device_clear(d);
        while (d->busy && us_now() < until)
            channel_poll();
        quiet &= !d->busy;
        d->owner = &acct_system;
        if (!d->busy) {
            d->interrupt = 0;
            pages_free(c->work, 1);
        }
    }
    return quiet;
}
