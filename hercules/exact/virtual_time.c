/* SPDX-License-Identifier: QPL-1.0 */
/* Virtual time: the clock. It is the number of executed instructions times the time of one, plus
 * the time of the bytes that single instructions move or sum, plus waits, which are leapt over.
 * The instructions of a guest under SIE are in the CPU's count.
 *
 * Derived from Hercules 3.13 as count.patch is, under the same licence, the Q Public License
 * version 1.0. */
#include "hstdinc.h"
#include "hercules.h"
#include "opcode.h"
#include "virtual.h"
#include "virtual_parts.h"

#define UNIT_PS 62500ULL               /* the clock's unit of 1/16 us */
#define MS_PS   1000000000ULL
#define POINT   20

struct model vt_model;
static U64 per_moved, per_summed;       /* instructions for a byte, in 1/2**POINT */
static U64 base_ps, base_count, base_moved, base_summed;

REGS *vt_cpu(void)
{
    return sysblk.regs[0];
}

static U64 scaled(U64 n, U64 per_ms)
{
    if (!per_ms)
        return 0;
    if (n < NEVER / MS_PS)             /* as a rule */
        return n * MS_PS / per_ms;
    return (U64)((unsigned __int128)n * MS_PS / per_ms);
}

U64 vt_now(void)
{
    REGS *regs = vt_cpu();
    U64 count = regs ? regs->exactcount : base_count;

    return base_ps + scaled(count - base_count, vt_model.kmips)
           + scaled(exact_moved - base_moved, vt_model.move_rate)
           + scaled(exact_summed - base_summed, vt_model.sum_rate);
}

static void set_now(U64 when)
{
    REGS *regs = vt_cpu();

    base_ps = when;
    base_count = regs ? regs->exactcount : 0;
    base_moved = exact_moved;
    base_summed = exact_summed;
}

void vt_leap(U64 when)
{
    if (when > vt_now())
        set_now(when);
}

void virtual_rebase(REGS *regs)
{
    if (!virtual_on || regs != vt_cpu())
        return;
    set_now(vt_now());
    base_count = 0;                    /* the caller sets the count to zero now */
    virtual_soon();
}

int virtual_usage(int who, struct rusage *usage)
{
    U64 us;

    if (!virtual_on)
        return getrusage(who, usage);
    us = who == RUSAGE_SELF ? scaled(vt_cpu()->exactcount, vt_model.kmips) / 1000000 : 0;
    memset(usage, 0, sizeof(*usage));
    usage->ru_utime.tv_sec = us / 1000000;
    usage->ru_utime.tv_usec = us % 1000000;
    return 0;
}

U64 virtual_clock(void)
{
    return vt_model.tod + vt_now() / UNIT_PS;
}

U64 virtual_clock_low(void)
{
    return vt_now() % UNIT_PS * 256 / UNIT_PS;
}

/* When the clock, in its unit, will be past `at`. */
static U64 after(U64 at)
{
    if (at < vt_model.tod || at - vt_model.tod > NEVER / UNIT_PS - 2)
        return NEVER;
    return (at - vt_model.tod + 1) * UNIT_PS;
}

/* Interruptions that are pending already do not come again. */
static U64 next_of(REGS *regs)
{
    U64 next = NEVER, when;

    if (!IS_IC_CLKC(regs) && (when = after(regs->clkc - regs->tod_epoch)) < next)
        next = when;
    if (!IS_IC_PTIMER(regs) && (when = after(regs->cpu_timer)) < next)
        next = when;
    return next;
}

U64 vt_next_timer(REGS *regs)
{
    U64 next = next_of(regs), guests;

    if (regs->sie_active && (guests = next_of(regs->guestregs)) < next)
        next = guests;
    return next;
}

static U64 in_instructions(U64 rate)
{
    return rate ? ((U64)vt_model.kmips << POINT) / rate + 1 : 0;
}

void vt_rates(void)
{
    per_moved = in_instructions(vt_model.move_rate);
    per_summed = in_instructions(vt_model.sum_rate);
}

U64 vt_done(void)
{
    return vt_cpu()->exactcount + ((exact_moved * per_moved + exact_summed * per_summed) >> POINT);
}

U64 vt_done_at(U64 when)
{
    U64 done = vt_done(), now = vt_now();

    if (when == NEVER)
        return NEVER;
    if (when <= now)
        return done;
    return done + (U64)((unsigned __int128)(when - now) * vt_model.kmips / MS_PS);
}
