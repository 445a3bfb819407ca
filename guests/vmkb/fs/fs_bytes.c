// SPDX-License-Identifier: MIT
// Checksum and byte order of the minidisk file system.
#include "fs_internal.h"

enum { PIECE = FS_SUM_PIECE, DIR_PIECES = FS_BLOCK_SIZE / PIECE };
#define BASIS       0xCBF29CE484222325ull
#define PRIME       0x100000001B3ull
#define PRIME_TO_32 0x558B2E6A2F64081ull // modulo 2^64: what a PIECE of zeros multiplies by

typedef uint64_t __attribute__((may_alias)) word;

static inline uint64_t fs_sum_piece(uint64_t h, const word *w)
{
    static const uint8_t zeros[PIECE];
    if (memcmp(w, zeros, PIECE) == 0)
        return h * PRIME_TO_32;
    for (uint32_t i = 0; i < PIECE / 8; i += 4) {
        h = (h ^ fs_be64(w[i])) * PRIME;
        h = (h ^ fs_be64(w[i + 1])) * PRIME;
        h = (h ^ fs_be64(w[i + 2])) * PRIME;
        h = (h ^ fs_be64(w[i + 3])) * PRIME;
    }
    return h;
}

static inline uint32_t fs_folded(uint64_t h)
{
    return (uint32_t)(h ^ (h >> 32));
}

// FNV-1a over 64-bit big-endian words, folded. Much of a directory block is free entries, which are
// zeros.
uint32_t fs_checksum(const void *p, uint32_t size)
{
    const word *w = p;
    uint64_t h = BASIS;
    for (; size >= PIECE; size -= PIECE, w += PIECE / 8)
        h = fs_sum_piece(h, w);
    for (size /= 8; size > 0; size--)
        h = (h ^ fs_be64(*w++)) * PRIME;
    return fs_folded(h);
}

uint32_t fs_dir_checksum(struct fs *fs, uint32_t block, uint32_t entry)
{
    const word *w = (const void *)&fs->dir[block * FS_ENTRIES_PER_BLOCK];
    uint64_t *sums = fs->sums[block];
    uint32_t i = entry * (uint32_t)sizeof fs->dir[0] / PIECE;
    uint64_t h = i ? sums[i] : BASIS;
    for (; i < DIR_PIECES; i++) {
        sums[i] = h;
        h = fs_sum_piece(h, w + i * (PIECE / 8));
    }
    return fs_folded(h);
}

// Each fs_*_swap turns disk order into host order and back.
void fs_super_swap(struct fs_super *s)
{
    s->magic = fs_be64(s->magic);
    s->version = fs_be32(s->version);
    s->checksum = fs_be32(s->checksum);
    s->generation = fs_be64(s->generation);
    s->formatted = fs_be64(s->formatted);
    s->blocks = fs_be32(s->blocks);
    s->used = fs_be32(s->used);
    s->files = fs_be32(s->files);
    s->dir_blocks = fs_be32(s->dir_blocks);
    for (uint32_t i = 0; i < FS_DIR_BLOCKS_MAX; i++) {
        s->dir[i].block = fs_be32(s->dir[i].block);
        s->dir[i].checksum = fs_be32(s->dir[i].checksum);
    }
}

void fs_entry_swap(struct fs_entry *e)
{
    e->extents = fs_be16(e->extents);
    e->lrecl = fs_be32(e->lrecl);
    e->records = fs_be32(e->records);
    e->size = fs_be32(e->size);
    e->written = fs_be64(e->written);
    for (uint32_t i = 0; i < FS_INLINE_EXTENTS; i++) {
        e->extent[i].start = fs_be32(e->extent[i].start);
        e->extent[i].count = fs_be32(e->extent[i].count);
    }
}

void fs_overflow_swap(struct fs_overflow *o)
{
    o->magic = fs_be64(o->magic);
    o->checksum = fs_be32(o->checksum);
    o->next = fs_be32(o->next);
    o->count = fs_be32(o->count);
#if __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__
    for (uint32_t i = 0; i < FS_OVERFLOW_EXTENTS; i++) {
        o->extent[i].start = fs_be32(o->extent[i].start);
        o->extent[i].count = fs_be32(o->extent[i].count);
    }
#endif
}

void fs_get_entry(const struct fs *fs, uint32_t slot, struct fs_entry *out)
{
    *out = fs->dir[slot];
    fs_entry_swap(out);
}
