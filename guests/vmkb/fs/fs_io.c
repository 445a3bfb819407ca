// SPDX-License-Identifier: MIT
// Transfers between the minidisk and storage, superblocks and overflow blocks.
#include "fs_internal.h"

static uint32_t fs_io_most(const struct fs *fs, uint32_t count)
{
    return fs->dev.max_transfer && count > fs->dev.max_transfer ? fs->dev.max_transfer : count;
}

int fs_io_read(struct fs *fs, uint32_t fba, uint32_t count, void *buf)
{
    uint8_t *to = buf;
    while (count > 0) {
        uint32_t n = fs_io_most(fs, count);
        if (fs->dev.read(fs->dev.ctx, fba, n, to) != 0)
            return FS_E_IO;
        fba += n;
        count -= n;
        to += (size_t)n * FS_FBA_SIZE;
    }
    return FS_OK;
}

int fs_io_write(struct fs *fs, uint32_t fba, uint32_t count, const void *buf)
{
    const uint8_t *from = buf;
    while (count > 0) {
        uint32_t n = fs_io_most(fs, count);
        if (fs->dev.write(fs->dev.ctx, fba, n, from) != 0)
            return FS_E_IO;
        fba += n;
        count -= n;
        from += (size_t)n * FS_FBA_SIZE;
    }
    return FS_OK;
}

int fs_super_write(struct fs *fs, const struct fs_super *super)
{
    struct fs_super disk __attribute__((aligned(8))) = *super;
    disk.checksum = 0;
    fs_super_swap(&disk);
    disk.checksum = fs_be32(fs_checksum(&disk, sizeof disk));
    return fs_io_write(fs, FS_SLOT_FBA(super->generation & 1), 1, &disk);
}

// 1: a superblock that can be believed; 0: something else; -1: one that is damaged.
static int fs_super_decode(const uint8_t *raw, uint32_t slot, struct fs_super *out)
{
    struct fs_super s __attribute__((aligned(8)));
    memcpy(&s, raw, sizeof s);
    uint32_t sum = fs_be32(s.checksum);
    s.checksum = 0;
    uint32_t right = fs_checksum(&s, sizeof s);
    fs_super_swap(&s);
    if (s.magic != FS_MAGIC)
        return 0;
    if (sum != right || s.version != FS_VERSION || (s.generation & 1) != slot)
        return -1;
    *out = s;
    return 1;
}

int fs_super_read(struct fs *fs, struct fs_super *out)
{
    if (fs->dev.blocks < FS_FBA_PER_BLOCK)
        return FS_E_TOOSMALL;
    int rc = fs_io_read(fs, 0, FS_FBA_PER_BLOCK, fs->scratch.bytes);
    if (rc != FS_OK)
        return rc;
    struct fs_super s;
    int found = 0, damaged = 0;
    for (uint32_t slot = 0; slot < 2; slot++) {
        const uint8_t *raw = fs->scratch.bytes + FS_SLOT_FBA(slot) * FS_FBA_SIZE;
        int ok = fs_super_decode(raw, slot, &s);
        if (ok > 0 && (!found || s.generation > out->generation)) {
            *out = s;
            found = 1;
        }
        damaged |= ok < 0;
    }
    if (found)
        return FS_OK;
    return damaged ? FS_E_DAMAGED : FS_E_NOTFS;
}

int fs_overflow_read(struct fs *fs, uint32_t block, struct fs_overflow *out)
{
    if (block == 0 || block >= fs->super.blocks)
        return FS_E_DAMAGED;
    int rc = fs_io_read(fs, block * FS_FBA_PER_BLOCK, FS_FBA_PER_BLOCK, out);
    if (rc != FS_OK)
        return rc;
    uint32_t sum = fs_be32(out->checksum);
    out->checksum = 0;
    if (sum != fs_checksum(out, sizeof *out))
        return FS_E_DAMAGED;
    fs_overflow_swap(out);
    if (out->magic != FS_OVERFLOW_MAGIC || out->count == 0 || out->count > FS_OVERFLOW_EXTENTS)
        return FS_E_DAMAGED;
    for (uint32_t i = 0; i < out->count; i++) {
        const struct fs_extent *x = &out->extent[i];
        if (x->start == 0 || x->start >= fs->super.blocks || x->count == 0 ||
            x->count > fs->super.blocks - x->start)
            return FS_E_DAMAGED;
    }
    return FS_OK;
}
