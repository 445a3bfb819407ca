// SPDX-License-Identifier: MIT
// Reading a file: bytes straight from disk to the caller, or records through the file's buffer.
#include "fs_internal.h"

int fs_buffer_ok(const void *buffer, uint32_t size)
{
    return buffer != 0 && ((uintptr_t)buffer & 7) == 0 && size >= FS_BLOCK_SIZE &&
           size % FS_BLOCK_SIZE == 0;
}

// Loads the first part of the extent list.
static int fs_list_first(struct fs_file *file)
{
    const struct fs_entry *e = &file->entry;
    file->list_block = file->list_index = 0;
    if (e->extents != FS_OVERFLOWED) {
        memcpy(file->list.extent, e->extent, sizeof e->extent);
        file->list_count = e->extents;
        file->list_next = 0;
        return FS_OK;
    }
    int rc = fs_overflow_read(file->fs, e->extent[0].start, &file->list);
    file->list_count = rc == FS_OK ? file->list.count : 0;
    file->list_next = rc == FS_OK ? file->list.next : 0;
    return rc;
}

// Where file block `block` is: disk block and how many follow it in the same extent.
static int fs_locate(struct fs_file *file, uint32_t block, uint32_t *disk, uint32_t *run)
{
    int rc;
    if (block < file->list_block && (rc = fs_list_first(file)) != FS_OK)
        return rc;
    for (;;) {
        while (file->list_index < file->list_count) {
            const struct fs_extent *x = &file->list.extent[file->list_index];
            uint32_t into = block - file->list_block;
            if (into < x->count) {
                *disk = x->start + into;
                *run = x->count - into;
                return FS_OK;
            }
            file->list_block += x->count;
            file->list_index++;
        }
        if (file->list_next == 0)
            return FS_E_DAMAGED;
        if ((rc = fs_overflow_read(file->fs, file->list_next, &file->list)) != FS_OK)
            return rc;
        file->list_count = file->list.count;
        file->list_next = file->list.next;
        file->list_index = 0;
    }
}

// Reads `count` FBA blocks from the block-aligned file offset on.
static int fs_read_blocks(struct fs_file *file, uint32_t offset, uint32_t count, void *buf)
{
    uint8_t *to = buf;
    uint32_t block = offset / FS_BLOCK_SIZE, disk, run;
    while (count > 0) {
        int rc = fs_locate(file, block, &disk, &run);
        if (rc == FS_OK) {
            uint32_t n = run > count / FS_FBA_PER_BLOCK ? count : run * FS_FBA_PER_BLOCK;
            rc = fs_io_read(file->fs, disk * FS_FBA_PER_BLOCK, n, to);
            to += (size_t)n * FS_FBA_SIZE;
            count -= n;
            block += run;
        }
        if (rc != FS_OK)
            return rc != FS_E_IO && fs_check(file->fs) == FS_E_STALE ? FS_E_STALE : rc;
    }
    return FS_OK;
}

// Makes [position, position + need) of the file available in the buffer; it is within the file.
static int fs_fill(struct fs_file *file, uint32_t need)
{
    uint32_t start = file->position / FS_BLOCK_SIZE * FS_BLOCK_SIZE, keep = 0;
    if (file->position - start + need > file->buffer_size)
        return FS_E_BUFFER;
    if (start >= file->window && start < file->window + file->window_bytes) {
        keep = file->window + file->window_bytes - start;
        if (start != file->window)
            memmove(file->buffer, file->buffer + (start - file->window), keep);
    }
    file->window = start;
    file->window_bytes = keep;
    uint32_t left = file->entry.size - start - keep, room = file->buffer_size - keep;
    if (left > room)
        left = room;
    uint32_t count = left / FS_FBA_SIZE + (left % FS_FBA_SIZE != 0);
    int rc = fs_read_blocks(file, start + keep, count, file->buffer + keep);
    // Whole blocks, so that the next fill goes on at a block; past the end nobody looks.
    file->window_bytes = keep + (rc == FS_OK ? fs_blocks_for(left) * FS_BLOCK_SIZE : 0);
    file->window_valid = file->entry.size - start;
    if (file->window_valid > file->window_bytes)
        file->window_valid = file->window_bytes;
    return rc;
}

static inline int fs_in_window(const struct fs_file *file, uint32_t need)
{
    uint32_t into = file->position - file->window;
    return file->position >= file->window && into <= file->window_bytes &&
           file->window_bytes - into >= need;
}

static int fs_need(struct fs_file *file, uint32_t need, const uint8_t **at)
{
    if (!fs_in_window(file, need)) {
        int rc = fs_fill(file, need);
        if (rc != FS_OK)
            return rc;
    }
    *at = file->buffer + (file->position - file->window);
    return FS_OK;
}

int fs_open(struct fs *fs, struct fs_file *file, const struct fs_name *name, void *buffer,
            uint32_t size)
{
    file->fs = 0;
    if (!fs_buffer_ok(buffer, size))
        return FS_E_BUFFER;
    if (fs->broken)
        return FS_E_IO;
    int rc = fs_check(fs);
    if (rc != FS_OK)
        return rc;
    int slot = fs_index_find(fs, name);
    if (slot < 0)
        return slot;
    fs_get_entry(fs, (uint32_t)slot, &file->entry);
    file->fs = fs;
    file->writing = file->failed = file->orphan = 0;
    file->position = file->record = 0;
    file->buffer = buffer;
    file->buffer_size = size;
    file->window = file->window_bytes = file->window_valid = 0;
    if ((rc = fs_list_first(file)) != FS_OK) {
        file->fs = 0;
        return rc;
    }
    file->next = fs->open;
    fs->open = file;
    return FS_OK;
}

int fs_read(struct fs_file *file, void *buf, uint32_t size)
{
    if (!file->fs || file->writing)
        return FS_E_STATE;
    uint8_t *to = buf;
    uint32_t done = 0, left = file->entry.size - file->position;
    const uint8_t *at;
    if (size > INT32_MAX)
        size = INT32_MAX;
    while (done < size && left > 0) {
        uint32_t n = size - done < left ? size - done : left;
        uint32_t whole = n / FS_BLOCK_SIZE * FS_FBA_PER_BLOCK;
        if (n == left && (n + FS_FBA_SIZE - 1) / FS_FBA_SIZE * FS_FBA_SIZE <= size - done)
            whole = (n + FS_FBA_SIZE - 1) / FS_FBA_SIZE;  // to the end, with room for its block
        int rc;
        if (file->position % FS_BLOCK_SIZE == 0 && whole > 0 && !fs_in_window(file, 1)) {
            if ((rc = fs_read_blocks(file, file->position, whole, to + done)) != FS_OK)
                return rc;
            if (n > whole * FS_FBA_SIZE)
                n = whole * FS_FBA_SIZE;
        } else {
            if ((rc = fs_need(file, 1, &at)) != FS_OK)
                return rc;
            uint32_t here = file->window + file->window_bytes - file->position;
            if (n > here)
                n = here;
            memcpy(to + done, at, n);
        }
        done += n;
        left -= n;
        file->position += n;
    }
    return (int)done;
}

// Length of the next record, and of its prefix; FS_EOF at the end.
static int fs_next_length(struct fs_file *file, uint32_t *prefix, uint32_t *length)
{
    if (!file->fs || file->writing)
        return FS_E_STATE;
    uint32_t left = file->entry.size - file->position;
    if (left == 0)
        return FS_EOF;
    if (file->entry.recfm == FS_FIXED) {
        *prefix = 0;
        *length = file->entry.lrecl < left ? file->entry.lrecl : left;
        return FS_OK;
    }
    const uint8_t *at;
    if (left < 2)
        return FS_E_RECORD;
    int rc = fs_need(file, 2, &at);
    if (rc != FS_OK)
        return rc;
    *prefix = 2;
    *length = (uint32_t)at[0] << 8 | at[1];
    return *length > file->entry.lrecl || *length + 2 > left ? FS_E_RECORD : FS_OK;
}

// Next record when all of it is in the buffer already: about 25 instructions. 0: it is not.
static inline int fs_next_here(struct fs_file *file, const uint8_t **record, uint32_t *length)
{
    uint32_t into = file->position - file->window, n = file->entry.lrecl, prefix = 0;
    if (into >= file->window_valid || !file->fs || file->writing)
        return 0;
    uint32_t valid = file->window_valid - into;
    const uint8_t *at = file->buffer + into;
    if (file->entry.recfm == FS_VARIABLE) {
        if (valid < 2 || ((uint32_t)at[0] << 8 | at[1]) > n)
            return 0;
        n = (uint32_t)at[0] << 8 | at[1];
        prefix = 2;
    }
    if (prefix + n > valid)
        return 0;
    *record = at + prefix;
    *length = n;
    file->position += prefix + n;
    file->record++;
    return 1;
}

int fs_next(struct fs_file *file, const uint8_t **record, uint32_t *length)
{
    uint32_t prefix;
    const uint8_t *at;
    if (fs_next_here(file, record, length))
        return FS_OK;
    int rc = fs_next_length(file, &prefix, length);
    if (rc != FS_OK || (rc = fs_need(file, prefix + *length, &at)) != FS_OK)
        return rc;
    *record = at + prefix;
    file->position += prefix + *length;
    file->record++;
    return FS_OK;
}

int fs_read_record(struct fs_file *file, void *buf, uint32_t size)
{
    uint32_t prefix, length;
    int rc = fs_next_length(file, &prefix, &length);
    if (rc != FS_OK)
        return rc;
    if (length > size)
        return FS_E_BUFFER;
    uint32_t before = file->position;
    file->position += prefix;
    if ((rc = fs_read(file, buf, length)) < 0) {
        file->position = before;
        return rc;
    }
    file->record++;
    return (int)length;
}

int fs_seek(struct fs_file *file, uint32_t position)
{
    if (!file->fs || file->writing || position > file->entry.size)
        return FS_E_STATE;
    if (file->entry.recfm != FS_FIXED && position != 0)
        return FS_E_STATE;
    file->position = position;
    file->record = file->entry.recfm == FS_FIXED ? position / file->entry.lrecl : 0;
    return FS_OK;
}

int fs_file_stat(const struct fs_file *file, struct fs_stat *out)
{
    if (!file->fs)
        return FS_E_STATE;
    fs_entry_stat(&file->entry, out);
    return FS_OK;
}

void fs_unlink_file(struct fs_file *file)
{
    struct fs_file **link = &file->fs->open;
    while (*link && *link != file)
        link = &(*link)->next;
    if (*link)
        *link = file->next;
}

int fs_close(struct fs_file *file)
{
    struct fs *fs = file->fs;
    if (!fs)
        return FS_E_STATE;
    if (file->writing)
        return fs_abort(file);
    fs_unlink_file(file);
    file->fs = 0;
    if (file->orphan)
        fs_drop(fs, &file->entry);  // stays with another open reader, if there is one
    return fs->writable ? FS_OK : fs_check(fs);
}
