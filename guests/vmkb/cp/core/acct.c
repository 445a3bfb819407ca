/* SPDX-License-Identifier: MIT */
/* The accounts. At each change of hands Hercules' counts of instructions and bytes (the yardstick)
 * and the CPU timer (the witness) are read. The count has a race in Hercules 3.13: once a second
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

struct acct_now acct_now;

void acct_init(struct account *first)
{
    const struct profile_request start = {PROFILE_START, &acct_now.account,
                                          .special = {&acct_idle, &acct_system}};

    acct_now.account = first;
    acct_now.counts_bytes = clock_counts_bytes();
    acct_now.last = clock_now_for(&start);
}

/* The timer cannot explain that many: to look at them alone is nearly always enough. */
static inline bool unlikely(uint64_t instr, uint64_t time)
{
    return instr > SLACK && instr > (time >> MOST_SHIFT) + SLACK;
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

/* So many instructions in that time, less those that are not its own; a correction is a's. */
static inline void book(struct account *a, struct usage *u, uint64_t instr, uint64_t time,
                        unsigned less)
{
    if (__builtin_expect(unlikely(instr, time), 0))
        instr = replaced(a, u, time, instr);
    u->time += time;
    u->instr += instr > less ? instr - less : 0;
}

/* The bytes between two readings, where there are any. */
static inline void book_bytes(struct usage *u, const struct reading *from, const struct reading *to)
{
    if (__builtin_expect(!acct_now.counts_bytes, 0))
        return;
    u->moved += (uint32_t)(to->moved - from->moved);
    u->summed += (uint32_t)(to->summed - from->summed);
}

/* From the last reading to this one. */
static inline void charge(struct account *a, struct usage *u, const struct reading *r,
                          unsigned less)
{
    uint64_t time = (uint64_t)(acct_now.last.timer - r->timer);
    uint64_t instr = (uint32_t)(r->count - acct_now.last.count);

    book_bytes(u, &acct_now.last, r);
    acct_now.last = *r;
    book(a, u, instr, time, less);
}

void acct_leave_cp(struct account *next)
{
    acct_now.leaving = acct_now.account;
    acct_now.account = next;
    clock_leave();
}

/* The two deltas of a way to a machine and back, when one of them may need a correction. */
static __attribute__((noinline)) void enter_long(void)
{
    charge(acct_now.account, &acct_now.leaving->cp, clock_out(), 0);
    acct_now.leaving->cp.instr += CLOCK_OUT;
    charge(acct_now.account, &acct_now.account->virt, clock_in(), CLOCK_OUT + CLOCK_IN);
}

/* Nearly always neither does: then the clocks of the way out need not be kept. */
static inline void enter(void)
{
    clock_entered();

    struct account *before = acct_now.leaving, *in = acct_now.account;
    const struct reading *out = clock_out(), *back = clock_in();
    uint32_t cps = out->count - acct_now.last.count;
    uint32_t own = back->count - out->count - (CLOCK_OUT + CLOCK_IN);

    if (__builtin_expect(cps > SLACK || own > SLACK, 0)) {
        enter_long();
        return;
    }
    before->cp.time += (uint64_t)(acct_now.last.timer - out->timer);
    before->cp.instr += cps + CLOCK_OUT;
    book_bytes(&before->cp, &acct_now.last, out);
    in->virt.time += (uint64_t)(out->timer - back->timer);
    in->virt.instr += own;
    book_bytes(&in->virt, out, back);
    acct_now.last = *back;
}

void acct_enter_cp(void)
{
    enter();
    acct_now.account->cp.instr += CLOCK_IN;
}

/* The wait executes nothing: what the counter's quantum adds is not charged, a race is a
 * correction. */
static inline void enter_from_wait(void)
{
    clock_entered();

    const struct reading *out = clock_out(), *back = clock_in();

    charge(&acct_idle, &acct_now.leaving->cp, out, 0);
    acct_now.last = *back;
    if (back->count - out->count > WAIT_MAX)
        acct_idle.corrections++;
    acct_idle.virt.time += (uint64_t)(out->timer - back->timer);
    acct_system.cp.instr += CLOCK_OUT + CLOCK_IN;
}

/* Whoever was interrupted has not asked for it: the system pays until it is known whose it is. */
void acct_enter_interrupted(void)
{
    if (acct_now.account == &acct_idle) {
        enter_from_wait();
    } else {
        enter();
        acct_system.cp.instr += CLOCK_IN;
    }
    acct_now.account = &acct_system;
    acct_now.system_before = acct_system.cp;
}

/* CP goes on for next, whom it is changed to before the clocks are read: at a reading a profiling
 * emulator looks in storage for whom CP works from there on. */
static inline void go_on(struct account *next)
{
    struct account *before = acct_now.account;

    acct_now.account = next;
    __asm__ volatile("" : : "m"(acct_now.account));

    struct reading now = clock_now();
    charge(before, &before->cp, &now, 0);
}

void acct_settle(void)
{
    go_on(acct_now.account);
}

void acct_sample(struct account *of, const char *userid)
{
    struct profile_request sample = {PROFILE_SAMPLE, of, .userid = "        "};

    for (unsigned i = 0; i < sizeof(sample.userid) && userid[i]; i++)
        sample.userid[i] = userid[i];

    struct reading now = clock_now_for(&sample);
    charge(acct_now.account, &acct_now.account->cp, &now, 0);
}

__attribute__((noinline)) void acct_go_on(struct account *next)
{
    go_on(next);
}

static void add(struct usage *to, const struct usage *from)
{
    to->time += from->time;
    to->instr += from->instr;
    to->moved += from->moved;
    to->summed += from->summed;
}

static __attribute__((noinline)) void done_by_clock(void)
{
    struct usage used = usage_since(&acct_system.cp, &acct_now.system_before);

    add(&acct_clocked, &used);
    acct_now.by_clock = false;
}

void acct_interrupted(void)
{
    struct account *before = acct_now.account;

    acct_now.account = &acct_system;
    __asm__ volatile("" : : "m"(acct_now.account)); /* as in go_on */

    struct reading now = clock_now();
    const struct reading *in = clock_in();
    uint64_t instr = (uint32_t)(now.count - in->count);
    uint64_t time = (uint64_t)(in->timer - now.timer);

    charge(before, &before->cp, &now, 0);
    /* the counter's race: the accounts have it corrected */
    if (__builtin_expect(unlikely(instr, time), 0) && !acct_count_exact)
        instr = (time >> 12) * FIRST_RATE;
    acct_interrupts.time += time;
    acct_interrupts.instr += instr;
    book_bytes(&acct_interrupts, in, &now);
    if (acct_now.by_clock)
        done_by_clock();
}

void acct_retire(const struct account *a)
{
    if (acct_now.account == a)
        acct_change(&acct_system);
    add(&acct_retired.virt, &a->virt);
    add(&acct_retired.cp, &a->cp);
    acct_retired.corrections += a->corrections;
    acct_retired.corrected_instr += a->corrected_instr;
}
