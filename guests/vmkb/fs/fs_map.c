// SPDX-License-Identifier: MIT
// Which blocks may be allocated. Bit 0 is the most significant one: z/Architecture finds it with
// one instruction (FLOGR).
#include "fs_internal.h"

static uint64_t fs_bits(uint32_t first, uint32_t count)  // count 1 to 64, within one word
{
    return (~0ull << (64 - count)) >> first;
}

void fs_map_clear(struct fs *fs, uint32_t blocks)
{
    memset(fs->map, 0, sizeof fs->map);
    memset(fs->held, 0, sizeof fs->held);
    fs->held_count = 0;
    fs->held_low = FS_BLOCKS_MAX / 64;
    fs->held_high = 0;
    fs->next_fit = 1;
    fs->free = blocks;
}

// Sets or clears a range of a bit map, word by word.
static void fs_bits_put(uint64_t *map, uint32_t start, uint32_t count, int set)
{
    while (count > 0) {
        uint32_t first = start % 64, n = 64 - first < count ? 64 - first : count;
        uint64_t mask = fs_bits(first, n);
        if (set)
            map[start / 64] |= mask;
        else
            map[start / 64] &= ~mask;
        start += n;
        count -= n;
    }
}

// First block from i on whose bit is not `value`, or limit.
static uint32_t fs_bits_skip(const uint64_t *map, uint32_t i, uint32_t limit, int value)
{
    uint64_t flip = value ? ~0ull : 0;
    while (i < limit) {
        uint64_t w = (map[i / 64] ^ flip) << (i % 64);
        if (w != 0) {
            i += (uint32_t)__builtin_clzll(w);
            return i < limit ? i : limit;
        }
        i = (i / 64 + 1) * 64;
    }
    return limit;
}

int fs_map_claim(struct fs *fs, uint32_t start, uint32_t count)
{
    uint32_t blocks = fs->super.blocks;
    if (start == 0 || start >= blocks || count == 0 || count > blocks - start)
        return FS_E_DAMAGED;
    if (fs_bits_skip(fs->map, start, start + count, 0) != start + count)
        return FS_E_DAMAGED;
    fs_bits_put(fs->map, start, count, 1);
    fs->free -= count;
    return FS_OK;
}

// Best run in [from, limit): the first of `want` blocks, else the longest. Returns its length.
static uint32_t fs_map_search(const struct fs *fs, uint32_t from, uint32_t limit, uint32_t want,
                              uint32_t *start)
{
    uint32_t best = 0;
    while (from < limit) {
        uint32_t a = fs_bits_skip(fs->map, from, limit, 1);
        if (a >= limit)
            break;
        uint32_t end = limit - a > want ? a + want : limit;
        uint32_t b = fs_bits_skip(fs->map, a, end, 0);
        if (b - a > best) {
            best = b - a;
            *start = a;
            if (best >= want)
                break;
        }
        from = b;
    }
    return best;
}

uint32_t fs_map_take(struct fs *fs, uint32_t want, uint32_t prefer, uint32_t keep,
                     uint32_t *start)
{
    uint32_t blocks = fs->super.blocks, free = fs->free - fs->held_count, n = 0;
    if (free <= keep)
        return 0;
    if (want > free - keep)
        want = free - keep;
    if (prefer != 0 && prefer < blocks) {
        uint32_t end = blocks - prefer > want ? prefer + want : blocks;
        n = fs_bits_skip(fs->map, prefer, end, 0) - prefer;
        *start = prefer;
    }
    if (n == 0) {
        n = fs_map_search(fs, fs->next_fit, blocks, want, start);
        if (n < want) {
            uint32_t other = 0, m = fs_map_search(fs, 1, blocks, want, &other);
            if (m > n) {
                n = m;
                *start = other;
            }
        }
    }
    if (n == 0)
        return 0;
    fs_bits_put(fs->map, *start, n, 1);
    fs->free -= n;
    fs->next_fit = *start + n < blocks ? *start + n : 1;
    return n;
}

void fs_map_free(struct fs *fs, uint32_t start, uint32_t count)
{
    fs_bits_put(fs->map, start, count, 0);
    fs->free += count;
}

void fs_map_hold(struct fs *fs, uint32_t start, uint32_t count)
{
    fs_bits_put(fs->held, start, count, 1);
    fs->free += count;
    fs->held_count += count;
    if (start / 64 < fs->held_low)
        fs->held_low = start / 64;
    if ((start + count - 1) / 64 > fs->held_high)
        fs->held_high = (start + count - 1) / 64;
}

void fs_map_release(struct fs *fs)
{
    for (uint32_t i = fs->held_low; i <= fs->held_high && i < FS_BLOCKS_MAX / 64; i++) {
        fs->map[i] &= ~fs->held[i];
        fs->held[i] = 0;
    }
    fs->held_count = 0;
    fs->held_low = FS_BLOCKS_MAX / 64;
    fs->held_high = 0;
}
