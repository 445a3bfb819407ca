/* SPDX-License-Identifier: MIT */
/* CPU models: what a count would have cost on a named machine (accounting/machines.toml). */
#ifndef VMKB_MODELS_H
#define VMKB_MODELS_H
#include <stdint.h>

struct model {
    char name[9];
    uint64_t kmips;          /* instructions per millisecond; 0: the CPU timer as it is */
    uint64_t move_rate;      /* bytes moved per millisecond */
    uint64_t sum_rate;       /* bytes summed per millisecond */
};

extern const struct model models[];
extern const int model_count;
#endif
