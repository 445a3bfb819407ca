// SPDX-License-Identifier: MIT
// Writing a file: data goes to free blocks, and fs_commit puts it in the directory in one step.
#include "fs_internal.h"

static struct fs_extent *fs_last_extent(struct fs_file *file)
{
    return file->list_count ? &file->list.extent[file->list_count - 1] : 0;
}

// Puts the list on disk in list_home; the next one, if any, will be in `next`.
static int fs_list_write(struct fs_file *file, uint32_t next)
{
    struct fs_overflow *list = &file->list;
    uint32_t n = file->list_count;
    list->magic = FS_OVERFLOW_MAGIC;
    list->checksum = 0;
    list->next = next;
    list->count = n;
    memset(list->reserved, 0, sizeof list->reserved);
    memset(&list->extent[n], 0, (FS_OVERFLOW_EXTENTS - n) * sizeof list->extent[0]);
    fs_overflow_swap(list);
    list->checksum = fs_be32(fs_checksum(list, sizeof *list));
    int rc = fs_io_write(file->fs, file->list_home * FS_FBA_PER_BLOCK, FS_FBA_PER_BLOCK, list);
    fs_overflow_swap(list);
    if (rc != FS_OK)
        return rc;
    if (file->overflow_count++ == 0)
        file->overflow_first = file->list_home;
    file->list_home = next;
    file->list_count = 0;
    return FS_OK;
}

static int fs_list_spill(struct fs_file *file)
{
    uint32_t next, count;
    int rc;
    if (file->list_home == 0 &&
        (rc = fs_take(file->fs, 1, 0, FS_RESERVE, &file->list_home, &count)) != FS_OK)
        return rc;
    if ((rc = fs_take(file->fs, 1, 0, FS_RESERVE, &next, &count)) != FS_OK)
        return rc;
    if ((rc = fs_list_write(file, next)) != FS_OK)
        fs_map_free(file->fs, next, 1);
    return rc;
}

// Writes `count` FBA blocks from data to newly taken blocks, the last of which may be partly used.
static int fs_put(struct fs_file *file, const uint8_t *data, uint32_t count)
{
    struct fs *fs = file->fs;
    while (count > 0) {
        struct fs_extent *last = fs_last_extent(file);
        uint32_t want = count / FS_FBA_PER_BLOCK + (count % FS_FBA_PER_BLOCK != 0);
        uint32_t start, got, prefer = last ? last->start + last->count : 0;
        int rc = fs_take(fs, want, prefer, FS_RESERVE, &start, &got);
        if (rc != FS_OK)
            return rc;
        uint32_t n = got < want ? got * FS_FBA_PER_BLOCK : count;
        if (last && start == prefer) {
            last->count += got;
        } else {
            if (file->list_count == FS_OVERFLOW_EXTENTS && (rc = fs_list_spill(file)) != FS_OK) {
                fs_map_free(fs, start, got);
                return rc;
            }
            file->list.extent[file->list_count++] = (struct fs_extent){start, got};
            file->extent_total++;
        }
        file->blocks += got;
        if ((rc = fs_io_write(fs, start * FS_FBA_PER_BLOCK, n, data)) != FS_OK)
            return rc;
        data += (size_t)n * FS_FBA_SIZE;
        count -= n;
    }
    return FS_OK;
}

// Adds bytes to the file; the buffer holds what is not a whole block yet.
static int fs_append(struct fs_file *file, const uint8_t *data, uint32_t size)
{
    file->entry.size += size;
    file->position += size;
    while (size > 0) {
        uint32_t n = file->buffer_size - file->window_bytes;
        if (file->window_bytes == 0 && size >= FS_BLOCK_SIZE) {
            n = size / FS_BLOCK_SIZE * FS_BLOCK_SIZE;
            int rc = fs_put(file, data, n / FS_FBA_SIZE);
            if (rc != FS_OK)
                return rc;
        } else {
            if (n > size)
                n = size;
            memcpy(file->buffer + file->window_bytes, data, n);
            file->window_bytes += n;
            if (file->window_bytes == file->buffer_size) {
                int rc = fs_put(file, file->buffer, file->buffer_size / FS_FBA_SIZE);
                if (rc != FS_OK)
                    return rc;
                file->window_bytes = 0;
            }
        }
        data += n;
        size -= n;
    }
    return FS_OK;
}

int fs_create(struct fs *fs, struct fs_file *file, const struct fs_name *name, uint8_t mode,
              uint8_t recfm, uint32_t lrecl, void *buffer, uint32_t size)
{
    file->fs = 0;
    int rc = fs_writable(fs);
    if (rc != FS_OK)
        return rc;
    if (!fs_buffer_ok(buffer, size))
        return FS_E_BUFFER;
    if (mode > 6 || !fs_name_ok(name->fn) || !fs_name_ok(name->ft))
        return FS_E_NAME;
    if (recfm == FS_VARIABLE && lrecl == 0)
        lrecl = FS_LRECL_MAX;
    if ((recfm != FS_FIXED && recfm != FS_VARIABLE) || lrecl == 0 || lrecl > FS_LRECL_MAX)
        return FS_E_RECORD;
    memset(&file->entry, 0, sizeof file->entry);
    memcpy(file->entry.fn, name->fn, 8);
    memcpy(file->entry.ft, name->ft, 8);
    file->entry.mode = mode;
    file->entry.recfm = recfm;
    file->entry.lrecl = recfm == FS_FIXED ? lrecl : 0;
    file->lrecl_limit = lrecl;
    file->fs = fs;
    file->writing = 1;
    file->failed = file->orphan = 0;
    file->position = file->record = 0;
    file->buffer = buffer;
    file->buffer_size = size;
    file->window_bytes = 0;
    file->extent_total = file->list_count = file->list_home = 0;
    file->overflow_first = file->overflow_count = file->blocks = 0;
    file->next = fs->open;
    fs->open = file;
    return FS_OK;
}

int fs_write_record(struct fs_file *file, const void *record, uint32_t length)
{
    if (!file->fs || !file->writing)
        return FS_E_STATE;
    if (file->failed)
        return file->failed;
    int rc;
    uint32_t at = file->window_bytes;
    if (file->entry.recfm == FS_VARIABLE && length <= file->lrecl_limit &&
        length + 2 < file->buffer_size - at) {  // the common case: it fits, nothing to write yet
        file->buffer[at] = (uint8_t)(length >> 8);
        file->buffer[at + 1] = (uint8_t)length;
        memcpy(file->buffer + at + 2, record, length);
        file->window_bytes = at + 2 + length;
        file->entry.size += 2 + length;
        file->position += 2 + length;
        if (length > file->entry.lrecl)
            file->entry.lrecl = length;
        file->record++;
        return FS_OK;
    }
    if (file->entry.recfm == FS_FIXED) {
        if (length != file->entry.lrecl || file->entry.size % length != 0)
            return FS_E_RECORD;
        rc = fs_append(file, record, length);
    } else {
        if (length > file->lrecl_limit)
            return FS_E_RECORD;
        uint8_t prefix[2] = {(uint8_t)(length >> 8), (uint8_t)length};
        rc = fs_append(file, prefix, 2);
        if (rc == FS_OK)
            rc = fs_append(file, record, length);
        if (length > file->entry.lrecl)
            file->entry.lrecl = length;
    }
    file->record++;
    file->failed = rc;
    return rc;
}

int fs_write(struct fs_file *file, const void *data, uint32_t size)
{
    if (!file->fs || !file->writing || file->entry.recfm != FS_FIXED)
        return FS_E_STATE;
    if (!file->failed)
        file->failed = fs_append(file, data, size);
    return file->failed;
}

// What is still in storage goes to disk: the last bytes, then the extent list.
static int fs_finish(struct fs_file *file)
{
    struct fs_entry *e = &file->entry;
    uint32_t count = (file->window_bytes + FS_FBA_SIZE - 1) / FS_FBA_SIZE;
    memset(file->buffer + file->window_bytes, 0, count * FS_FBA_SIZE - file->window_bytes);
    int rc = fs_put(file, file->buffer, count);
    if (rc != FS_OK)
        return rc;
    file->window_bytes = 0;
    if (file->extent_total <= FS_INLINE_EXTENTS) {
        e->extents = (uint16_t)file->extent_total;
        memcpy(e->extent, file->list.extent, file->extent_total * sizeof e->extent[0]);
        return FS_OK;
    }
    if (file->list_home == 0 &&
        (rc = fs_take(file->fs, 1, 0, FS_RESERVE, &file->list_home, &count)) != FS_OK)
        return rc;
    if ((rc = fs_list_write(file, 0)) != FS_OK)
        return rc;
    e->extents = FS_OVERFLOWED;
    e->extent[0] = (struct fs_extent){file->overflow_first, file->overflow_count};
    e->extent[1] = (struct fs_extent){file->extent_total, 0};
    return FS_OK;
}

static int fs_free_slot(struct fs *fs)
{
    uint32_t slot = fs->first_free, slots = fs->super.dir_blocks * FS_ENTRIES_PER_BLOCK;
    while (slot < slots && fs->dir[slot].fn[0] != 0)
        slot++;
    fs->first_free = slot;
    return slot < FS_FILES_MAX ? (int)slot : FS_E_DIRFULL;
}

static int fs_enter(struct fs_file *file)
{
    struct fs *fs = file->fs;
    struct fs_name name;
    struct fs_entry old;
    memcpy(name.fn, file->entry.fn, 8);
    memcpy(name.ft, file->entry.ft, 8);
    int slot = fs_index_find(fs, &name), replaced = slot >= 0;
    if (!replaced && (slot = fs_free_slot(fs)) < 0)
        return slot;
    if (replaced)
        fs_get_entry(fs, (uint32_t)slot, &old);
    int rc = fs_change(fs, (uint32_t)slot, &file->entry, fs_entry_blocks(&file->entry),
                       replaced ? fs_entry_blocks(&old) : 0);
    if (rc != FS_OK)
        return rc;
    if (replaced)
        fs_drop(fs, &old);
    else
        fs_index_add(fs, (uint32_t)slot);
    return FS_OK;
}

int fs_commit(struct fs_file *file, uint64_t now)
{
    if (!file->fs || !file->writing)
        return FS_E_STATE;
    struct fs_entry *e = &file->entry;
    int rc = file->failed;
    if (rc == FS_OK)
        rc = fs_writable(file->fs);
    if (rc == FS_OK)
        rc = fs_finish(file);
    if (rc == FS_OK) {
        e->written = now;
        e->records = e->recfm == FS_FIXED ? e->size / e->lrecl + (e->size % e->lrecl != 0)
                                          : file->record;
        rc = fs_enter(file);
    }
    if (rc != FS_OK) {
        (void)fs_abort(file);
        return rc;
    }
    fs_unlink_file(file);
    file->fs = 0;
    return FS_OK;
}

int fs_abort(struct fs_file *file)
{
    struct fs *fs = file->fs;
    if (!fs || !file->writing)
        return FS_E_STATE;
    struct fs_overflow *list = &fs->scratch.overflow;
    uint32_t block = file->overflow_first;
    for (uint32_t n = file->overflow_count; n > 0; n--) {
        // A block that cannot be read back leaves its part taken until the next fs_mount.
        if (fs_overflow_read(fs, block, list) != FS_OK)
            break;
        for (uint32_t i = 0; i < list->count; i++)
            fs_map_free(fs, list->extent[i].start, list->extent[i].count);
        fs_map_free(fs, block, 1);
        block = list->next;
    }
    for (uint32_t i = 0; i < file->list_count; i++)
        fs_map_free(fs, file->list.extent[i].start, file->list.extent[i].count);
    if (file->list_home != 0)
        fs_map_free(fs, file->list_home, 1);
    fs_unlink_file(file);
    file->fs = 0;
    return FS_OK;
}
