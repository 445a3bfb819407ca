/* SPDX-License-Identifier: MIT */
/* How far the emulator's count of instructions is from a count by hand (cp/core/calibrate*.c,
 * CALIBRATE). */
#ifndef VMKB_CALIBRATE_H
#define VMKB_CALIBRATE_H
#include "defs.h"

#define CALIBRATE_LENGTHS 64  /* paths of 1 to 64 instructions of their own */
#define CALIBRATE_TRIPS   50  /* over each */
/* readings that a race of the counter has spoilt, of one kind of path */
#define CALIBRATE_REPEATS 20
#define CALIBRATE_LAYOUTS 256

/* Of one kind of path, over all lengths: counted - true, hundredths of an instruction for each
 * trip. */
struct calibration {
    int64_t least, most, mean;
    unsigned repeats;        /* readings taken again */
    bool there;              /* false: this system has no device to be interrupted by */
};

/* The same path in CALIBRATE_LAYOUTS places: |counted - true| in hundredths of a percent of the
 * true number. */
struct layout_error {
    uint32_t p95, worst;     /* 95 % of the layouts are not above p95 */
};

extern const char *const calibrate_kinds[];  /* names, 0 behind the last */
struct calibration calibrate(int kind);
struct layout_error calibrate_layout(void);
void calibrate_counter(void);                /* at IPL: is every instruction counted, and once? */
const char *counter_name(void);              /* EXACT or BATCHED, as that has found */

/* cp/core/calibrate_path.c: a path of kind and length; its instructions from the one at *entry to
 * its return. */
struct path_made {
    const void *entry;
    unsigned truth;          /* instructions of a trip, those that repeat apart */
    /* instructions of each turn of an operation that ends with condition code 3 */
    unsigned repeated;
};
enum {
    PATH_STRAIGHT,
    PATH_PAGE,
    PATH_ACROSS,
    PATH_CALL,
    PATH_EX,
    PATH_EXRL,
    PATH_F08,
    PATH_MVCL,
    PATH_CLCL,
    PATH_CKSM,
    PATH_MVCLE,
    PATH_CLCLE,
    PATH_KINDS
};
struct path_made path_make(int kind, unsigned length);
struct path_made path_layout(unsigned layout); /* the same work, its pieces in other places */
/* A program of nops that leaves by that instruction; entered at its end, which goes to its
 * beginning. */
uint16_t *path_program(unsigned nops, uint32_t leave, unsigned leave_size);
/* n instructions whose last enables interruptions; it comes then, or in a loop of two: LA, which
 * counts in %r7. */
struct path_wait {
    const uint16_t *entry, *loop;
};
struct path_wait path_wait(unsigned n, uint8_t enable);
#endif
