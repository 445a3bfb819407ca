// SPDX-License-Identifier: MIT
// Accessing a disk: everything on it that the code will ever trust is checked here once.
#include "fs_internal.h"

static int fs_mount_super(struct fs *fs)
{
    int rc = fs_super_read(fs, &fs->super);
    if (rc != FS_OK)
        return rc;
    const struct fs_super *s = &fs->super;
    if (s->blocks < FS_BLOCKS_MIN || s->blocks > FS_BLOCKS_MAX || s->generation == 0 ||
        s->dir_blocks > FS_DIR_BLOCKS_MAX || s->used > s->blocks ||
        s->files > s->dir_blocks * FS_ENTRIES_PER_BLOCK)
        return FS_E_DAMAGED;
    if (s->blocks > fs->dev.blocks / FS_FBA_PER_BLOCK)
        return FS_E_TRUNCATED;
    fs_map_clear(fs, s->blocks);
    fs->map[0] = 1ull << 63;  // block 0: the superblocks
    fs->free--;
    return FS_OK;
}

// Reads the directory, neighbouring blocks in one transfer.
static int fs_mount_dir(struct fs *fs)
{
    const struct fs_super *s = &fs->super;
    memset(fs->dir, 0, sizeof fs->dir);
    fs->first_free = 0;
    for (uint32_t d = 0; d < s->dir_blocks; d++) {
        if (fs_map_claim(fs, s->dir[d].block, 1) != FS_OK)
            return FS_E_DAMAGED;
    }
    for (uint32_t d = 0, n; d < s->dir_blocks; d += n) {
        n = 1;
        while (d + n < s->dir_blocks && s->dir[d + n].block == s->dir[d].block + n)
            n++;
        int rc = fs_io_read(fs, s->dir[d].block * FS_FBA_PER_BLOCK, n * FS_FBA_PER_BLOCK,
                            &fs->dir[d * FS_ENTRIES_PER_BLOCK]);
        if (rc != FS_OK)
            return rc;
        for (uint32_t i = d; i < d + n; i++) {
            if (fs_dir_checksum(fs, i, 0) != s->dir[i].checksum)
                return FS_E_DAMAGED;
        }
    }
    return FS_OK;
}

// Claims the blocks of an overflow chain: n blocks from `block` on. Returns FS_OK when the
// chain ends as announced and lists `extents` extents of `blocks` blocks.
static int fs_mount_chain(struct fs *fs, uint32_t block, uint32_t n, uint32_t extents,
                          uint32_t blocks)
{
    struct fs_overflow *list = &fs->scratch.overflow;
    for (; n > 0; n--) {
        if (fs_map_claim(fs, block, 1) != FS_OK)
            return FS_E_DAMAGED;
        int rc = fs_overflow_read(fs, block, list);
        if (rc != FS_OK)
            return rc;
        if (list->count > extents)
            return FS_E_DAMAGED;
        extents -= list->count;
        for (uint32_t i = 0; i < list->count; i++) {
            if (list->extent[i].count > blocks ||
                fs_map_claim(fs, list->extent[i].start, list->extent[i].count) != FS_OK)
                return FS_E_DAMAGED;
            blocks -= list->extent[i].count;
        }
        block = list->next;
    }
    return block == 0 && extents == 0 && blocks == 0 ? FS_OK : FS_E_DAMAGED;
}

static int fs_entry_sane(const struct fs_entry *e)
{
    if (!fs_name_ok(e->fn) || !fs_name_ok(e->ft) || e->mode > 6 || e->lrecl > FS_LRECL_MAX)
        return 0;
    if (e->recfm == FS_VARIABLE)
        return e->records <= e->size / 2 && (e->records == 0) == (e->size == 0);
    if (e->recfm != FS_FIXED || e->lrecl == 0)
        return 0;
    return e->records == e->size / e->lrecl + (e->size % e->lrecl != 0);
}

static int fs_mount_entry(struct fs *fs, uint32_t slot)
{
    struct fs_entry e;
    fs_get_entry(fs, slot, &e);
    if (!fs_entry_sane(&e))
        return FS_E_DAMAGED;
    uint32_t blocks = fs_blocks_for(e.size);
    if (e.extents == FS_OVERFLOWED)
        return fs_mount_chain(fs, e.extent[0].start, e.extent[0].count, e.extent[1].start,
                              blocks);
    if (e.extents > FS_INLINE_EXTENTS)
        return FS_E_DAMAGED;
    for (uint32_t i = 0; i < e.extents; i++) {
        if (e.extent[i].count > blocks ||
            fs_map_claim(fs, e.extent[i].start, e.extent[i].count) != FS_OK)
            return FS_E_DAMAGED;
        blocks -= e.extent[i].count;
    }
    return blocks == 0 ? FS_OK : FS_E_DAMAGED;
}

static int fs_mount_files(struct fs *fs)
{
    uint32_t files = 0, slots = fs->super.dir_blocks * FS_ENTRIES_PER_BLOCK;
    fs_index_clear(fs);
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (fs->dir[slot].fn[0] == 0)
            continue;
        struct fs_name name;
        memcpy(name.fn, fs->dir[slot].fn, 8);
        memcpy(name.ft, fs->dir[slot].ft, 8);
        int rc = fs_mount_entry(fs, slot);
        if (rc != FS_OK)
            return rc;
        if (fs_index_find(fs, &name) >= 0)
            return FS_E_DAMAGED;
        fs_index_add(fs, slot);
        files++;
    }
    if (files != fs->super.files || fs->super.blocks - fs->free != fs->super.used)
        return FS_E_DAMAGED;
    return FS_OK;
}

static int fs_mount_once(struct fs *fs)
{
    int rc = fs_mount_super(fs);
    if (rc != FS_OK)
        return rc;
    rc = fs_mount_dir(fs);
    if (rc == FS_OK)
        rc = fs_mount_files(fs);
    if (rc == FS_E_DAMAGED && !fs->writable) {
        // A writer may have moved on while the directory was read.
        struct fs_super now;
        if (fs_super_read(fs, &now) == FS_OK && now.generation != fs->super.generation)
            rc = FS_E_STALE;
    }
    return rc;
}

int fs_mount(struct fs *fs, const struct fs_device *dev, int mode)
{
    fs->dev = *dev;
    fs->writable = mode == FS_READWRITE;
    fs->settled = 0;
    fs->broken = 1;  // until everything has been found right
    fs->open = 0;
    int rc = FS_E_STALE;
    for (int tries = 0; tries < 3 && rc == FS_E_STALE; tries++)
        rc = fs_mount_once(fs);
    if (rc == FS_OK)
        fs->broken = 0;
    return rc;
}

int fs_check(struct fs *fs)
{
    if (fs->writable)
        return fs->broken ? FS_E_IO : FS_OK;
    struct fs_super now;
    int rc = fs_super_read(fs, &now);
    if (rc != FS_OK)
        return rc;
    if (now.formatted != fs->super.formatted || now.generation < fs->super.generation ||
        now.generation > fs->super.generation + 1)
        return FS_E_STALE;
    return FS_OK;
}

int fs_writable(const struct fs *fs)
{
    if (!fs->writable)
        return FS_E_READONLY;
    return fs->broken ? FS_E_IO : FS_OK;
}

void fs_usage(const struct fs *fs, struct fs_usage *out)
{
    out->blocks = fs->super.blocks;
    out->used = fs->super.used;
    out->free = fs->free > FS_RESERVE ? fs->free - FS_RESERVE : 0;
    out->files = fs->super.files;
    out->generation = fs->super.generation;
    memcpy(out->label, fs->super.label, sizeof out->label);
}
