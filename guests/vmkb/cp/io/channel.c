/* SPDX-License-Identifier: MIT */
/* Start subchannels and pass their interruptions to drivers. */
#include "channel.h"
#include "acct.h"
#include "defs.h"
#include "lib.h"
#include "s390.h"

struct orb {
    uint32_t parm, flags, ccw;
    uint32_t rest[5];
};
#define ORB_FORMAT1 0x0082FF00U /* CCWs of format 1, indirect addresses of format 2, 4 KB each */

/* Of the channel program that is started: to start one sets the two words that differ. */
static struct orb orb = {.flags = ORB_FORMAT1};

struct schib {
    uint32_t parm;
    uint16_t flags, devno;
    uint32_t pmcw[5];
    uint32_t scsw[3];
    uint32_t rest[3];
};
_Static_assert(sizeof(struct schib) == 52, "SCHIB");
#define CMD_NOP      0x03
#define PEND_US      2000000
#define LOOK_US      20
#define PMCW_ENABLED 0x0080U
#define PMCW_VALID   0x0001U
#define PMCW_QUIET   0x0800U  /* interruption subclass 1, which CR6 can mask */
#define CR6_ALL      0xff000000UL
#define CR6_QUIET    0x40000000UL

static struct device devices[DEVICES];
static int device_count;

static int stsch(uint32_t schid, struct schib *s)
{
    register uint64_t r1 __asm__("1") = schid;
    int cc;
    __asm__ volatile("stsch %1\n\tipm %0\n\tsrl %0,28" : "=d"(cc), "=Q"(*s) : "d"(r1) : "cc");
    return cc;
}

static int msch(uint32_t schid, struct schib *s)
{
    register uint64_t r1 __asm__("1") = schid;
    int cc;
    __asm__ volatile("msch %1\n\tipm %0\n\tsrl %0,28" : "=d"(cc) : "Q"(*s), "d"(r1) : "cc");
    return cc;
}

/* The interruption parameter of its interruptions is where its struct device is. */
static inline int ssch(const struct device *d, const struct ccw *chain)
{
    register uint64_t r1 __asm__("1") = d->schid;
    int cc;

    orb.parm = (uint32_t)(uintptr_t)d;
    orb.ccw = (uint32_t)(uintptr_t)chain;
    __asm__ volatile("ssch %1\n\tipm %0\n\tsrl %0,28"
                     : "=d"(cc)
                     : "Q"(orb), "d"(r1)
                     : "cc", "memory");
    return cc;
}

static inline int tsch(uint32_t schid, struct irb *i)
{
    register uint64_t r1 __asm__("1") = schid;
    int cc;
    __asm__ volatile("tsch %1\n\tipm %0\n\tsrl %0,28"
                     : "=d"(cc), "=Q"(*i)
                     : "d"(r1)
                     : "cc", "memory");
    return cc;
}

/* TEST PENDING INTERRUPTION: the code goes to low core as an interruption would put it */
static inline int tpi(void)
{
    int cc;
    __asm__ volatile("tpi 0\n\tipm %0\n\tsrl %0,28" : "=d"(cc) : : "cc", "memory");
    return cc;
}

void channel_init(void)
{
    struct schib s;

    for (uint32_t n = 0; n < DEVICES; n++) {
        uint32_t schid = 0x10000 + n;
        if (stsch(schid, &s) != 0)
            break;
        if (!(s.flags & PMCW_VALID))
            continue;
        s.flags |= PMCW_ENABLED;
        if (s.devno == CTC_WRITE_DEV)
            s.flags |= PMCW_QUIET;
        struct device *d = &devices[n];
        d->schid = schid;
        d->devno = s.devno;
        d->owner = &acct_system;
        s.parm = (uint32_t)(uintptr_t)d;
        d->present = msch(schid, &s) == 0;
        device_count = (int)n + 1;
    }
    load_cr6(CR6_ALL);
}

void channel_quiet(bool quiet)
{
    load_cr6(quiet ? CR6_ALL & ~CR6_QUIET : CR6_ALL);
}

struct device *device_find(uint16_t devno)
{
    for (int i = 0; i < device_count; i++)
        if (devices[i].present && devices[i].devno == devno)
            return &devices[i];
    return 0;
}

struct device *device_index(int i)
{
    return i < device_count ? &devices[i] : 0;
}

/* A program whose end never came: status came alone, and the subchannel is neither at work nor has
 * status. Hercules drops the end of a display's program when the terminal goes away before the end
 * was taken. The driver is told of a failure. (The alone status itself does not tell: Hercules
 * keeps it in words of its own.) */
static void lost(struct device *d)
{
    static const struct irb failed = {.dstat = DSTAT_UNIT_CHECK};
    struct schib now;

    if (stsch(d->schid, &now) != 0
        || (now.scsw[0] & (SCSW_AT_WORK | SCSW_PRIMARY | SCSW_SECONDARY)))
        return;
    d->busy = 0;
    if (d->interrupt)
        d->interrupt(d, &failed, 1);
}

/* Status that is not the end of a channel program, or only the first part of one. */
static __attribute__((noinline)) void take_other(struct device *d, const struct irb *irb)
{
    int ended = (irb->scsw0 & (SCSW_PRIMARY | SCSW_SECONDARY)) != 0 && d->busy;

    if (ended && !(irb->scsw0 & SCSW_SECONDARY)
        && !(irb->dstat & (DSTAT_DEVICE_END | DSTAT_UNIT_CHECK)) && !irb->cstat)
        return;              /* channel end alone: device end will follow */
    if (ended)
        d->busy = 0;
    if (d->busy && !(irb->scsw0 & (SCSW_PRIMARY | SCSW_SECONDARY)))
        lost(d);
    if (d->interrupt)
        d->interrupt(d, irb, ended);
}

static inline void take(struct device *d)
{
    struct irb irb __attribute__((aligned(8)));

    acct_change(d->owner);
    if (tsch(d->schid, &irb) != 0)
        return;
    if (!(irb.scsw0 & SCSW_SECONDARY) || !d->busy || !d->interrupt) {
        take_other(d, &irb);
        return;
    }
    d->busy = 0;
    d->interrupt(d, &irb, 1);
}

bool device_ended(struct device *d)
{
    struct irb irb __attribute__((aligned(8)));

    if (tsch(d->schid, &irb) != 0)
        return false;
    if ((irb.scsw0 & SCSW_SECONDARY) && irb_well(&irb)) {
        d->busy = 0;
        return true;
    }
    take_other(d, &irb);
    return false;
}

/* Status is pending: take it, then try again. */
static __attribute__((noinline)) int start_again(struct device *d, const struct ccw *chain)
{
    struct account *who = acct_current();
    int cc = 0;

    for (int attempt = 0; attempt < 2; attempt++) {
        take(d);
        acct_change(who);
        cc = ssch(d, chain);
        if (cc == 0 || cc == 3)
            break;
    }
    if (cc == 0) {
        d->busy = 1;
        d->starts++;
    }
    return cc;
}

int device_start(struct device *d, const struct ccw *chain)
{
    int cc = ssch(d, chain);

    if (cc != 0)
        return cc == 3 ? cc : start_again(d, chain);
    d->busy = 1;
    d->starts++;
    return 0;
}

/* What it does ends; its driver is told as of a program whose end never came. */
void device_clear(struct device *d)
{
    register uint64_t r1 __asm__("1") = d->schid;
    __asm__ volatile("csch" : : "d"(r1) : "cc", "memory");
}

/* Starts a NO-OPERATION, which the device's driver takes for nothing of its own. */
static bool quiet_start(struct device *d)
{
    static struct ccw nop = {CMD_NOP, CCW_SLI, 1, 0};

    nop.data = (uint32_t)(uintptr_t)&nop;
    if (d->busy)
        return false;
    if (ssch(d, &nop) == 0)
        return true;
    take(d);                 /* status pending: the one before, seen late */
    return ssch(d, &nop) == 0;
}

static bool shows_pending(const struct device *d, uint64_t until)
{
    struct schib now;

    while (us_now() < until) {
        if (stsch(d->schid, &now) == 0 && (now.scsw[0] & SCSW_PENDING))
            return true;
        for (uint64_t look = us_now() + LOOK_US; us_now() < look;)
            ;                /* to look holds the device's lock, which its own work needs */
    }
    return false;
}

/* A NO-OPERATION on the real punch or the operator's console, and the wait for its end. Where both
 * are at work, or the computer has no time for the device's thread, it waits. False when neither
 * is there, or none is free in PEND_US. */
bool channel_pend(void)
{
    static const uint16_t quiet[] = {0x000d, 0x0009};
    const uint64_t until = us_now() + PEND_US;

    do {
        bool there = false;
        for (unsigned i = 0; i < sizeof(quiet) / sizeof(*quiet); i++) {
            struct device *d = device_find(quiet[i]);
            there |= d != NULL;
            if (d && quiet_start(d))
                return shows_pending(d, until);
        }
        if (!there)
            return false;
        channel_poll();
    } while (us_now() < until);
    return false;
}

/* That of the interruption in low core; 0: of a subchannel that is none of CP's devices. */
static inline struct device *interrupting(void)
{
    return (struct device *)(uintptr_t)psa()->io_parm;
}

/* All pending I/O interruptions; the first is in low core already. */
void channel_interrupt(void)
{
    do {
        if (interrupting())
            take(interrupting());
    } while (tpi());
}

/* Take what is pending without waiting: for CP when it cannot go back to the dispatcher. */
void channel_poll(void)
{
    if (tpi())
        channel_interrupt();
}

uint64_t device_starts(int i)
{
    return i < device_count ? devices[i].starts : 0;
}
