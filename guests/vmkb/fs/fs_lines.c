// SPDX-License-Identifier: MIT
// V records and lines of text, many at a time. A record's length prefix is as long as the end of a
// line, so whole runs of bytes are moved at once, and each prefix then takes the place of the end
// of the line before it, or the other way about: 15 to 35 instructions a record, where a record
// alone takes 100.
#include "fs_internal.h"

enum { AHEAD = 4096 };  // bytes moved before it is known that they are whole lines

uint32_t fs_next_lines(struct fs_file *file, uint8_t *to, uint32_t size, const uint8_t end[2])
{
    uint32_t into = file->position - file->window;
    if (!file->fs || file->writing || file->entry.recfm != FS_VARIABLE ||
        into >= file->window_valid)
        return 0;
    uint32_t left = file->window_valid - into, lrecl = file->entry.lrecl, records = 0;
    if (left > size)
        left = size;
    const uint8_t *from = file->buffer + into, *at = from, *stop = from + left;
    if (left > 2)
        memcpy(to, from + 2, left - 2);
    while (stop - at >= 2) {
        uint16_t prefix;
        memcpy(&prefix, at, 2);
        uint32_t length = fs_be16(prefix);
        if (length > lrecl || length > stop - at - 2)
            break;
        at += 2 + length;
        memcpy(to + (at - from) - 2, end, 2);
        records++;
    }
    uint32_t done = (uint32_t)(at - from);
    file->position += done;
    file->record += records;
    return done;
}

uint32_t fs_write_lines(struct fs_file *file, const uint8_t *from, uint32_t size, uint32_t most,
                        const uint8_t end[2])
{
    if (!file->fs || !file->writing || file->failed || file->entry.recfm != FS_VARIABLE)
        return 0;
    uint32_t room = file->buffer_size - file->window_bytes - 1;  // as fs_write_record leaves it
    uint32_t longest = file->entry.lrecl, records = 0;
    if (size > room)
        size = room;
    if (most > file->lrecl_limit)
        most = file->lrecl_limit;
    uint8_t *to = file->buffer + file->window_bytes;
    const uint8_t *line = from, *moved = from, *stop = from + size, *at;
    while ((at = memchr(line, end[1], (size_t)(stop - line))) != 0) {
        size_t length = (size_t)(at - line) - 1;  // no byte before the end: more than any most
        if (length > most || at[-1] != end[0])
            break;
        while (moved < at - 1) {
            size_t n = stop - 2 - moved < AHEAD ? (size_t)(stop - 2 - moved) : AHEAD;
            memcpy(to + 2 + (moved - from), moved, n);
            moved += n;
        }
        uint16_t prefix = fs_be16((uint16_t)length);
        memcpy(to + (line - from), &prefix, 2);
        if (length > longest)
            longest = (uint32_t)length;
        line = at + 1;
        records++;
    }
    uint32_t done = (uint32_t)(line - from);
    file->window_bytes += done;
    file->entry.size += done;
    file->position += done;
    file->entry.lrecl = longest;
    file->record += records;
    return done;
}
