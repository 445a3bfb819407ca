/* SPDX-License-Identifier: MIT */
/* Time of day, and things to do at a time: a list in order of due time, driven by the clock
 * comparator that dispatch.c sets. */
#include "defs.h"
#include "s390.h"

/* TOD value of 1970-01-01 00:00 UTC (Principles of Operation, "Time-of-Day Clock") */
#define TOD_1970_US 2208988800000000UL

static struct timer *first;
bool timer_changed = true;
uint64_t loaded_comparator = UINT64_MAX;

uint64_t us_now(void)
{
    return tod() >> 12;
}

uint64_t unix_us(void)
{
    return us_now() - TOD_1970_US;
}

void timer_set(struct timer *t, uint64_t due_us, void (*fire)(void *), void *arg)
{
    struct timer **p = &first;

    timer_cancel(t);
    t->due = due_us;
    t->fire = fire;
    t->arg = arg;
    while (*p && (*p)->due <= due_us)
        p = &(*p)->next;
    t->next = *p;
    *p = t;
    timer_changed = true;
}

void timer_cancel(struct timer *t)
{
    if (!t->due)
        return;
    for (struct timer **p = &first; *p; p = &(*p)->next)
        if (*p == t) {
            *p = t->next;
            timer_changed = true;
            break;
        }
    t->due = 0;
    t->next = 0;
}

uint64_t timer_next(void)
{
    return first ? first->due : UINT64_MAX;
}

void timer_run(void)
{
    uint64_t now = us_now();

    while (first && first->due <= now) {
        struct timer *t = first;
        first = t->next;
        timer_changed = true;
        t->due = 0;
        t->next = 0;
        t->fire(t->arg);     /* it says whose work it does */
        acct_change(&acct_system);
    }
}

void timer_comparator_lost(void)
{
    loaded_comparator = UINT64_MAX;
    set_clock_comparator(loaded_comparator);
    timer_changed = true;
}
