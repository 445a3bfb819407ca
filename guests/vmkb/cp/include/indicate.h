/* SPDX-License-Identifier: MIT */
/* The smoothed load of the system (cp/core/indicate.c). */
#ifndef VMKB_INDICATE_H
#define VMKB_INDICATE_H
#include "defs.h"

struct load {
    uint32_t cpu, q1, q2, storage; /* percent; users in list 0 and 1; percent of dynamic pages */
};
struct load indicate_load(void);
uint32_t resident_pages(const struct vm *vm); /* real pages that a machine holds, tables included */
#endif
