/* SPDX-License-Identifier: QPL-1.0 */
/* Virtual time. The clock is the number of executed instructions times the time of one, plus the
 * time of the bytes that single instructions move or sum, plus waits, which are leapt over. Timers,
 * ends of I/O and whatever comes from outside become pending on the CPU thread at a time that is
 * known in executed instructions, and nowhere else. So the guest's course follows from its input.
 *
 * What comes from outside comes by one socket, whose other end (hercules/clock) grants time: until
 * the granted moment nothing more can come. docs/reference/clock.md has the messages.
 *
 * One CPU. Everything here runs on its thread, but for virtual_console_turn.
 *
 * Derived from Hercules 3.13 as count.patch is, under the same licence, the Q Public License
 * version 1.0. */
#include "hstdinc.h"
#include "hercules.h"
#include "opcode.h"
#include "virtual.h"
#include <stddef.h>

/* The environment names file descriptors: of the clock's socket, and of the log. */
#define SOCKET_VARIABLE "VMKB_CLOCK"
#define LOG_VARIABLE    "VMKB_LOG"
#define UNIT_PS   62500ULL             /* the clock's unit of 1/16 us */
#define NEVER     (~0ULL)
#define MS_PS     1000000000ULL
#define EVENTS    512
#define SOCKETS   1024
#define DEVICES   32
#define MESSAGE_MAX 70000
#define LOOK_AGAIN (10 * 1000000ULL)   /* a busy terminal's key is looked at again: 10 us */
#define LOOK_S    20                   /* how long the host may take to bring a key */

/* Messages: u8 kind, u32 length of what follows, u64 time in ps, then the rest. Host byte order:
 * both ends are on one computer. */
enum {
    TO_GRANT = 'G', TO_BLOCK = 'B', TO_DONE = 'D', TO_LOOK = 'K', TO_ACCEPT = 'N',
    TO_OPERATOR = 'O', TO_QUIT = 'Q', TO_HELLO = 'H',
    FROM_ASK = 'A', FROM_WRITE = 'W', FROM_TAKEN = 'R', FROM_TYPED = 'C', FROM_SENT = 'T',
    FROM_SEEN = 'k', FROM_STOPPED = 'X', FROM_RESET = 'Z'
};
enum { START, BLOCK, DONE, LOOK, ACCEPT, OPERATOR };
enum { WATCH_TERMINALS = 1, WATCH_OPERATOR = 2 };

int virtual_on;
U64 virtual_moved, virtual_summed;
void (*virtual_arrive)(DEVBLK *, const BYTE *, U32);
void (*virtual_written)(DEVBLK *);

struct hello {
    U64 kmips, move_rate, sum_rate;    /* instructions and bytes a millisecond; rates 0: no time */
    U64 tod;                           /* the clock at the start, 1/16 us */
    U64 turnaround;                    /* ps from a block's WRITE to its earliest end */
    U32 devices;
    struct device_time {
        U32 type;
        U32 pad;
        U64 start, byte;               /* ps for a channel program, and for each of its bytes */
    } device[DEVICES];
};

static struct hello model;
static int fd, log_fd = STDOUT_FILENO;
static U64 base_ps, base_count, base_moved, base_summed;
static U64 granted;
static int watch;
static U64 sent[SOCKETS];

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

static BYTE *out;
static size_t out_length, out_room;

static void fail(const char *why)
{
    fprintf(stderr, "HHCVM002S Virtual time: %s\n", why);
    _exit(1);
}

/* Messages */

static void put(const void *data, size_t length)
{
    if (out_length + length > out_room) {
        out_room = 2 * (out_length + length) + 4096;
        out = realloc(out, out_room);
        if (!out)
            fail("no storage");
    }
    memcpy(out + out_length, data, length);
    out_length += length;
}

static void flush(void)
{
    size_t at = 0;

    while (at < out_length) {
        ssize_t n = send(fd, out + at, out_length - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(0);                  /* the world is gone */
        at += (size_t)n;
    }
    out_length = 0;
}

static BYTE in[1 << 16];
static size_t in_at, in_end;

static void get(void *to, size_t length)
{
    BYTE *p = to;

    while (length) {
        if (in_at == in_end) {
            ssize_t n = recv(fd, in, sizeof(in), 0);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                _exit(0);
            in_at = 0;
            in_end = (size_t)n;
        }
        size_t some = in_end - in_at < length ? in_end - in_at : length;
        memcpy(p, in + in_at, some);
        in_at += some;
        p += some;
        length -= some;
    }
}

/* Time */

static REGS *cpu(void)
{
    return sysblk.regs[0];
}

static U64 scaled(U64 n, U64 per_ms)
{
    return per_ms ? (U64)((unsigned __int128)n * MS_PS / per_ms) : 0;
}

static U64 now_ps(void)
{
    REGS *regs = cpu();
    U64 count = regs ? regs->exactcount : base_count;

    return base_ps + scaled(count - base_count, model.kmips)
           + scaled(virtual_moved - base_moved, model.move_rate)
           + scaled(virtual_summed - base_summed, model.sum_rate);
}

static void set_now(U64 when)
{
    REGS *regs = cpu();

    base_ps = when;
    base_count = regs ? regs->exactcount : 0;
    base_moved = virtual_moved;
    base_summed = virtual_summed;
}

static void leap(U64 when)
{
    if (when > now_ps())
        set_now(when);
}

void virtual_rebase(REGS *regs)
{
    if (!virtual_on || regs != cpu())
        return;
    set_now(now_ps());
    base_count = 0;                    /* the caller sets the count to zero now */
}

U64 virtual_clock(void)
{
    return model.tod + now_ps() / UNIT_PS;
}

U64 virtual_clock_low(void)
{
    return now_ps() % UNIT_PS * 256 / UNIT_PS;
}

/* When the clock, in its unit, will be past `at`. */
static U64 after(U64 at)
{
    if (at < model.tod || at - model.tod > NEVER / UNIT_PS - 2)
        return NEVER;
    return (at - model.tod + 1) * UNIT_PS;
}

/* The next interruption of a clock: those that are pending already do not come again. */
static U64 next_timer(REGS *regs)
{
    U64 next = NEVER, when;

    if (!IS_IC_CLKC(regs) && (when = after(regs->clkc - regs->tod_epoch)) < next)
        next = when;
    if (!IS_IC_PTIMER(regs) && (when = after(regs->cpu_timer)) < next)
        next = when;
    return next;
}

/* Events */

static void event_add(int kind, U64 when, DEVBLK *dev, BYTE *data, U32 length)
{
    if (event_count == EVENTS)
        fail("too many events are under way");
    events[event_count++] = (struct event){when, orders++, kind, dev, length, data};
}

static struct event *event_first(void)
{
    struct event *first = NULL;

    for (struct event *e = events; e < events + event_count; e++)
        if (!first || e->when < first->when
            || (e->when == first->when && e->order < first->order))
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

/* Bytes that the chain will move, from its counts. */
static U64 chain_bytes(DEVBLK *dev)
{
    U64 bytes = 0;
    U32 at = fetch_fw(dev->orb.ccwaddr);
    int format1 = dev->orb.flag5 & ORB5_F;

    for (int i = 0; i < 64 && at + 8 <= dev->mainlim; i++, at += 8) {
        const BYTE *ccw = dev->mainstor + at;
        BYTE flags = format1 ? ccw[1] : ccw[4];

        bytes += format1 ? fetch_hw(ccw + 2) : fetch_hw(ccw + 6);
        if (!(flags & (CCW_FLAGS_CD | CCW_FLAGS_CC)))
            break;
    }
    return bytes;
}

static U64 device_time(DEVBLK *dev)
{
    for (U32 i = 0; i < model.devices; i++)
        if (model.device[i].type == dev->devtype) {
            struct device_time *t = &model.device[i];
            return t->start + (t->byte ? t->byte * chain_bytes(dev) : 0);
        }
    return 0;
}

static void soon(void)
{
    REGS *regs = cpu();

    if (regs)
        regs->duecount = 0;
}

void virtual_start(DEVBLK *dev)
{
    event_add(START, now_ps() + device_time(dev), dev, NULL, 0);
    soon();
}

void virtual_resume(DEVBLK *dev)
{
    if (!start_of(dev))
        event_add(START, now_ps(), dev, NULL, 0);
    soon();
}

void virtual_wake(DEVBLK *dev)
{
    struct event *start = start_of(dev);

    if (start)
        start->when = now_ps();
    else
        virtual_resume(dev);
    soon();
}

void virtual_reset(DEVBLK *dev)
{
    struct event *start = start_of(dev);
    U64 now = now_ps();
    U32 length = sizeof(now) + 2;

    if (start)
        event_take(start);
    dev->syncio_retry = 0;
    if (!virtual_arrive || dev->devtype != 0x3088)
        return;
    put("Z", 1);
    put(&length, 4);
    put(&now, 8);
    put(&dev->devnum, 2);
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

static void say(char kind, const void *head, U32 head_length, const void *data, U32 length)
{
    U64 now = now_ps();
    U32 all = sizeof(now) + head_length + length;

    put(&kind, 1);
    put(&all, 4);
    put(&now, 8);
    put(head, head_length);
    put(data, length);
}

/* Until `when` at most without asking again. */
static void ask_by(U64 when)
{
    if (when < granted)
        granted = when;
    soon();
}

void virtual_write(DEVBLK *dev, const BYTE *data, U32 length)
{
    say(FROM_WRITE, &dev->devnum, 2, data, length);
    ask_by(now_ps() + model.turnaround);
}

void virtual_taken(DEVBLK *dev, U32 frames, U32 bytes)
{
    struct {
        U32 frames, bytes;
    } n = {frames, bytes};

    say(FROM_TAKEN, &dev->devnum, 2, &n, sizeof(n));
}

void virtual_typed(const char *text, U32 length)
{
    U16 nothing = 0;

    say(FROM_TYPED, &nothing, 2, text, length);
    if (watch & WATCH_OPERATOR)
        ask_by(now_ps());
}

void virtual_log(const char *text)
{
    size_t length = strlen(text);

    while (length) {
        ssize_t n = write(log_fd, text, length);
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

void virtual_accepted(int socket)
{
    int one = 1;

    if (socket < 0 || socket >= SOCKETS)
        fail("too many sockets");
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    virtual_received(socket);
    sent[socket] = 0;
}

/* The terminal's kernel sends nothing more until it has an acknowledgement: at once, then. */
void virtual_received(int socket)
{
    int one = 1;

    setsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof(one));
}

static DEVBLK *device_of(int socket)
{
    for (DEVBLK *dev = sysblk.firstdev; dev; dev = dev->nextdev)
        if (dev->allocated && dev->console && dev->connected && dev->fd == socket)
            return dev;
    return NULL;
}

void virtual_sent(int socket, U32 length)
{
    DEVBLK *dev;

    if (socket < 0 || socket >= SOCKETS)
        return;
    sent[socket] += length;
    dev = device_of(socket);
    if (!dev)
        return;                        /* it is still being asked what it is */
    say(FROM_SENT, &dev->devnum, 2, &sent[socket], 8);
    if (watch & WATCH_TERMINALS)
        ask_by(now_ps());
}

void virtual_stopped(REGS *regs)
{
    U16 nothing = 0;

    if (!virtual_on || regs != cpu() || !regs->exactcount)
        return;
    say(FROM_STOPPED, &nothing, 2, NULL, 0);
    flush();
}

/* Terminals: the console thread works only while the CPU thread waits for it here. */

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int its_turn, turn_seen;
static U16 turn_device;

int virtual_console_turn(int seen, U16 devnum)
{
    if (!virtual_on)
        return 0;
    pthread_mutex_lock(&turn_lock);
    if (seen) {
        turn_seen = seen;
        turn_device = devnum;
        its_turn = 0;
        pthread_cond_broadcast(&turn_changed);
    }
    while (!its_turn)
        pthread_cond_wait(&turn_changed, &turn_lock);
    pthread_mutex_unlock(&turn_lock);
    return 0;
}

static void let_console_look(void)
{
    struct timespec until;
    U64 bytes = 0;
    U16 devnum;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOOK_S;
    pthread_mutex_lock(&turn_lock);
    turn_seen = 0;
    turn_device = 0;
    its_turn = 1;
    pthread_cond_broadcast(&turn_changed);
    while (its_turn)
        if (pthread_cond_timedwait(&turn_changed, &turn_lock, &until) == ETIMEDOUT)
            break;
    devnum = turn_seen ? turn_device : 0xFFFF;
    pthread_mutex_unlock(&turn_lock);
    for (DEVBLK *dev = sysblk.firstdev; dev; dev = dev->nextdev)
        if (dev->allocated && dev->console && dev->connected && dev->devnum == devnum
            && dev->fd >= 0 && dev->fd < SOCKETS)
            bytes = sent[dev->fd];
    say(FROM_SEEN, &devnum, 2, &bytes, 8);
    ask_by(now_ps());
}

static DEVBLK *device_numbered(U16 devnum)
{
    for (DEVBLK *dev = sysblk.firstdev; dev; dev = dev->nextdev)
        if (dev->allocated && dev->devnum == devnum)
            return dev;
    return NULL;
}

static int free_to_look(DEVBLK *dev)
{
    return !dev->busy && !IOPENDING(dev) && !(dev->scsw.flag3 & SCSW3_SC_PEND)
           && !dev->startpending;
}

/* A line that the operator types while his console writes would be lost. One that is read for is
 * taken at once. */
static int integrated_console_busy(void)
{
    for (DEVBLK *dev = sysblk.firstdev; dev; dev = dev->nextdev)
        if (dev->allocated && !dev->console
            && (dev->devtype == 0x3215 || dev->devtype == 0x1052))
            return !free_to_look(dev) && !(dev->busy && dev->syncio_retry);
    return 0;
}

/* What happens at its time */

static void run_channel_program(DEVBLK *dev)
{
    parked_now = NULL;
    call_execute_ccw_chain(sysblk.arch_mode, dev);
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
        if (e.dev->connected && !free_to_look(e.dev)) {
            event_add(LOOK, now_ps() + LOOK_AGAIN, e.dev, NULL, 0);
            return;
        }
        let_console_look();
        break;
    case ACCEPT:
        let_console_look();
        break;
    case OPERATOR:
        if (integrated_console_busy()) {
            event_add(OPERATOR, now_ps() + LOOK_AGAIN, NULL, e.data, e.length);
            return;
        }
        panel_command((char *)e.data);
        break;
    }
    free(e.data);
}

/* The other end */

static void take_message(void)
{
    BYTE kind;
    U32 length;
    U64 when;
    static BYTE rest[MESSAGE_MAX + 1];
    BYTE *kept = NULL;
    U16 devnum = 0;

    get(&kind, 1);
    get(&length, 4);
    if (length < 8 || length > MESSAGE_MAX)
        fail("a message is too long");
    get(&when, 8);
    length -= 8;
    get(rest, length);
    if (length >= 2)
        memcpy(&devnum, rest, 2);
    switch (kind) {
    case TO_GRANT:
        granted = when;
        watch = rest[0];
        return;
    case TO_BLOCK:
        kept = malloc(length);
        if (!kept)
            fail("no storage");
        memcpy(kept, rest + 2, length - 2);
        event_add(BLOCK, when, device_numbered(devnum), kept, length - 2);
        return;
    case TO_DONE:
        event_add(DONE, when, device_numbered(devnum), NULL, 0);
        return;
    case TO_LOOK:
        event_add(LOOK, when, device_numbered(devnum), NULL, 0);
        return;
    case TO_ACCEPT:
        event_add(ACCEPT, when, NULL, NULL, 0);
        return;
    case TO_OPERATOR:
        rest[length] = 0;
        event_add(OPERATOR, when, NULL, (BYTE *)strdup((char *)rest), length);
        return;
    case TO_QUIT:
        _exit(0);
    default:
        fail("an unknown message");
    }
}

static void ask(U64 next, int waiting)
{
    struct {
        U64 next;
        U64 instructions;
        U32 waiting, pad;
    } state = {next, cpu()->exactcount, (U32)waiting, 0};

    say(FROM_ASK, &state, sizeof(state), NULL, 0);
    flush();
    granted = 0;
    do
        take_message();
    while (!granted);
}

static U64 count_at(U64 when)
{
    REGS *regs = cpu();
    U64 now = now_ps();
    U64 ahead;

    if (when == NEVER)
        return NEVER;
    if (when <= now)
        return regs->exactcount + 1;
    ahead = (U64)((unsigned __int128)(when - now) * model.kmips / MS_PS);
    return regs->exactcount + ahead + 1;
}

/* Everything whose time has come happens; asks for time when that is used up. */
static void pump(REGS *regs, int waiting)
{
    int stirred = 0;
    U32 before;

    for (;;) {
        U64 now = now_ps(), next, timer;
        struct event *first = event_first();

        if (first && first->when <= now) {
            happen(event_take(first));
            stirred = 1;
            continue;
        }
        before = regs->ints_state;
        update_tod_clock();            /* sets what a timer makes pending */
        /* Of what was pending when the wait began nothing can be taken: only news ends it. */
        stirred |= before != regs->ints_state;
        if (waiting && stirred
            && (regs->ints_state & regs->ints_mask & ~BIT(IC_PSW_WAIT))) {
            regs->duecount = 0;
            return;
        }
        stirred = 0;
        next = first ? first->when : NEVER;
        timer = next_timer(regs);
        if (timer < next)
            next = timer;
        if (!waiting) {
            if (now >= granted) {
                ask(now, 0);
                continue;
            }
            regs->duecount = count_at(next < granted ? next : granted);
            return;
        }
        if (next < granted)
            leap(next);
        else
            ask(next, 1);
    }
}

void virtual_due(REGS *regs)
{
    if (!virtual_on) {
        regs->duecount = NEVER;
        return;
    }
    if (regs->cpustate != CPUSTATE_STARTED) {
        regs->duecount = 0;            /* it stops first, and needs no time for that */
        return;
    }
    pump(regs, 0);
}

void virtual_wait(REGS *regs)
{
    pump(regs, 1);
}

void virtual_begin(void)
{
    const char *number = getenv(SOCKET_VARIABLE);
    BYTE kind;
    U32 length;
    U64 when;

    if (!number)
        return;
    fd = atoi(number);
    if (getenv(LOG_VARIABLE))
        log_fd = atoi(getenv(LOG_VARIABLE)); /* standard output is a pipe to another thread */
    get(&kind, 1);
    get(&length, 4);
    get(&when, 8);
    if (kind != TO_HELLO || length - 8 != sizeof(model))
        fail("the other end speaks another protocol");
    get(&model, sizeof(model));
    if (!model.kmips || model.devices > DEVICES)
        fail("the machine's model is no good");
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    virtual_on = 1;
}
