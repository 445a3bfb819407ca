/* SPDX-License-Identifier: MIT */
/* The minidisk cache: 4 KB blocks of the volumes in real storage, oldest use out first (a clock
 * hand). Writes go through: the volume is never behind the cache. They add nothing to it: a large
 * file that somebody writes would put out what others read again and again. */
#include "dasd.h"
#include "lib.h"

#define NO_ENTRY  0xffff
#define GROUP 8              /* 512-byte blocks of one cached block */

struct entry {
    uint32_t group;          /* volume block / GROUP */
    uint16_t next;           /* in its hash chain */
    uint8_t volume, valid, used;
};

bool mdc_on;
uint64_t mdc_hits, mdc_misses;

static struct entry entries[MDC_BLOCKS];
static uint16_t chains[MDC_HASH];
static uint8_t *store;
static unsigned hand;

static unsigned hash(uint8_t volume, uint32_t group)
{
    return (group ^ (uint32_t)volume << 7) % MDC_HASH;
}

static int find(uint8_t volume, uint32_t group)
{
    for (uint16_t i = chains[hash(volume, group)]; i != NO_ENTRY; i = entries[i].next)
        if (entries[i].group == group && entries[i].volume == volume)
            return i;
    return -1;
}

static void drop(unsigned i)
{
    uint16_t *p = &chains[hash(entries[i].volume, entries[i].group)];

    while (*p != i)
        p = &entries[*p].next;
    *p = entries[i].next;
    entries[i].valid = 0;
}

static unsigned claim(uint8_t volume, uint32_t group)
{
    while (entries[hand].valid && entries[hand].used) {
        entries[hand].used = 0;
        hand = (hand + 1) % MDC_BLOCKS;
    }
    unsigned i = hand;
    hand = (hand + 1) % MDC_BLOCKS;
    if (entries[i].valid)
        drop(i);
    unsigned h = hash(volume, group);
    entries[i] = (struct entry){.group = group, .next = chains[h], .volume = volume, .valid = 1};
    chains[h] = (uint16_t)i;
    return i;
}

/* All of it or nothing. */
bool mdc_read(uint8_t volume, uint32_t block, uint32_t count, uint8_t *to)
{
    static uint16_t found[BLOCK_COUNT_MAX / GROUP + 2];
    uint32_t group = block / GROUP, groups = (block + count - 1) / GROUP - group + 1;

    if (!mdc_on)
        return false;
    for (uint32_t g = 0; g < groups; g++) {
        int i = find(volume, group + g);
        if (i < 0) {
            mdc_misses++;
            return false;
        }
        found[g] = (uint16_t)i;
    }
    uint32_t first = block % GROUP, left = count;
    for (uint32_t g = 0; g < groups;) {
        const uint8_t *from = store + (size_t)found[g] * 4096 + first * 512;
        uint32_t n = GROUP - first;
        entries[found[g]].used = 1;
        /* those that stand side by side here as they do there are moved at once */
        while (++g < groups && found[g] == found[g - 1] + 1) {
            entries[found[g]].used = 1;
            n += GROUP;
        }
        if (n > left)
            n = left;
        memcpy(to, from, n * 512);
        to += n * 512;
        left -= n;
        first = 0;
    }
    mdc_hits++;
    return true;
}

void mdc_note(uint8_t volume, uint32_t block, uint32_t count, const uint8_t *from, bool written)
{
    if (!mdc_on)
        return;
    for (uint32_t b = block; b < block + count;) {
        uint32_t first = b % GROUP, n = GROUP - first;
        if (n > block + count - b)
            n = block + count - b;
        int i = find(volume, b / GROUP);
        if (i < 0 && n == GROUP && !written)
            i = (int)claim(volume, b / GROUP);
        if (i >= 0)
            memcpy(store + (size_t)i * 4096 + first * 512, from, n * 512);
        from += n * 512;
        b += n;
    }
}

void mdc_purge(void)
{
    for (unsigned i = 0; i < MDC_BLOCKS; i++)
        if (entries[i].valid)
            drop(i);
}

/* SET MDC. What is written while the cache is off passes it by, so it starts again empty. */
void mdc_set(bool on)
{
    mdc_purge();
    mdc_on = on && store;
}

void mdc_init(void)
{
    char value[8];

    memset(chains, 0xff, sizeof(chains)); /* NO_ENTRY */
    store = pages_get(MDC_BLOCKS);
    mdc_on = store && !(ipl_parm_value("MDC", value, sizeof(value)) && strcmp(value, "OFF") == 0);
}
