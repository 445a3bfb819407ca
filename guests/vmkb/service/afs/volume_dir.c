/* SPDX-License-Identifier: MIT */
/* A directory as AFS fetches it: pages of 64 entries of 32 bytes. The first of each page is its
 * head; the first page's next twelve are how many entries are free in each page and where the
 * chains of the 128 hash values begin. A name takes as many entries as it needs, and lies in one
 * page. */
#include "volume.h"
#include "xdr.h"

#define ENTRY  32u
#define ENTRIES (DIR_PAGE / ENTRY)
#define FIRST  13u               /* entries of page 0 that are no names */
#define HASHES 128u
#define NAME_AT 12u              /* of an entry */
#define TAG    1234u

static uint32_t entries_for(uint32_t len)
{
    return 1 + (len + 1 + 15) / ENTRY;
}

static uint32_t hash(const uint8_t *name, uint32_t len)
{
    uint32_t h = 0;

    for (uint32_t i = 0; i < len; i++)
        h = h * 173 + name[i];
    uint32_t low = h % HASHES;
    return low && h >> 31 ? HASHES - low : low;
}

/* The number of the next free run of n entries, which *next is moved behind. */
static uint32_t take(uint32_t *next, uint32_t n)
{
    if (*next % ENTRIES + n > ENTRIES)
        *next += ENTRIES - *next % ENTRIES;
    if (*next % ENTRIES == 0)
        *next += 1;
    uint32_t at = *next;
    *next += n;
    return at;
}

uint32_t volume_dir_length(const struct volume *v, uint32_t slot)
{
    uint32_t next = FIRST + 2;   /* . and .. */
    struct volume_name n;

    for (uint32_t at = 0; volume_next_name(v, &at, &n);)
        if (n.of == slot && n.slot != VOLUME_TEXT)
            take(&next, entries_for(n.len));
    uint32_t pages = (next + ENTRIES - 1) / ENTRIES;
    return pages > DIR_PAGES ? 0 : pages * DIR_PAGE;
}

static void enter(uint8_t *dir, uint32_t *next, const uint8_t *name, uint32_t len,
                  const struct afs_fid *fid)
{
    uint32_t n = entries_for(len), at = take(next, n), page = at / ENTRIES;
    uint8_t *e = dir + at * ENTRY, *map = dir + page * DIR_PAGE + 5;
    uint8_t *chain = dir + 160 + 2 * hash(name, len);

    e[0] = 1;
    memcpy(e + 2, chain, 2);
    rx_put16(chain, (uint16_t)at);
    rx_put32(e + 4, fid->vnode);
    rx_put32(e + 8, fid->unique);
    memcpy(e + NAME_AT, name, len);
    for (uint32_t i = at % ENTRIES; i < at % ENTRIES + n; i++)
        map[i / 8] |= (uint8_t)(1u << i % 8);
    dir[ENTRY + page] = (uint8_t)(dir[ENTRY + page] - n);
}

static void make(uint8_t *dir, uint32_t pages)
{
    memset(dir, 0, pages * DIR_PAGE);
    memset(dir + ENTRY, ENTRIES, DIR_PAGES);
    for (uint32_t p = 0; p < pages; p++) {
        uint8_t *head = dir + p * DIR_PAGE;
        uint32_t taken = p ? 1 : FIRST;
        rx_put16(head + 2, TAG);
        head[4] = dir[ENTRY + p] = (uint8_t)(ENTRIES - taken);
        for (uint32_t i = 0; i < taken; i++)
            head[5 + i / 8] |= (uint8_t)(1u << i % 8);
    }
    rx_put16(dir, (uint16_t)pages);
}

void volume_dir_bytes(const struct volume *v, uint32_t slot, uint8_t *to, uint32_t length)
{
    static const uint8_t dots[2] = {0x2e, 0x2e};
    struct afs_fid own = volume_fid(v, slot), parent = volume_fid(v, v->vnodes[slot].parent);
    uint32_t next = FIRST;
    struct volume_name n;

    make(to, length / DIR_PAGE);
    enter(to, &next, dots, 1, &own);
    enter(to, &next, dots, 2, &parent);
    for (uint32_t at = 0; volume_next_name(v, &at, &n);)
        if (n.of == slot && n.slot != VOLUME_TEXT) {
            struct afs_fid fid = volume_fid(v, n.slot);
            enter(to, &next, n.bytes, n.len, &fid);
        }
}
