/* SPDX-License-Identifier: MIT */
/* Temporary minidisks. Their places follow from the machines' minidisks: DETACH and LOGOFF give
 * them back. A block that was not written since it was defined reads as zeros: nobody sees what
 * another user had there. */
#include "tdisk.h"
#include "directory.h"
#include "lib.h"

enum { TDISK_BLOCKS = 32768, PIECE = 8 }; /* minidisks begin at multiples of 4 KB */

uint32_t tdisk_first = UINT32_MAX;
static uint32_t area_end;
static uint8_t on_volume;
static uint8_t written[TDISK_BLOCKS];

void tdisk_start(uint8_t volume, const struct vol_area *area)
{
    if (!area->blocks)
        return;
    on_volume = volume;
    tdisk_first = area->start;
    area_end = area->start + (area->blocks < TDISK_BLOCKS ? area->blocks : TDISK_BLOCKS);
}

/* The first block behind a minidisk that has some of these, or `start`. */
static uint32_t behind(uint32_t start, uint32_t blocks)
{
    for (int i = 0; i < VM_MAX; i++)
        for (int k = 0; vms[i].state != VM_FREE && k < VM_MDISKS; k++) {
            const struct mdisk *m = &vms[i].mdisk[k];
            if (m->vaddr && m->volume == on_volume && m->start < start + blocks
                && start < m->start + m->blocks)
                return (m->start + m->blocks + PIECE - 1) / PIECE * PIECE;
        }
    return start;
}

int tdisk_define(struct vm *vm, uint16_t vaddr, uint32_t blocks)
{
    uint32_t start = tdisk_first, next;
    struct mdisk *m = vm->mdisk;

    while (m < vm->mdisk + VM_MDISKS && m->vaddr)
        m++;
    if (m == vm->mdisk + VM_MDISKS)
        return DIAG_ELIMIT;
    for (;; start = next) {
        if (start >= area_end || blocks > area_end - start)
            return DIAG_ERANGE;
        next = behind(start, blocks);
        if (next == start)
            break;
    }
    memset(written + (start - tdisk_first), 0, blocks);
    *m = (struct mdisk){.vaddr = vaddr, .volume = on_volume, .writable = 1, .start = start,
                        .blocks = blocks, .owner_vaddr = vaddr};
    memset(m->owner, ' ', sizeof(m->owner));
    memcpy(m->owner, vm->userid, strlen(vm->userid));
    return 0;
}

void tdisk_wrote(uint32_t block, uint32_t count)
{
    memset(written + (block - tdisk_first), 1, count);
}

void tdisk_hide(uint32_t block, uint32_t count, uint8_t *data)
{
    for (uint32_t i = 0; i < count; i++)
        if (!written[block - tdisk_first + i])
            memset(data + 512 * i, 0, 512);
}
