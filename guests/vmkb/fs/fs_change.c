// SPDX-License-Identifier: MIT
// The only code that moves the disk from one generation to the next.
#include "fs_internal.h"

// Ends a commit in memory: the new superblock is on disk, so what the last commit gave up is free.
static void fs_advance(struct fs *fs, const struct fs_super *super)
{
    fs->super = *super;
    fs->settled = 1;
    fs_map_release(fs);
}

static int fs_put_super(struct fs *fs, struct fs_super *super)
{
    super->generation++;
    int rc = fs_super_write(fs, super);
    if (rc != FS_OK)
        fs->broken = 1;  // either generation may be on disk: nothing may be reused any more
    return rc;
}

// Same directory, next generation: releases held blocks. Also before the first allocation after
// fs_mount, when blocks of the generation before may still be read by another machine.
static int fs_settle(struct fs *fs)
{
    struct fs_super super = fs->super;
    int rc = fs_put_super(fs, &super);
    if (rc == FS_OK)
        fs_advance(fs, &super);
    return rc;
}

int fs_take(struct fs *fs, uint32_t want, uint32_t prefer, uint32_t keep, uint32_t *start,
            uint32_t *count)
{
    int rc;
    if (!fs->settled && (rc = fs_settle(fs)) != FS_OK)
        return rc;
    *count = fs_map_take(fs, want, prefer, keep, start);
    if (*count == 0 && fs->held_count > 0) {
        if ((rc = fs_settle(fs)) != FS_OK)
            return rc;
        *count = fs_map_take(fs, want, prefer, keep, start);
    }
    return *count ? FS_OK : FS_E_FULL;
}

int fs_change(struct fs *fs, uint32_t slot, const struct fs_entry *entry, uint32_t gained,
              uint32_t lost)
{
    uint32_t d = slot / FS_ENTRIES_PER_BLOCK, block, count;
    int growing = d >= fs->super.dir_blocks;
    int rc = fs_take(fs, 1, 0, growing ? FS_RESERVE : 0, &block, &count);
    if (rc != FS_OK)
        return rc == FS_E_FULL && growing ? FS_E_DIRFULL : rc;

    struct fs_entry old = fs->dir[slot];
    if (entry) {
        fs->dir[slot] = *entry;
        fs_entry_swap(&fs->dir[slot]);
    } else {
        memset(&fs->dir[slot], 0, sizeof fs->dir[slot]);
        if (slot < fs->first_free)
            fs->first_free = slot;
    }
    struct fs_super super = fs->super;
    const struct fs_entry *first = &fs->dir[d * FS_ENTRIES_PER_BLOCK];
    uint32_t replaced = growing ? 0 : super.dir[d].block;
    super.dir[d].block = block;
    super.dir[d].checksum =
        fs_dir_checksum(fs, d, growing ? 0 : slot % FS_ENTRIES_PER_BLOCK);
    super.dir_blocks += (uint32_t)growing;
    super.used += gained - lost + (uint32_t)growing;
    super.files += (uint32_t)(entry != 0) - (uint32_t)(old.fn[0] != 0);

    rc = fs_io_write(fs, block * FS_FBA_PER_BLOCK, FS_FBA_PER_BLOCK, first);
    if (rc == FS_OK)
        rc = fs_put_super(fs, &super);
    if (rc != FS_OK) {
        fs->dir[slot] = old;
        (void)fs_dir_checksum(fs, d, 0);
        fs_map_free(fs, block, 1);
        return rc;
    }
    fs_advance(fs, &super);
    if (replaced)
        fs_map_hold(fs, replaced, 1);
    return FS_OK;
}

// Calls give(fs, start, count) for every block of a file, overflow blocks included.
static int fs_each_extent(struct fs *fs, const struct fs_entry *e,
                   void (*give)(struct fs *fs, uint32_t start, uint32_t count))
{
    if (e->extents != FS_OVERFLOWED) {
        for (uint32_t i = 0; i < e->extents; i++)
            give(fs, e->extent[i].start, e->extent[i].count);
        return FS_OK;
    }
    struct fs_overflow *list = &fs->scratch.overflow;
    uint32_t block = e->extent[0].start;
    for (uint32_t n = e->extent[0].count; n > 0; n--) {
        int rc = fs_overflow_read(fs, block, list);
        if (rc != FS_OK)
            return rc;
        for (uint32_t i = 0; i < list->count; i++)
            give(fs, list->extent[i].start, list->extent[i].count);
        give(fs, block, 1);
        block = list->next;
    }
    return FS_OK;
}

static int fs_same_content(const struct fs_entry *a, const struct fs_entry *b)
{
    return a->extents != 0 && b->extents != 0 && a->extent[0].start == b->extent[0].start;
}

void fs_drop(struct fs *fs, const struct fs_entry *e)
{
    int readers = 0;
    for (struct fs_file *f = fs->open; f; f = f->next) {
        if (!f->writing && fs_same_content(&f->entry, e)) {
            f->orphan = 1;
            readers = 1;
        }
    }
    // An overflow block that cannot be read leaves its blocks taken until the next fs_mount.
    if (!readers)
        (void)fs_each_extent(fs, e, fs_map_hold);
}

uint32_t fs_entry_blocks(const struct fs_entry *e)
{
    uint32_t blocks = fs_blocks_for(e->size);
    return e->extents == FS_OVERFLOWED ? blocks + e->extent[0].count : blocks;
}
