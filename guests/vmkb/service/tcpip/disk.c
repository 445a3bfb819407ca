/* SPDX-License-Identifier: MIT */
/* Configuration files on the TCPIP machine's minidisks: 191 first, then 198 (the
 * installation's). */
#include "disk.h"
#include "diag.h"
#include "fs.h"

static struct fs disk;
static uint8_t buffer[65536] __attribute__((aligned(8)));

static int rd(void *ctx, uint32_t block, uint32_t count, void *to)
{
    return diag_block((int)(uintptr_t)ctx, BLOCK_READ, block, count, to) != 0;
}

static int wr(void *ctx, uint32_t block, uint32_t count, const void *from)
{
    (void)ctx;
    (void)block;
    (void)count;
    (void)from;
    return 1;
}

int disk_read(const char *fn, const char *ft,
              void (*line)(const char *text, unsigned len, unsigned number))
{
    struct fs_file file = {0};
    struct fs_name name;
    struct diag_disk info;
    const uint8_t *record;
    uint32_t len;
    unsigned number = 0;

    fs_name_set(&name, fn, ft);
    for (unsigned i = 0; i < 2; i++) {
        int vaddr = i ? 0x198 : 0x191;
        if (diag_diskinfo(vaddr, &info) != 0)
            continue;
        struct fs_device dev = {.ctx = (void *)(uintptr_t)vaddr,
                                .blocks = info.blocks,
                                .max_transfer = 2048,
                                .read = rd,
                                .write = wr};
        if (fs_mount(&disk, &dev, FS_READONLY) != FS_OK
            || fs_open(&disk, &file, &name, buffer, sizeof(buffer)) != FS_OK)
            continue;
        while (fs_next(&file, &record, &len) == FS_OK)
            line((const char *)record, len, ++number);
        fs_close(&file);
        return 1;
    }
    return 0;
}
