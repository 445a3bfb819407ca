/* SPDX-License-Identifier: MIT */
/* The two clocks of acct.c. In the guest run() reads them where it leaves CP and where an
 * interruption comes back (boot/entry.S), so that what the change of hands itself costs is CP's,
 * not the machine's; the host test turns its own. */
#ifndef VMKB_ACCT_CLOCK_H
#define VMKB_ACCT_CLOCK_H
#include <stdint.h>
#ifdef __s390x__
#include "psa.h"
#include "s390.h"
#define clock_count() instruction_count()
#define clock_count_for(request) instruction_count_for(request)
#define clock_timer() cpu_timer()
#define clock_leave() ((void)0)
#define clock_out_count() (psa()->out_count)
#define clock_out_timer() (psa()->out_timer)
#define clock_in_count()  (psa()->in_count)
#define clock_in_timer()  (psa()->in_timer)
#define clock_entered()   ((void)0)
#define CLOCK_OUT 4 /* ST, STPT, LMG, LPSWE behind the reading in run() */
#define CLOCK_IN  2 /* STG and the reading itself at the entry */
#else
uint32_t clock_count(void);
int64_t clock_timer(void);
#define clock_count_for(request) ((void)(request), clock_count())
static uint32_t left_count, in_count;
static int64_t left_timer, in_timer;
static inline void clock_leave(void)
{
    left_count = clock_count();
    left_timer = clock_timer();
}
#define clock_out_count() left_count
#define clock_out_timer() left_timer
static inline void clock_entered(void)
{
    in_count = clock_count();
    in_timer = clock_timer();
}
#define clock_in_count()  in_count
#define clock_in_timer()  in_timer
#define CLOCK_OUT 0
#define CLOCK_IN  0
#endif
#endif
