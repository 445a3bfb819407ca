/* SPDX-License-Identifier: MIT */
/* The machine's free storage. Commands take from the low end and give all back when they end, in
 * the order of a stack; what stays (disks, file buffers, the program stack) comes from the high
 * end, below the room for the C stack. */
#include "nucleus.h"

enum { C_STACK = 96 * 1024 }; /* commands and EXECs nest CMS_NEST deep at most */

static char *low, *high;

void heap_init(void)
{
    struct diag_space space;

    diag_space(&space);
    low = (char *)((space.free_from + 4095) & ~4095UL);
    high = (char *)(space.size - C_STACK);
}

void *cms_alloc(size_t size)
{
    char *p = low;

    size = (size + 7) & ~(size_t)7;
    if (size > cms_storage_left())
        return 0;
    low += size;
    return p;
}

size_t cms_storage_left(void)
{
    return (size_t)(high - low);
}

void *heap_mark(void)
{
    return low;
}

bool heap_give_back(void *p, size_t size)
{
    if (p != high)
        return false;
    high += size;
    return true;
}

void heap_release(void *mark)
{
    low = mark;
}

void *heap_permanent(size_t size)
{
    size = (size + 4095) & ~(size_t)4095;
    if (size > cms_storage_left())
        return 0;
    high -= size;
    return high;
}
