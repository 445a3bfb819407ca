/* SPDX-License-Identifier: QPL-1.0 */
/* Virtual time: what happens when. Timers, ends of I/O and whatever comes from outside become
 * pending on the CPU thread at a time that is known in executed instructions, and nowhere else. So
 * the guest's course follows from its input. The world's clock grants time: until the granted
 * moment nothing more can come from outside.
 *
 * One CPU. Everything here runs on its thread.
 *
 * Derived from Hercules 3.13 as count.patch is, under the same licence, the Q Public License
 * version 1.0. */
#include "hstdinc.h"
#include "hercules.h"
#include "opcode.h"
#include "virtual.h"
#include "virtual_parts.h"

#define EVENTS    512
#define LOOK_AGAIN (10 * 1000000ULL)   /* a busy terminal's key is looked at again: 10 us */

enum { START, DONE, BLOCK, LOOK, ACCEPT, OPERATOR }; /* at one time in this order */

int virtual_on, virtual_alone;
U64 virtual_bytes;
void (*virtual_arrive)(DEVBLK *, const BYTE *, U32);
void (*virtual_written)(DEVBLK *);

static U64 granted, due;                /* due: vt_done() when something is to be done */

static struct event {
    U64 when, order;
    int kind;
    DEVBLK *dev;
    U32 length;
    BYTE *data;
} events[EVENTS];
static int event_count;
static U64 orders;

static DEVBLK *parked_now;             /* what the running handler has parked */

/* Events */

static void event_add(int kind, U64 when, DEVBLK *dev, BYTE *data, U32 length)
{
    if (event_count == EVENTS)
        vt_fail("too many events are under way");
    events[event_count++] = (struct event){when, orders++, kind, dev, length, data};
}

static int earlier(const struct event *a, const struct event *b)
{
    if (a->when != b->when)
        return a->when < b->when;
    return a->kind != b->kind ? a->kind < b->kind : a->order < b->order;
}

static struct event *event_first(void)
{
    struct event *first = NULL;

    for (struct event *e = events; e < events + event_count; e++)
        if (!first || earlier(e, first))
            first = e;
    return first;
}

static struct event event_take(struct event *e)
{
    struct event taken = *e;

    *e = events[--event_count];
    return taken;
}

static struct event *start_of(DEVBLK *dev)
{
    for (struct event *e = events; e < events + event_count; e++)
        if (e->kind == START && e->dev == dev)
            return e;
    return NULL;
}

/* Channel programs */

#define FBA_DEFINE_EXTENT 0x63
#define FBA_LOCATE        0x43

/* What a chain asks of its device: bytes, by its counts, and for FBA the first block that it reads
 * or writes and the one behind the last. */
struct work {
    U64 bytes;
    U32 origin, first, end;            /* end is 0 if there is no LOCATE */
};

static void work_add(struct work *w, const DEVBLK *dev, BYTE code, U16 count, U32 address)
{
    const BYTE *data = dev->mainstor + address;

    w->bytes += count;
    if (code == FBA_DEFINE_EXTENT && count >= 16 && address + 16 <= dev->mainlim)
        w->origin = fetch_fw(data + 4) - fetch_fw(data + 8);
    if (code == FBA_LOCATE && count >= 8 && address + 8 <= dev->mainlim) {
        w->first = w->origin + fetch_fw(data + 4);
        w->end = w->first + fetch_hw(data + 2);
    }
}

static struct work chain_work(const DEVBLK *dev)
{
    struct work w = {0};
    U32 at = fetch_fw(dev->orb.ccwaddr);
    int format1 = dev->orb.flag5 & ORB5_F;

    for (int i = 0; i < 64 && at + 8 <= dev->mainlim; i++, at += 8) {
        const BYTE *ccw = dev->mainstor + at;
        BYTE flags = format1 ? ccw[1] : ccw[4];

        if (format1)
            work_add(&w, dev, ccw[0], fetch_hw(ccw + 2), fetch_fw(ccw + 4));
        else
            work_add(&w, dev, ccw[0], fetch_hw(ccw + 6), fetch_fw(ccw) & 0xffffff);
        if (!(flags & (CCW_FLAGS_CD | CCW_FLAGS_CC)))
            break;
    }
    return w;
}

/* The arm moves to where the chain begins and stays where it ends. */
static U64 seek_time(DEVBLK *dev, const struct device_time *t, const struct work *w)
{
    int from = dev->ckdcurcyl, to;

    if (!t->cylinder || !w->end)
        return 0;
    to = (int)(w->first / t->cylinder);
    dev->ckdcurcyl = (int)((w->end - (w->end > w->first)) / t->cylinder);
    return from == to ? 0 : t->seek;
}

static U64 device_time(DEVBLK *dev)
{
    for (U32 i = 0; i < vt_model.devices; i++)
        if (vt_model.device[i].type == dev->devtype) {
            const struct device_time *t = &vt_model.device[i];
            struct work w = chain_work(dev);
            return t->start + t->byte * w.bytes + seek_time(dev, t, &w);
        }
    return 0;
}

void virtual_soon(void)
{
    REGS *regs = vt_cpu();

    if (regs)
        regs->duecount = 0;
}

void virtual_start(DEVBLK *dev)
{
    event_add(START, vt_now() + device_time(dev), dev, NULL, 0);
    virtual_soon();
}

void virtual_resume(DEVBLK *dev)
{
    if (!start_of(dev))
        event_add(START, vt_now(), dev, NULL, 0);
    virtual_soon();
}

void virtual_wake(DEVBLK *dev)
{
    struct event *start = start_of(dev);

    if (start)
        start->when = vt_now();
    else
        virtual_resume(dev);
    virtual_soon();
}

void virtual_reset(DEVBLK *dev)
{
    struct event *start = start_of(dev);

    if (start)
        event_take(start);
    dev->syncio_retry = 0;
    if (virtual_arrive && dev->devtype == 0x3088) {
        vt_say(FROM_RESET, &dev->devnum, 2, NULL, 0);
        vt_matters();
    }
}

void virtual_park(DEVBLK *dev)
{
    dev->syncio_retry = 1;             /* the chain goes on with this command */
    parked_now = dev;
}

int virtual_parked(DEVBLK *dev)
{
    int is = parked_now == dev;

    parked_now = NULL;
    return is;
}

/* What the guest and its devices say */

/* Until `when` at most without asking again. */
static void ask_by(U64 when)
{
    if (when < granted)
        granted = when;
    virtual_soon();
}

void vt_matters(void)
{
    ask_by(vt_now() + vt_model.turnaround);
}

void virtual_write(DEVBLK *dev, const BYTE *data, U32 length)
{
    vt_say(FROM_WRITE, &dev->devnum, 2, data, length);
    vt_matters();
}

void virtual_taken(DEVBLK *dev, U32 frames, U32 bytes)
{
    struct {
        U32 frames, bytes;
    } n = {frames, bytes};

    vt_say(FROM_TAKEN, &dev->devnum, 2, &n, sizeof(n));
}

void virtual_typed(const char *text, U32 length)
{
    U16 nothing = 0;

    vt_say(FROM_TYPED, &nothing, 2, text, length);
    vt_matters();
}

void virtual_stopped(REGS *regs)
{
    U16 nothing = 0;

    if (!virtual_on || regs != vt_cpu())
        return;
    if (!regs->exactcount && !WAITSTATE(&regs->psw))
        return;                        /* nothing has been loaded yet */
    if (virtual_alone) {
        virtual_alone = 0;             /* it waits with this lock */
        pthread_mutex_trylock(&sysblk.intlock);
    }
    vt_say(FROM_STOPPED, &nothing, 2, NULL, 0);
    vt_give();
}

/* A line that the operator types while his console writes would be lost. One that is read for is
 * taken at once. */
static int integrated_console_busy(void)
{
    for (DEVBLK *dev = sysblk.firstdev; dev; dev = dev->nextdev)
        if (dev->allocated && !dev->console
            && (dev->devtype == 0x3215 || dev->devtype == 0x1052))
            return !vt_terminal_free(dev) && !(dev->busy && dev->syncio_retry);
    return 0;
}

/* What happens at its time */

static void run_channel_program(DEVBLK *dev)
{
    parked_now = NULL;
    call_execute_ccw_chain(sysblk.arch_mode, dev);
}

static void look(void)
{
    vt_look();
    vt_matters();
}

static void happen(struct event e)
{
    switch (e.kind) {
    case START:
        run_channel_program(e.dev);
        break;
    case BLOCK:
        if (virtual_arrive)
            virtual_arrive(e.dev, e.data, e.length);
        break;
    case DONE:
        if (virtual_written)
            virtual_written(e.dev);
        break;
    case LOOK:
        if (e.dev->connected && !vt_terminal_free(e.dev)) {
            event_add(LOOK, vt_now() + LOOK_AGAIN, e.dev, NULL, 0);
            return;
        }
        look();
        break;
    case ACCEPT:
        look();
        break;
    case OPERATOR:
        if (integrated_console_busy()) {
            event_add(OPERATOR, vt_now() + LOOK_AGAIN, NULL, e.data, e.length);
            return;
        }
        panel_command((char *)e.data);
        break;
    }
    free(e.data);
}

/* The other end */

static void forget_blocks(U64 from)
{
    for (int i = event_count - 1; i >= 0; i--)
        if (events[i].kind == BLOCK && events[i].when >= from)
            free(event_take(&events[i]).data);
}

static void take_message(void)
{
    struct message *m = vt_hear();
    BYTE *kept;

    if (!m)
        return;
    switch (m->kind) {
    case TO_GRANT:
        granted = m->when;
        return;
    case TO_BLOCK:
        kept = malloc(m->length);
        if (!kept)
            vt_fail("no storage");
        memcpy(kept, m->content + 2, m->length - 2);
        event_add(BLOCK, m->when, vt_device(m->devnum), kept, m->length - 2);
        return;
    case TO_DONE:
        event_add(DONE, m->when, vt_device(m->devnum), NULL, 0);
        return;
    case TO_LOOK:
        event_add(LOOK, m->when, vt_device(m->devnum), NULL, 0);
        return;
    case TO_ACCEPT:
        event_add(ACCEPT, m->when, NULL, NULL, 0);
        return;
    case TO_OPERATOR:
        event_add(OPERATOR, m->when, NULL, (BYTE *)strdup((char *)m->content), m->length);
        return;
    case TO_LOST:
        forget_blocks(m->when);
        return;
    case TO_FORK:
        vt_fork();
        return;
    default:
        vt_fail("an unknown message");
    }
}

static void ask(U64 next, int waiting)
{
    struct {
        U64 next;
        U64 instructions;
        U32 waiting, pad;
    } state = {next, vt_cpu()->exactcount, (U32)waiting, 0};

    vt_say(FROM_ASK, &state, sizeof(state), NULL, 0);
    granted = 0;
    do
        take_message();
    while (!granted);
}

/* What is pending for the CPU, and for its guest under SIE. */
static U64 pending(REGS *regs)
{
    return (U64)regs->ints_state << 32 | (regs->sie_active ? regs->guestregs->ints_state : 0);
}

static int ends_wait(REGS *regs)
{
    return (regs->ints_state & regs->ints_mask & ~BIT(IC_PSW_WAIT)) != 0;
}

static void wait_for_due(REGS *regs)
{
    U64 done = vt_done();

    regs->duecount = regs->exactcount + (due > done ? due - done : 0);
}

/* Everything whose time has come happens. What may yet come before it is asked for first. */
static void pump(REGS *regs, int waiting)
{
    int stirred = 0;
    U64 before;

    for (;;) {
        U64 now = vt_now(), next, timer;
        struct event *first;

        if (now >= granted) {
            ask(now, 0);
            continue;
        }
        first = event_first();
        if (first && first->when <= now) {
            happen(event_take(first));
            stirred = 1;
            continue;
        }
        before = pending(regs);
        update_tod_clock();            /* sets what a timer makes pending */
        /* Of what was pending when the wait began nothing can be taken: only news ends it. */
        stirred |= before != pending(regs);
        if (waiting && stirred
            && (ends_wait(regs) || (regs->sie_active && ends_wait(regs->guestregs)))) {
            regs->duecount = 0;
            return;
        }
        stirred = 0;
        next = first ? first->when : NEVER;
        timer = vt_next_timer(regs);
        if (timer < next)
            next = timer;
        if (!waiting) {
            due = vt_done_at(next < granted ? next : granted);
            wait_for_due(regs);
            return;
        }
        if (next < granted)
            vt_leap(next);
        else
            ask(next, 1);
    }
}

void virtual_due(REGS *regs)
{
    virtual_bytes = exact_moved + exact_summed;
    if (!virtual_on) {
        regs->duecount = NEVER;
        return;
    }
    if (regs->cpustate != CPUSTATE_STARTED) {
        regs->duecount = 0;            /* it stops first, and needs no time for that */
        return;
    }
    if (regs->duecount && vt_done() < due) { /* it was for bytes */
        wait_for_due(regs);
        return;
    }
    virtual_alone = 1;
    pump(regs, 0);
}

void virtual_wait(REGS *regs)
{
    pump(regs, 1);
}

void virtual_begin(void)
{
    int memory;

    if (!vt_link())
        return;
    vt_receive(&vt_model, sizeof(vt_model), &memory, 1);
    vt_share(memory);
    if (!vt_model.kmips || vt_model.devices > DEVICES)
        vt_fail("the machine's model is no good");
    vt_rates();
    virtual_on = 1;
}
