/* SPDX-License-Identifier: MIT */
/* The instruction counter's bias on the dispatch path (cp/calibrate.c, CALIBRATE). */
#ifndef VMKB_CALIBRATE_H
#define VMKB_CALIBRATE_H
#include "defs.h"

#define CALIBRATE_LENGTHS 24  /* programs of 0 to 23 NOPs: two of the counter's steps of 12 */
#define CALIBRATE_TRIPS   200 /* into each of them and back */
#define CALIBRATE_REPEATS 20

struct calibration {
    int64_t least, most, mean; /* counted - true, hundredths of an instruction per trip */
    int16_t bias[CALIBRATE_LENGTHS];
    unsigned repeats;        /* readings taken again */
    unsigned shortest;       /* true instructions of a trip with no NOPs */
};
struct calibration calibrate(int exception); /* left by SVC, or by an exception */
uint64_t calibrate_straight(uint64_t n, uint64_t *truth); /* n branches in a loop: counted */
#endif
