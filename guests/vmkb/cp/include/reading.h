/* SPDX-License-Identifier: MIT */
/* What CP reads at each change of hands: Hercules' counts and the CPU timer. boot/entry.S stores
 * this. */
#ifndef VMKB_READING_H
#define VMKB_READING_H
#include <stdint.h>

/* count: instructions. moved, summed: bytes, as the emulator counts them (hercules/exact); only
 * differences say something, which are below 2^32. timer: 4096 to the microsecond, downwards. */
struct reading {
    uint32_t unused;
    uint32_t count;
    uint32_t moved, summed;
    int64_t timer;
};
#endif
