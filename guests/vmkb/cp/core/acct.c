/* SPDX-License-Identifier: MIT */
/* The accounts. Two clocks are read at each change of hands: Hercules' count of instructions (the
 * yardstick) and the CPU timer (the witness). The count has a race in Hercules 3.13: once a second
 * a delta may be too large by a second's worth. A delta that the timer cannot explain is replaced
 * by timer x rate of that account, and counted, unless CP has found at IPL that the count is exact.
 * Compiled on the host too, with a fake clock (tests/guests). */
#include "acct.h"
#include "acct_clock.h"

/* 4096 timer units / 8 = 512 instructions to the microsecond at most: twice what the fastest loop
 * did on the machines measured */
#define MOST_SHIFT 3
#define SLACK      5000U
#define WAIT_MAX   64U         /* a wait executes nothing; the counter's quantum is about 12 */
#define FIRST_RATE 150         /* instructions to the microsecond of an account that has none yet */

struct account acct_system;
struct account acct_idle;
struct account acct_retired;
struct usage acct_interrupts;
struct usage acct_clocked;
bool acct_count_exact;

static struct account *current;
static struct account *leaving; /* whom CP worked for when it last left: it pays for the way out */
static uint32_t last_count;
static int64_t last_timer;
static uint64_t moved, moved_before; /* bytes moved for all; when CP was entered */
static struct usage system_before;   /* the system's account then */
static bool by_clock;                /* this interruption's work is done at fixed times */

void acct_init(struct account *first)
{
    const struct profile_request start = {PROFILE_START, &current,
                                          .special = {&acct_idle, &acct_system}};

    current = first;
    last_count = clock_count_for(&start);
    last_timer = clock_timer();
}

struct account *acct_current(void)
{
    return current;
}

/* A delta that the timer cannot explain: what this account did in that time so far, in the same
 * state. An exact count has no race: it is the timer that is late, when the host lets Hercules'
 * timer thread wait. */
static __attribute__((noinline)) uint64_t replaced(struct account *a, const struct usage *u,
                                                   uint64_t time, uint64_t counted)
{
    if (acct_count_exact)
        return counted;

    uint64_t instr =
        u->time >> 12 ? (time >> 12) * (u->instr / (u->time >> 12)) : (time >> 12) * FIRST_RATE;

    a->corrections++;
    a->corrected_instr += instr;
    return instr;
}

/* From the last reading to this one, less instructions that are not its own; a correction is
 * a's. */
static inline void charge(struct account *a, struct usage *u, uint32_t count, int64_t timer,
                          unsigned less)
{
    uint64_t time = (uint64_t)(last_timer - timer);
    uint64_t instr = (uint32_t)(count - last_count);

    last_count = count;
    last_timer = timer;
    if (__builtin_expect(instr > (time >> MOST_SHIFT) + SLACK, 0))
        instr = replaced(a, u, time, instr);
    u->time += time;
    u->instr += instr > less ? instr - less : 0;
}

/* The wait executes nothing: what the counter's quantum adds is not charged, a race is a
 * correction. */
static void charge_wait(uint32_t count, int64_t timer)
{
    if (count - last_count > WAIT_MAX)
        current->corrections++;
    current->virt.time += (uint64_t)(last_timer - timer);
    last_count = count;
    last_timer = timer;
}

void acct_leave_cp(struct account *next)
{
    leaving = current;
    current = next;
    clock_leave();
}

static inline void enter(void)
{
    clock_entered();
    charge(current, &leaving->cp, clock_out_count(), clock_out_timer(), 0);
    leaving->cp.instr += CLOCK_OUT;
    charge(current, &current->virt, clock_in_count(), clock_in_timer(), CLOCK_OUT + CLOCK_IN);
}

void acct_enter_cp(void)
{
    enter();
    current->cp.instr += CLOCK_IN;
}

/* Whoever was interrupted has not asked for it: the system pays until it is known whose it is. */
void acct_enter_interrupted(void)
{
    moved_before = moved;
    if (current == &acct_idle) {
        clock_entered();
        charge(current, &leaving->cp, clock_out_count(), clock_out_timer(), 0);
        charge_wait(clock_in_count(), clock_in_timer());
        acct_system.cp.instr += CLOCK_OUT + CLOCK_IN;
    } else {
        enter();
        acct_system.cp.instr += CLOCK_IN;
    }
    current = &acct_system;
    system_before = acct_system.cp;
}

void acct_by_clock(void)
{
    by_clock = true;
}

/* CP goes on for next, whom it is changed to before the clocks are read: at a reading a profiling
 * emulator looks in storage for whom CP works from there on. */
static inline void go_on(struct account *next)
{
    struct account *before = current;

    current = next;
    __asm__ volatile("" : : "m"(current));
    charge(before, &before->cp, clock_count(), clock_timer(), 0);
}

void acct_settle(void)
{
    go_on(current);
}

void acct_sample(struct account *of, const char *userid)
{
    struct profile_request sample = {PROFILE_SAMPLE, of, .userid = "        "};

    for (unsigned i = 0; i < sizeof(sample.userid) && userid[i]; i++)
        sample.userid[i] = userid[i];
    charge(current, &current->cp, clock_count_for(&sample), clock_timer(), 0);
}

void acct_change(struct account *next)
{
    if (next != current)
        go_on(next);
}

static void add(struct usage *to, const struct usage *from)
{
    to->time += from->time;
    to->instr += from->instr;
    to->moved += from->moved;
    to->summed += from->summed;
}

void acct_interrupted(void)
{
    go_on(&acct_system);
    if (by_clock) {
        struct usage used = usage_since(&acct_system.cp, &system_before);
        add(&acct_clocked, &used);
        by_clock = false;
    }

    uint64_t instr = (uint32_t)(last_count - clock_in_count());
    uint64_t time = (uint64_t)(clock_in_timer() - last_timer);

    /* the counter's race: the accounts have it corrected */
    if (instr > (time >> MOST_SHIFT) + SLACK && !acct_count_exact)
        instr = (time >> 12) * FIRST_RATE;
    acct_interrupts.time += time;
    acct_interrupts.instr += instr;
    acct_interrupts.moved += moved - moved_before;
}

void acct_moved(uint64_t bytes)
{
    moved += bytes;
    current->cp.moved += bytes;
}

void acct_retire(const struct account *a)
{
    if (current == a)
        acct_change(&acct_system);
    add(&acct_retired.virt, &a->virt);
    add(&acct_retired.cp, &a->cp);
    acct_retired.corrections += a->corrections;
    acct_retired.corrected_instr += a->corrected_instr;
}
