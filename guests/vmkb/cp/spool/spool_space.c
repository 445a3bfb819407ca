/* SPDX-License-Identifier: MIT */
/* Which pages of the spool space hold data. The volume has no map of them: it follows from the
 * entries of the files, at IPL. */
#include "spool.h"
#include "lib.h"

static uint8_t *used;
static uint32_t total, left, look_from;

bool space_start(uint32_t pages)
{
    used = pages_get((pages + PAGE_SIZE - 1) / PAGE_SIZE);
    if (!used)
        return false;
    total = left = pages;
    return true;
}

bool space_mark(uint32_t first, uint32_t n)
{
    if (first > total || n > total - first)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (used[first + i])
            return false;
    memset(used + first, 1, n);
    left -= n;
    return true;
}

static uint32_t free_page(uint32_t after)
{
    if (after < total && !used[after])
        return after;
    for (uint32_t i = 0; i < total; i++, look_from++) {
        if (look_from >= total)
            look_from = 0;
        if (!used[look_from])
            return look_from;
    }
    return total;
}

uint32_t space_take(uint32_t after, uint32_t want, uint32_t *first)
{
    uint32_t n = 0;

    *first = left ? free_page(after) : total;
    while (n < want && *first + n < total && !used[*first + n])
        n++;
    memset(used + *first, 1, n);
    left -= n;
    return n;
}

void space_give(uint32_t first, uint32_t n)
{
    memset(used + first, 0, n);
    left += n;
}

uint32_t space_left(void)
{
    return left;
}

uint32_t space_total(void)
{
    return total;
}
