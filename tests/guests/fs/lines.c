// SPDX-License-Identifier: MIT
// Lines to V records and back, many at a time, mixed with the calls that take one: what is stored
// must be the same. Buffers of lines end where they end, so that a byte too many is seen.
#include <stdio.h>
#include <stdlib.h>
#include "../chance.h"
#include "ramdisk.h"

enum { BLOCKS = 400 * 8, MOST = 600000, FILES = 200 };
static uint8_t image[BLOCKS * 512], text[MOST], back[MOST + 2];
static struct ramdisk disk = {image, BLOCKS, -1, 0, 0, 0, 0, 0};
static struct fs fs;
static struct fs_file file;
static uint64_t buffer[40960 / 8];
static const uint8_t end[2] = {0x0D, 0x25};
static struct fs_name name;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #x);                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// Lines that end in CR LF or in LF alone, with CR and all but LF in them; the length of a longest
// one.
static uint32_t make(uint32_t *length)
{
    uint32_t n = 0, longest = 0, lines = chance(300), usual = chance(4) ? 90 : 9000;
    int bare = chance(3) == 0;
    for (; lines > 0 && n + usual + 2 < MOST; lines--) {
        uint32_t k = chance(usual);
        for (uint32_t i = 0; i < k; i++) {
            uint8_t c = chance(8) ? (uint8_t)chance(256) : end[0];
            text[n++] = c == end[1] ? 0x40 : c;
        }
        if (k && text[n - 1] == end[0])
            text[n - 1] = 0x40;
        if (!bare || chance(2))
            text[n++] = end[0];
        text[n++] = end[1];
        if (k > longest)
            longest = k;
    }
    *length = n;
    return longest;
}

// One line by fs_write_record; 0 when it is longer than most.
static uint32_t one(const uint8_t *from, uint32_t size, uint32_t most)
{
    const uint8_t *last = memchr(from, end[1], size);
    uint32_t k = (uint32_t)(last - from);
    if (k && from[k - 1] == end[0])
        k--;
    if (k > most)
        return 0;
    CHECK(fs_write_record(&file, from, k) == FS_OK);
    return (uint32_t)(last - from) + 1;
}

// Returns how many of the lines fs_write_lines took.
static uint32_t write(uint32_t size, uint32_t most, uint32_t room)
{
    uint32_t at = 0, bulk = 0;
    CHECK(fs_create(&fs, &file, &name, 1, FS_VARIABLE, 0, buffer, room) == FS_OK);
    while (at < size) {
        uint32_t piece = chance(4) ? size - at : chance(size - at) + 1;
        uint8_t *given = malloc(piece);  // ends where it ends
        memcpy(given, text + at, piece);
        uint32_t before = file.record, n = fs_write_lines(&file, given, piece, most, end);
        CHECK(n <= piece);
        bulk += file.record - before;
        free(given);
        at += n;
        if (at < size && (n = one(text + at, size - at, most)) == 0)
            break;
        at += n;
    }
    CHECK(fs_commit(&file, 1) == FS_OK);
    return bulk;
}

// What was written, up to a line longer than most, each line with its whole end.
static uint32_t expected(uint32_t size, uint32_t most, uint8_t *out, uint32_t *lines,
                         uint32_t *longest)
{
    uint32_t at = 0, n = 0;
    *lines = *longest = 0;
    while (at < size) {
        const uint8_t *last = memchr(text + at, end[1], size - at);
        uint32_t k = (uint32_t)(last - text) - at;
        uint32_t length = k && last[-1] == end[0] ? k - 1 : k;
        if (length > most)
            break;
        memcpy(out + n, text + at, length);
        memcpy(out + n + length, end, 2);
        n += length + 2;
        at += k + 1;
        ++*lines;
        if (length > *longest)
            *longest = length;
    }
    return n;
}

static void read_back(const uint8_t *want, uint32_t size, uint32_t lines, uint32_t longest,
                      uint32_t room)
{
    struct fs_stat s;
    uint32_t n = 0, most = 1 + chance(40000);
    CHECK(fs_open(&fs, &file, &name, buffer, room) == FS_OK);
    CHECK(fs_file_stat(&file, &s) == FS_OK);
    CHECK(s.records == lines && s.size == size && s.lrecl == longest);
    for (;;) {
        const uint8_t *record;
        uint32_t length;
        uint8_t *to = malloc(most);
        uint32_t k = fs_next_lines(&file, to, most, end);
        CHECK(k <= most && n + k <= size);
        memcpy(back + n, to, k);
        free(to);
        n += k;
        int rc = fs_next(&file, &record, &length);
        if (rc == FS_EOF)
            break;
        CHECK(rc == FS_OK && n + length + 2 <= size);
        memcpy(back + n, record, length);
        memcpy(back + n + length, end, 2);
        n += length + 2;
    }
    CHECK(n == size && memcmp(back, want, n) == 0);
    CHECK(fs_close(&file) == FS_OK);
}

// A length prefix that runs past the end, or past the longest record: fs_next says so, and no byte
// of it came.
static void damaged(void)
{
    static const uint8_t bad[] = {0, 1, 0x41, 0, 9, 0x41};
    const uint8_t *record;
    uint32_t length;
    uint8_t to[64];
    CHECK(fs_create(&fs, &file, &name, 1, FS_FIXED, 1, buffer, 4096) == FS_OK);
    CHECK(fs_write(&file, bad, sizeof bad) == FS_OK);
    CHECK(fs_commit(&file, 1) == FS_OK);
    CHECK(fs_open(&fs, &file, &name, buffer, 8192) == FS_OK);
    CHECK(fs_next_lines(&file, to, sizeof to, end) == 0);  // an F file has none
    file.entry.recfm = FS_VARIABLE;
    CHECK(fs_next(&file, &record, &length) == FS_OK);
    CHECK(fs_next_lines(&file, to, sizeof to, end) == 0);
    CHECK(fs_next(&file, &record, &length) == FS_E_RECORD);
    CHECK(fs_close(&file) == FS_OK);
}

int main(void)
{
    static const uint8_t label[8] = {0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40};
    static uint8_t want[MOST * 2];
    struct fs_device dev = ramdisk_device(&disk);
    uint32_t bulk = 0, all = 0;

    CHECK(fs_format(&fs, &dev, label, 1) == FS_OK);
    CHECK(fs_mount(&fs, &dev, FS_READWRITE) == FS_OK);
    test_name(&name, "LINES", "TEXT");
    for (int i = 0; i < FILES; i++) {
        uint32_t size, lines, longest, room = chance(2) ? 16384 : 40960, longest_line = make(&size);
        uint32_t most = chance(4) || !longest_line ? 65535 : chance(longest_line) + 1;
        bulk += write(size, most, room);
        uint32_t n = expected(size, most, want, &lines, &longest);
        all += lines;
        read_back(want, n, lines, longest, room);
    }
    damaged();
    printf("%u of %u\n", bulk, all);
    return 0;
}
