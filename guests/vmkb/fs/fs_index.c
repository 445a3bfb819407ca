// SPDX-License-Identifier: MIT
// The name index: hash chains through slot numbers, so that a disk of 500 files opens one quickly.
#include "fs_internal.h"

static uint32_t fs_index_hash(const uint8_t fn[8], const uint8_t ft[8])
{
    uint64_t a, b;
    memcpy(&a, fn, 8);
    memcpy(&b, ft, 8);
    uint64_t h = (fs_be64(a) ^ (fs_be64(b) >> 7)) * 0x9E3779B97F4A7C15ull;
    return (uint32_t)(h >> 32) % FS_HASH_BUCKETS;
}

void fs_index_clear(struct fs *fs)
{
    memset(fs->bucket, 0, sizeof fs->bucket);
    memset(fs->chain, 0, sizeof fs->chain);
}

int fs_index_find(const struct fs *fs, const struct fs_name *name)
{
    uint32_t slot = fs->bucket[fs_index_hash(name->fn, name->ft)];
    while (slot != 0) {
        if (memcmp(fs->dir[slot - 1].fn, name->fn, 8) == 0 &&
            memcmp(fs->dir[slot - 1].ft, name->ft, 8) == 0)
            return (int)slot - 1;
        slot = fs->chain[slot - 1];
    }
    return FS_E_NOTFOUND;
}

void fs_index_add(struct fs *fs, uint32_t slot)
{
    uint16_t *head = &fs->bucket[fs_index_hash(fs->dir[slot].fn, fs->dir[slot].ft)];
    fs->chain[slot] = *head;
    *head = (uint16_t)(slot + 1);
}

void fs_index_remove(struct fs *fs, uint32_t slot)
{
    uint16_t *link = &fs->bucket[fs_index_hash(fs->dir[slot].fn, fs->dir[slot].ft)];
    while (*link != 0 && *link != slot + 1)
        link = &fs->chain[*link - 1];
    if (*link != 0)
        *link = fs->chain[slot];
}
