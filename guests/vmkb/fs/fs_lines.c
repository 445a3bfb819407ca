// SPDX-License-Identifier: MIT
// V records and lines of text, many at a time. A record's length prefix is as long as the end of a
// line, so whole runs of bytes are moved at once, and each prefix then takes the place of the end
// of the line before it, or the other way about: 8 and 18 instructions a record, where a record
// alone takes 100.
#include "fs_internal.h"

enum { AHEAD = 4096 };  // bytes moved before it is known that they are whole lines

static inline size_t fs_get16(const uint8_t *at)
{
    uint16_t number;
    memcpy(&number, at, 2);
    return fs_be16(number);
}

static inline void fs_put16(uint8_t *at, size_t number)
{
    uint16_t stored = fs_be16((uint16_t)number);
    memcpy(at, &stored, 2);
}

// Apart from what calls them, so that all that these two loops need stays in registers.
#define APART static __attribute__((noinline))

// What was done of a run of lines: the records, and the longest of them.
struct run {
    uint32_t records;
    size_t longest;
};

// The records from `at` on that are whole before `stop` get their line's end, in bytes that were
// moved `away`. Returns where the first is that is not.
APART const uint8_t *end_records(const uint8_t *at, const uint8_t *stop, uintptr_t away,
                                 size_t lrecl, uint16_t end, uint32_t *records)
{
    const uint8_t *last = stop - 1;
    uint32_t n = 0;
    while (at < last) {
        size_t length = fs_get16(at);
        const uint8_t *next = at + 2 + length;
        if (length > lrecl || next > stop)
            break;
        memcpy((uint8_t *)((uintptr_t)next + away) - 2, &end, 2);
        at = next;
        n++;
    }
    *records = n;
    return at;
}

uint32_t fs_next_lines(struct fs_file *file, uint8_t *to, uint32_t size, const uint8_t end[2])
{
    uint32_t into = file->position - file->window;
    if (!file->fs || file->writing || file->entry.recfm != FS_VARIABLE ||
        into >= file->window_valid)
        return 0;
    uint32_t left = file->window_valid - into, records;
    if (left > size)
        left = size;
    const uint8_t *from = file->buffer + into;
    if (left > 2)
        memcpy(to, from + 2, left - 2);
    uint16_t both;
    memcpy(&both, end, 2);
    const uint8_t *at = end_records(from, from + left, (uintptr_t)to - (uintptr_t)from,
                                    file->entry.lrecl, both, &records);
    uint32_t done = (uint32_t)(at - from);
    file->position += done;
    file->record += records;
    return done;
}

static inline bool is_line(const uint8_t *line, const uint8_t *at, size_t most, uint8_t cr)
{
    return (size_t)(at - line) - 1 <= most && at[-1] == cr;  // no byte before it: more than any
}

// The lines from `line` on that end before `stop` get their record's prefix, `away`. Returns where
// the first is that does not, or is none.
APART const uint8_t *begin_records(const uint8_t *line, const uint8_t *stop, uintptr_t away,
                                   size_t most, const uint8_t end[2], struct run *run)
{
    const uint8_t cr = end[0], lf = end[1];
    const uint8_t *at, *before = line - 1;
    size_t length, longest = run->longest < most ? run->longest : most;
    uint32_t n = 0;
    goto look;
    do {
        fs_put16((uint8_t *)((uintptr_t)before + away) + 1, length);
        before = at;
        n++;
    look:
        if (!next_byte(&at, before, stop, lf))
            break;
        length = (size_t)(at - before) - 2;
        if (length > longest) {
            if (length > most)  // also where no byte is before the end
                break;
            longest = length;
        }
    } while (at[-1] == cr);
    if (longest > run->longest)
        run->longest = longest;
    run->records += n;
    return before + 1;
}

uint32_t fs_write_lines(struct fs_file *file, const uint8_t *from, uint32_t size, uint32_t most,
                        const uint8_t end[2])
{
    if (!file->fs || !file->writing || file->failed || file->entry.recfm != FS_VARIABLE)
        return 0;
    uint32_t room = file->buffer_size - file->window_bytes - 1;  // as fs_write_record leaves it
    if (size > room)
        size = room;
    if (most > file->lrecl_limit)
        most = file->lrecl_limit;
    struct run run = {0, file->entry.lrecl};
    uint8_t *to = file->buffer + file->window_bytes;
    const uint8_t *line = from, *moved = from, *stop = from + size, *at;
    while ((at = find_byte(line, stop, end[1])) != stop && is_line(line, at, most, end[0])) {
        while (moved < at - 1) {
            size_t n = stop - 2 - moved < AHEAD ? (size_t)(stop - 2 - moved) : AHEAD;
            memcpy(to + 2 + (moved - from), moved, n);
            moved += n;
        }
        line = begin_records(line, moved + 2 < stop ? moved + 2 : stop,
                             (uintptr_t)to - (uintptr_t)from, most, end, &run);
    }
    uint32_t done = (uint32_t)(line - from);
    file->window_bytes += done;
    file->entry.size += done;
    file->position += done;
    file->entry.lrecl = (uint32_t)run.longest;
    file->record += run.records;
    return done;
}
