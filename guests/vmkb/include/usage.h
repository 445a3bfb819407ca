/* SPDX-License-Identifier: MIT */
/* What of the CPU was used: in accounts of CP, and in what a monitor program is told. */
#ifndef VMKB_USAGE_H
#define VMKB_USAGE_H
#include <stdint.h>

/* One kind of use. time: CPU-timer units, 4096 to the microsecond. instr: instructions.
 * moved, summed: bytes that storage operations moved or checksummed: one such instruction counts
 * as one whatever its length, so the bytes are charged beside it. */
struct usage {
    uint64_t time;
    uint64_t instr;
    uint64_t moved;
    uint64_t summed;
};

/* What CP reads at each change of hands: Hercules' counts and the CPU timer. boot/entry.S stores
 * it. count: instructions. moved, summed: bytes, as the emulator counts them (hercules/exact); only
 * differences say something, which are below 2^32. timer: 4096 to the microsecond, downwards. */
struct reading {
    uint32_t unused;
    uint32_t count;
    uint32_t moved, summed;
    int64_t timer;
};

/* What was used since base was taken. */
static inline struct usage usage_since(const struct usage *now, const struct usage *base)
{
    return (struct usage){now->time - base->time, now->instr - base->instr,
                          now->moved - base->moved, now->summed - base->summed};
}
#endif
