/* SPDX-License-Identifier: MIT */
/* How far Hercules' count of instructions is from the truth on the path by which a machine is entered and
 * left. The count goes up in steps, so each PSW that is loaded and each interruption gains or loses a
 * few. Here run() enters a program of m NOPs that comes back at once, by SVC or by an exception as
 * DIAGNOSE does, and the count over many trips is set against the instructions that boot/entry.S and the
 * loop below have, counted by hand. The true number of a trip, the instruction that interrupts included:
 *   loop below 3, run() RUN_PATH, the program m + 2, the entry ENTRY_PATH (an exception 2 more).
 * tests/e2e counts RUN_PATH and ENTRY_PATH again in the image. */
#include "calibrate.h"
#include "lib.h"

#define RUN_PATH   10
#define ENTRY_PATH 13
#define EXCEPTION  2
#define LOOP_PATH  3
#define PSW_CP     0x0000000180000000UL /* no DAT, disabled, supervisor state, 64-bit */

#define NOP  0x0700          /* BCR 0,0 */
#define SVC  0x0a00
#define NO_OP 0x0000         /* no such operation */
#define J    0xa7f4

/* uint64_t calibrate_trips(struct context *c, uint64_t n): counted instructions of n trips, and the
 * second reading itself. DIAGNOSE X'F08' to R8 and R9. */
__asm__("    .text\n"
        "    .balign 8\n"
        "    .globl calibrate_trips, calibrate_loop\n"
        "calibrate_trips:\n"
        "    stmg %r6,%r15,48(%r15)\n"
        "    aghi %r15,-160\n"
        "    lgr %r10,%r2\n"
        "    lgr %r11,%r3\n"
        "    .long 0x83880f08\n"
        "0:  lgr %r2,%r10\n"
        "    brasl %r14,run\n"
        "    brctg %r11,0b\n"
        "    .long 0x83990f08\n"
        "    slr %r9,%r8\n"
        "    llgfr %r2,%r9\n"
        "    lmg %r6,%r15,208(%r15)\n"
        "    br %r14\n"
        "calibrate_loop:\n"
        "    lgr %r4,%r2\n"
        "    .long 0x83330f08\n"
        "1:  brctg %r4,1b\n"
        "    .long 0x83550f08\n"
        "    slr %r5,%r3\n"
        "    llgfr %r2,%r5\n"
        "    br %r14\n");
uint64_t calibrate_trips(struct context *c, uint64_t n);
uint64_t calibrate_loop(uint64_t n);

static uint16_t program[CALIBRATE_LENGTHS + 4] __attribute__((aligned(8)));
static struct context context;

static void build(unsigned nops, uint16_t leave)
{
    unsigned i = 0;

    while (i < nops)
        program[i++] = NOP;
    program[i++] = leave;
    program[i] = J;          /* where the next trip begins */
    program[i + 1] = (uint16_t)-(int)i;
    memset(&context, 0, sizeof(context));
    context.psw.mask = PSW_CP;
    context.psw.addr = (uintptr_t)&program[i];
}

/* Once a second Hercules' counter can be off by millions (facts: its race): such a reading is taken again. */
static bool plausible(uint64_t counted, uint64_t truth)
{
    return counted < 2 * truth && counted > truth / 2;
}

static int64_t bias(unsigned nops, int exception, unsigned *repeats)
{
    uint64_t truth = CALIBRATE_TRIPS * (uint64_t)(LOOP_PATH + RUN_PATH + nops + 2 + ENTRY_PATH
                                                  + (exception ? EXCEPTION : 0)) + 1;
    uint64_t counted;

    build(nops, exception ? NO_OP : SVC);
    for (;;) {
        counted = calibrate_trips(&context, CALIBRATE_TRIPS);
        if (plausible(counted, truth) || *repeats >= CALIBRATE_REPEATS)
            break;
        ++*repeats;
    }
    return ((int64_t)counted - (int64_t)truth) * 100 / CALIBRATE_TRIPS;
}

struct calibration calibrate(int exception)
{
    struct calibration r = {.least = INT64_MAX, .most = INT64_MIN};

    for (unsigned m = 0; m < CALIBRATE_LENGTHS; m++) {
        int64_t b = bias(m, exception, &r.repeats);
        r.bias[m] = (int16_t)b;
        r.mean += b;
        if (b < r.least)
            r.least = b;
        if (b > r.most)
            r.most = b;
    }
    r.mean /= CALIBRATE_LENGTHS;
    r.shortest = LOOP_PATH + RUN_PATH + 2 + ENTRY_PATH + (exception ? EXCEPTION : 0);
    return r;
}

uint64_t calibrate_straight(uint64_t n, uint64_t *truth)
{
    *truth = n + 1;
    return calibrate_loop(n);
}
