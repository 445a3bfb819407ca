/* SPDX-License-Identifier: MIT */
/* How far the emulator's count of instructions is from the truth. A path of instructions counted by
 * hand is gone many times and the count set against it: paths of CP's own (calibrate_path.c), and
 * the way into a machine and back, by each kind of interruption. The true number of a round trip,
 * the instruction that interrupts included: the loop below LOOP_PATH, run() RUN_PATH, the program,
 * the entry ENTRY_PATH (an exception 2 more). tests/e2e counts RUN_PATH and ENTRY_PATH again in the
 * image. */
#include "calibrate.h"
#include "channel.h"
#include "lib.h"
#include "s390.h"

#define RUN_PATH   10
#define ENTRY_PATH 13
#define EXCEPTION  2
#define LOOP_PATH  3
#define RACE_LEAST 1000000U
#define CALL_PATH  2         /* BASR and BRCTG below */
#define PSW_CP      0x0000000180000000UL /* no DAT, disabled, supervisor state, 64-bit */
#define PSW_PROBLEM 0x0001000180000000UL
#define ENABLE_IO   0x02     /* of the PSW's first byte */
#define ENABLE_EXT  0x01

/* a device takes its time, and so do long operations: CP does nothing else meanwhile */
#define SLOW_TRIPS 4

#define SVC      0x0a00
#define NO_OP    0x0000      /* no such operation */
#define DIAGNOSE 0x832001fc  /* privileged */

enum { KIND_SVC = PATH_KINDS, KIND_LPSWE, KIND_DIAGNOSE, KIND_PROGRAM, KIND_EXTERNAL, KIND_IO };

const char *const calibrate_kinds[] = {"STRAIGHT",
                                       "TO ANOTHER PAGE",
                                       "ACROSS PAGES",
                                       "CALL",
                                       "EX",
                                       "EXRL",
                                       "DIAGNOSE F08",
                                       "MVCL",
                                       "CLCL",
                                       "CKSM",
                                       "MVCLE",
                                       "CLCLE",
                                       "SVC",
                                       "SVC, PROBLEM",
                                       "DIAGNOSE",
                                       "PROGRAM",
                                       "EXTERNAL",
                                       "I/O",
                                       0};

/* uint64_t calibrate_trips(struct context *c, uint64_t n): counted instructions of n round trips,
 * and the second reading itself. calibrate_calls(entry, n, turns): of n calls of a path; *turns is
 * what it has counted in %r7. DIAGNOSE X'F08' to R8 and R9. */
__asm__("    .text\n"
        "    .balign 8\n"
        "    .globl calibrate_trips, calibrate_calls\n"
        "calibrate_trips:\n"
        "    stmg %r6,%r15,48(%r15)\n"
        "    aghi %r15,-160\n"
        "    lgr %r10,%r2\n"
        "    lgr %r11,%r3\n"
        "    .long 0x83880f08\n"
        "0:  lgr %r2,%r10\n"
        "    brasl %r14,into_context\n"
        "    brctg %r11,0b\n"
        "    .long 0x83990f08\n"
        "    slr %r9,%r8\n"
        "    llgfr %r2,%r9\n"
        "    lmg %r6,%r15,208(%r15)\n"
        "    br %r14\n"
        "calibrate_calls:\n"
        "    stmg %r6,%r15,48(%r15)\n"
        "    lgr %r10,%r2\n"
        "    lgr %r11,%r3\n"
        "    lgr %r12,%r4\n"
        "    lghi %r7,0\n"
        "    .long 0x83880f08\n"
        "1:  basr %r14,%r10\n"
        "    brctg %r11,1b\n"
        "    .long 0x83990f08\n"
        "    stg %r7,0(%r12)\n"
        "    slr %r9,%r8\n"
        "    llgfr %r2,%r9\n"
        "    lmg %r6,%r15,48(%r15)\n"
        "    br %r14\n");
uint64_t calibrate_trips(struct context *c, uint64_t n);
uint64_t calibrate_calls(const void *entry, uint64_t n, uint64_t *turns);

static struct context context;

static unsigned trips(int kind)
{
    bool slow =
        kind == KIND_EXTERNAL || kind == KIND_IO || (kind >= PATH_MVCL && kind <= PATH_CLCLE);

    return slow ? SLOW_TRIPS : CALIBRATE_TRIPS;
}

struct outcome {
    uint64_t counted, truth;
};

static struct outcome go_calls(const struct path_made *p, uint64_t n)
{
    uint64_t turns;
    struct outcome r = {calibrate_calls(p->entry, n, &turns), 0};

    r.truth = n * (CALL_PATH + p->truth) + turns * p->repeated + 1;
    return r;
}

static void enter_at(const uint16_t *program, uint64_t mask)
{
    memset(&context, 0, sizeof(context));
    context.psw.mask = mask;
    context.psw.addr = (uintptr_t)program;
}

static struct outcome go_trips(unsigned program, unsigned entry, uint64_t n)
{
    return (struct outcome){calibrate_trips(&context, n),
                            n * (LOOP_PATH + RUN_PATH + program + entry) + 1};
}

/* A program that enables an interruption that is pending already, or is about to come: Hercules
 * shows a subchannel's status a moment before. One trip: it stays enabled. */
static struct outcome interrupted(unsigned length, uint8_t enable)
{
    static uint8_t mask;
    struct outcome sum = {0, 0};

    for (int i = 0; i < SLOW_TRIPS; i++) {
        struct path_wait w = path_wait(length, enable);
        enter_at(w.entry, PSW_CP);
        context.gr[5] = (uintptr_t)&mask;
        if (enable == ENABLE_EXT)
            set_clock_comparator(0);
        else if (!channel_pend())
            return sum;
        struct outcome r = go_trips(length, ENTRY_PATH, 1);
        r.truth += 2 * context.gr[7] - (context.psw.addr != (uintptr_t)w.loop);
        if (enable == ENABLE_IO)
            channel_interrupt();
        sum.counted += r.counted;
        sum.truth += r.truth;
    }
    return sum;
}

static struct outcome go(int kind, unsigned length)
{
    const unsigned exception = ENTRY_PATH + EXCEPTION;
    struct path_made p;

    switch (kind) {
    default:
        p = path_make(kind, length);
        return go_calls(&p, trips(kind));
    case KIND_SVC:
        enter_at(path_program(length - 1, SVC, 2), PSW_CP);
        return go_trips(length + 1, ENTRY_PATH, CALIBRATE_TRIPS);
    case KIND_LPSWE:
        enter_at(path_program(length - 1, SVC, 2), PSW_PROBLEM);
        return go_trips(length + 1, ENTRY_PATH, CALIBRATE_TRIPS);
    case KIND_DIAGNOSE:
        enter_at(path_program(length - 1, DIAGNOSE, 4), PSW_PROBLEM);
        return go_trips(length + 1, exception, CALIBRATE_TRIPS);
    case KIND_PROGRAM:
        enter_at(path_program(length - 1, NO_OP, 2), PSW_CP);
        return go_trips(length + 1, exception, CALIBRATE_TRIPS);
    case KIND_EXTERNAL:
        return interrupted(length, ENABLE_EXT);
    case KIND_IO:
        return interrupted(length, ENABLE_IO);
    }
}

/* Once a second a stock counter can be off by many millions: such a reading is taken again. */
static bool plausible(const struct outcome *r)
{
    return r->counted < 16 * r->truth + RACE_LEAST;
}

/* Interruptions that come meanwhile are their devices' as always; the timers' comparator is set
 * again. */
struct calibration calibrate(int kind)
{
    struct calibration c = {.least = INT64_MAX, .most = INT64_MIN, .there = true};
    struct account *who = acct_current();

    for (unsigned m = 1; m <= CALIBRATE_LENGTHS && c.there; m++) {
        struct outcome r = go(kind, m);
        while (r.truth && !plausible(&r) && c.repeats < CALIBRATE_REPEATS) {
            c.repeats++;
            r = go(kind, m);
        }
        c.there = r.truth != 0;
        int64_t bias = ((int64_t)r.counted - (int64_t)r.truth) * 100 / (int64_t)trips(kind);
        c.mean += bias;
        if (bias < c.least)
            c.least = bias;
        if (bias > c.most)
            c.most = bias;
    }
    c.mean /= CALIBRATE_LENGTHS;
    timer_comparator_lost();
    acct_change(who);
    return c;
}

static uint32_t off_by(const struct outcome *r)
{
    uint64_t apart = r->counted > r->truth ? r->counted - r->truth : r->truth - r->counted;

    return (uint32_t)((apart * 10000 + r->truth / 2) / r->truth);
}

struct layout_error calibrate_layout(void)
{
    static uint32_t error[CALIBRATE_LAYOUTS]; /* in order, the smallest first */
    unsigned repeats = 0;

    for (unsigned n = 0; n < CALIBRATE_LAYOUTS; n++) {
        struct path_made p = path_layout(n);
        struct outcome r = go_calls(&p, CALIBRATE_TRIPS);
        while (!plausible(&r) && repeats++ < CALIBRATE_REPEATS)
            r = go_calls(&p, CALIBRATE_TRIPS);
        uint32_t off = off_by(&r);
        unsigned i = n;
        for (; i && error[i - 1] > off; i--)
            error[i] = error[i - 1];
        error[i] = off;
    }
    return (struct layout_error){error[(CALIBRATE_LAYOUTS * 95 + 99) / 100 - 1],
                                 error[CALIBRATE_LAYOUTS - 1]};
}

/* A few paths of each sort that counters in batches get wrong, twice each: 2300 instructions with
 * their making. */
void calibrate_counter(void)
{
    bool exact = true;
    for (unsigned m = 1; m <= 11; m += 5) {
        static const int kinds[] = {PATH_STRAIGHT, PATH_PAGE, PATH_EX, PATH_EXRL};
        for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
            struct path_made p = path_make(kinds[i], m);
            struct outcome r = go_calls(&p, 2);
            exact = exact && r.counted == r.truth;
        }
        enter_at(path_program(m - 1, SVC, 2), PSW_CP);
        struct outcome r = go_trips(m + 1, ENTRY_PATH, 2);
        exact = exact && r.counted == r.truth;
        enter_at(path_program(m - 1, NO_OP, 2), PSW_CP);
        r = go_trips(m + 1, ENTRY_PATH + EXCEPTION, 2);
        exact = exact && r.counted == r.truth;
    }
    acct_count_exact = exact;
}

const char *counter_name(void)
{
    return acct_count_exact ? "EXACT" : "BATCHED";
}
