/* SPDX-License-Identifier: MIT */
/* Buffers for the blocks that come in by the channel-to-channel pair: each whole pages in a row, so
 * that a page of what came can be given away where it is (ctca_keep). Made when they are first
 * needed, and used again. */
#include "channel.h"
#include "defs.h"
#include "lan.h"

static struct counted blocks[CTC_BLOCKS];
static struct counted *free_block;
static unsigned made;

static void gone(struct counted *c)
{
    c->next = free_block;
    free_block = c;
}

struct counted *block_get(void)
{
    struct counted *c = free_block;

    if (c) {
        free_block = c->next;
    } else {
        uint8_t *at = made < CTC_BLOCKS ? pages_get(CTC_BLOCK / PAGE_SIZE) : 0;
        if (!at)
            return 0;
        c = &blocks[made++];
        c->at = at;
        c->gone = gone;
    }
    c->holds = 1;
    return c;
}
