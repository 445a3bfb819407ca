/* SPDX-License-Identifier: MIT */
/* The clocks of acct.c. In the guest run() reads them where it leaves CP and where an interruption
 * comes back (boot/entry.S), so that what the change of hands itself costs is CP's, not the
 * machine's; the host test turns its own. */
#ifndef VMKB_ACCT_CLOCK_H
#define VMKB_ACCT_CLOCK_H
#include <stdbool.h>
#include <stdint.h>
#include "usage.h"
#ifdef __s390x__
#include "lib.h"
#include "psa.h"
#include "s390.h"
static inline struct reading clock_now_for(const void *request)
{
    struct reading r;

    instruction_counts(request, &r.count, &r.moved, &r.summed);
    r.timer = cpu_timer();
    return r;
}
#define clock_leave()   ((void)0)
#define clock_out()     (&psa()->out)
#define clock_in()      (&psa()->in)
#define clock_entered() ((void)0)
#define CLOCK_OUT 4 /* STMG, STPT, LMG, LPSWE behind the reading in run() */
#define CLOCK_IN  2 /* STMG and the reading itself at the entry */
/* Whether the emulator counts bytes: a move of some is seen. */
static inline bool clock_counts_bytes(void)
{
    static char from[64], to[64];
    uint32_t before = clock_now_for(0).moved;

    memcpy(to, from, sizeof(to));
    __asm__ volatile("" : : "r"(to) : "memory");
    return clock_now_for(0).moved - before >= sizeof(to);
}
#else
struct reading clock_now_for(const void *request);
static struct reading clock_left, clock_came;
static inline void clock_leave(void)
{
    clock_left = clock_now_for(0);
}
#define clock_out() (&clock_left)
static inline void clock_entered(void)
{
    clock_came = clock_now_for(0);
}
#define clock_in() (&clock_came)
#define CLOCK_OUT 0
#define CLOCK_IN  0
static inline bool clock_counts_bytes(void)
{
    return true;
}
#endif
#define clock_now() clock_now_for(0)
#endif
