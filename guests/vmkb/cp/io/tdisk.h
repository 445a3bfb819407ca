/* SPDX-License-Identifier: MIT */
/* Temporary minidisks (cp/io/tdisk.c): pieces of the volume's area TDISK. */
#ifndef VMKB_TDISK_H
#define VMKB_TDISK_H
#include "defs.h"

struct vol_area;
void tdisk_start(uint8_t volume, const struct vol_area *area);
/* 0; DIAG_ELIMIT: the machine has minidisks enough; DIAG_ERANGE: no such room. */
int tdisk_define(struct vm *vm, uint16_t vaddr, uint32_t blocks);

/* Below, blocks are the volume's. */
extern uint32_t tdisk_first;             /* the area is behind all minidisks */
static inline bool tdisk_has(uint32_t block)
{
    return block >= tdisk_first;
}
void tdisk_wrote(uint32_t block, uint32_t count);
void tdisk_hide(uint32_t block, uint32_t count, uint8_t *data); /* zeros for what was not written */
#endif
