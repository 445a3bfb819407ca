/* SPDX-License-Identifier: MIT */
/* The accounts. Two clocks are read at each change of hands: Hercules' count of instructions (the
 * yardstick) and the CPU timer (the witness). The count has a race in Hercules 3.13: once a second a
 * delta may be too large by a second's worth. A delta that the timer cannot explain is replaced by
 * timer x recent rate, and counted. Compiled on the host too, with a fake clock (tests/guests). */
#include "acct.h"
#include "acct_clock.h"

#define MAX_PER_US 400U /* more than twice what the fastest loop did on the machines measured */
#define SLACK      5000U
#define WAIT_MAX   64U  /* a wait executes nothing; the counter's quantum is about 12 */

struct account acct_system;
struct account acct_idle;
struct account acct_retired;

static struct account *current;
static int in_cp;
static uint32_t last_count;
static int64_t last_timer;
static uint64_t rate_instr = 150, rate_time = 4096; /* last good long stretch; start: 150 per us */

void acct_init(struct account *first)
{
    current = first;
    in_cp = 1;
    last_count = clock_count();
    last_timer = clock_timer();
}

struct account *acct_current(void)
{
    return current;
}

static void charge(void)
{
    uint32_t count = clock_count();
    int64_t timer = clock_timer();
    uint64_t time = (uint64_t)(last_timer - timer);
    uint64_t instr = (uint32_t)(count - last_count);
    struct usage *u = in_cp ? &current->cp : &current->virt;
    uint64_t most = (time >> 12) * MAX_PER_US + SLACK;

    last_count = count;
    last_timer = timer;
    if (u == &acct_idle.virt)
        most = WAIT_MAX;
    if (__builtin_expect(instr > most, 0)) {
        instr = u == &acct_idle.virt ? 0 : time * rate_instr / rate_time;
        current->corrections++;
        current->corrected_instr += instr;
    } else if (time > 100 * 4096 && u != &acct_idle.virt) {
        rate_instr = instr;
        rate_time = time;
    }
    u->time += time;
    u->instr += instr;
}

void acct_enter_cp(void)
{
    charge();
    in_cp = 1;
}

void acct_leave_cp(struct account *next)
{
    charge();
    current = next;
    in_cp = 0;
}

void acct_change(struct account *next)
{
    if (next == current)
        return;
    charge();
    current = next;
}

void acct_moved(uint64_t bytes)
{
    current->cp.moved += bytes;
}

static void add(struct usage *to, const struct usage *from)
{
    to->time += from->time;
    to->instr += from->instr;
    to->moved += from->moved;
    to->summed += from->summed;
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
