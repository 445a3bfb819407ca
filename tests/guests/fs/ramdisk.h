// SPDX-License-Identifier: MIT
// A minidisk in storage that can lose power in the middle of a write.
#ifndef TEST_RAMDISK_H
#define TEST_RAMDISK_H

#include <stdint.h>
#include <string.h>
#include "fs.h"

struct ramdisk {
    uint8_t *data;
    uint32_t blocks;
    int64_t writes_left;  // -1: no limit; 0: the next write is torn and then nothing works
    uint32_t tear;        // of the torn write, tear / 2 blocks reach the disk; odd: 20 bytes more
    int dead;
    uint64_t reads, writes, blocks_moved;
};

static inline int ramdisk_read(void *ctx, uint32_t block, uint32_t count, void *buf)
{
    struct ramdisk *d = ctx;
    if (d->dead || block > d->blocks || count > d->blocks - block)
        return 1;
    memcpy(buf, d->data + (size_t)block * FS_FBA_SIZE, (size_t)count * FS_FBA_SIZE);
    d->reads++;
    d->blocks_moved += count;
    return 0;
}

static inline int ramdisk_write(void *ctx, uint32_t block, uint32_t count, const void *buf)
{
    struct ramdisk *d = ctx;
    if (d->dead || block > d->blocks || count > d->blocks - block)
        return 1;
    size_t bytes = (size_t)count * FS_FBA_SIZE;
    if (d->writes_left == 0) {
        d->dead = 1;
        size_t most = d->tear / 2 * (size_t)FS_FBA_SIZE + d->tear % 2 * 20;
        if (bytes > most)
            bytes = most;
    } else if (d->writes_left > 0) {
        d->writes_left--;
    }
    memcpy(d->data + (size_t)block * FS_FBA_SIZE, buf, bytes);
    d->writes++;
    d->blocks_moved += count;
    return d->dead;
}

static inline struct fs_device ramdisk_device(struct ramdisk *d)
{
    return (struct fs_device){d, d->blocks, 0, ramdisk_read, ramdisk_write};
}

// An EBCDIC name from capital letters and digits.
static inline uint8_t test_ebcdic(char c)
{
    if (c >= '0' && c <= '9')
        return (uint8_t)(0xF0 + (c - '0'));
    if (c <= 'I')
        return (uint8_t)(0xC1 + (c - 'A'));
    return c <= 'R' ? (uint8_t)(0xD1 + (c - 'J')) : (uint8_t)(0xE2 + (c - 'S'));
}

static inline void test_name(struct fs_name *name, const char *fn, const char *ft)
{
    memset(name, 0x40, sizeof *name);
    for (int i = 0; fn[i]; i++)
        name->fn[i] = test_ebcdic(fn[i]);
    for (int i = 0; ft[i]; i++)
        name->ft[i] = test_ebcdic(ft[i]);
}

static inline uint8_t test_byte(uint32_t seed, uint32_t i)
{
    uint32_t x = (i + 1) * 2654435761u ^ seed * 40503u;
    return (uint8_t)(x >> 13);
}

#endif
