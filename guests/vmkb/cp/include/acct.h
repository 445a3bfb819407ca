/* SPDX-License-Identifier: MIT */
/* Who used the CPU. Three calls change hands; everything that charges time goes through them
 * (acct.c). */
#ifndef VMKB_ACCT_H
#define VMKB_ACCT_H
#include <stdbool.h>
#include <stdint.h>
#include "usage.h"

struct account {
    struct usage virt;           /* the machine itself: VIRTCPU */
    struct usage cp;             /* CP on its behalf; TOTCPU = virt + cp */
    uint64_t corrections;        /* counter deltas that did not fit and were replaced */
    uint64_t corrected_instr;    /* instructions put in their place */
};

extern bool acct_count_exact;     /* the count is believed whatever the timer says */
extern struct account acct_system; /* CP's work that belongs to no machine */
extern struct account acct_idle;   /* the wait: its virt.time is time with nothing to do */
extern struct usage
    acct_interrupts; /* what of all accounts' CP work was done in interruptions of devices and
                        clocks: no account of its own, a view across them */
extern struct usage
    acct_clocked; /* what of the system's account went to interruptions in which CP did what it does
                     at fixed times, whatever anybody asks for: a view of that account */

/* What the reading of a clock may ask of a profiling emulator (docs/reference/profile.md): to look,
 * from now on, at each reading where `first` points whom CP works for; or to keep what was counted
 * for an account since its last sample. */
struct profile_request {
    uint64_t what;
#define PROFILE_START  1
#define PROFILE_SAMPLE 2
    const void *first;           /* the account; at the start: where CP keeps its address */
    union {
        char userid[8];          /* blank at its end */
        const struct account *special[2]; /* at the start: the wait, CP itself */
    };
};

void acct_init(struct account *first);
void acct_enter_cp(void);                 /* a machine has called CP, or has failed */
/* a machine or the wait was interrupted: CP goes on for the system */
void acct_enter_interrupted(void);
void acct_leave_cp(struct account *next); /* about to run next (a machine or the wait) */
void acct_go_on(struct account *next);    /* CP goes on, on behalf of another one */
void acct_interrupted(void); /* that interruption is dealt with: CP goes on for the system */

/* One structure: every interruption needs most of it. Below `account` all is acct.c's alone. */
extern struct acct_now {
    struct account *account;     /* whom CP works for */
    struct account *leaving;     /* whom it worked for when it last left: he pays for the way out */
    struct reading last;
    bool counts_bytes;           /* the emulator does: readings have them */
    bool by_clock;               /* this interruption's work is done at fixed times */
    struct usage system_before;  /* the system's account when CP was entered */
} acct_now;

static inline struct account *acct_current(void)
{
    return acct_now.account;
}

static inline void acct_change(struct account *next) /* CP goes on, on behalf of next */
{
    if (next != acct_now.account)
        acct_go_on(next);
}

/* This interruption is of such work: an announcement to the LAN or one of another node's, a tick, a
 * sample. */
static inline void acct_by_clock(void)
{
    acct_now.by_clock = true;
}

/* Bring the account CP works for up to now, before its figures are told. */
void acct_settle(void);

/* The same, told to a profiling emulator too: what `of` has used until then is a sample of it. */
void acct_sample(struct account *of, const char *userid);

/* The account of a machine that is gone goes on in the sum of all. */
void acct_retire(const struct account *a);
extern struct account acct_retired;
#endif
