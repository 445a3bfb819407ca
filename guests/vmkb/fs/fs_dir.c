// SPDX-License-Identifier: MIT
// Looking at the directory, erasing and renaming.
#include "fs_internal.h"

void fs_entry_stat(const struct fs_entry *e, struct fs_stat *out)
{
    memcpy(out->name.fn, e->fn, 8);
    memcpy(out->name.ft, e->ft, 8);
    out->mode = e->mode;
    out->recfm = e->recfm;
    out->lrecl = e->lrecl;
    out->records = e->records;
    out->size = e->size;
    out->blocks = fs_entry_blocks(e);
    out->written = e->written;
}

int fs_stat(const struct fs *fs, const struct fs_name *name, struct fs_stat *out)
{
    struct fs_entry e;
    int slot = fs_index_find(fs, name);
    if (slot < 0)
        return slot;
    fs_get_entry(fs, (uint32_t)slot, &e);
    fs_entry_stat(&e, out);
    return FS_OK;
}

int fs_list(const struct fs *fs, const char *fn, const char *ft, int mode, uint32_t *cursor,
            struct fs_stat *out)
{
    struct fs_entry e;
    if (strlen(fn) > FS_PATTERN_MAX || strlen(ft) > FS_PATTERN_MAX)
        return FS_E_NAME;
    uint32_t slots = fs->super.dir_blocks * FS_ENTRIES_PER_BLOCK;
    while (*cursor < slots) {
        const struct fs_entry *d = &fs->dir[(*cursor)++];
        if (d->fn[0] == 0 || (mode >= 0 && d->mode != mode) || !fs_match(d->fn, fn) ||
            !fs_match(d->ft, ft))
            continue;
        fs_get_entry(fs, *cursor - 1, &e);
        fs_entry_stat(&e, out);
        return FS_OK;
    }
    return FS_EOF;
}

int fs_erase(struct fs *fs, const struct fs_name *name)
{
    struct fs_entry old;
    int rc = fs_writable(fs);
    if (rc != FS_OK)
        return rc;
    int slot = fs_index_find(fs, name);
    if (slot < 0)
        return slot;
    fs_get_entry(fs, (uint32_t)slot, &old);
    fs_index_remove(fs, (uint32_t)slot);
    rc = fs_change(fs, (uint32_t)slot, 0, 0, fs_entry_blocks(&old));
    if (rc != FS_OK)
        fs_index_add(fs, (uint32_t)slot);
    else
        fs_drop(fs, &old);
    return rc;
}

int fs_rename(struct fs *fs, const struct fs_name *from, const struct fs_name *to, uint8_t mode)
{
    struct fs_entry e;
    int rc = fs_writable(fs);
    if (rc != FS_OK)
        return rc;
    if (mode > 6 || !fs_name_ok(to->fn) || !fs_name_ok(to->ft))
        return FS_E_NAME;
    int slot = fs_index_find(fs, from), other = fs_index_find(fs, to);
    if (slot < 0)
        return slot;
    if (other >= 0 && other != slot)
        return FS_E_EXISTS;
    fs_get_entry(fs, (uint32_t)slot, &e);
    memcpy(e.fn, to->fn, 8);
    memcpy(e.ft, to->ft, 8);
    e.mode = mode;
    fs_index_remove(fs, (uint32_t)slot);
    rc = fs_change(fs, (uint32_t)slot, &e, 0, 0);
    fs_index_add(fs, (uint32_t)slot);
    return rc;
}
