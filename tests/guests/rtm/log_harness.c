/* SPDX-License-Identifier: MIT */
/* RTMSF's log on a minidisk in storage. Arguments, done in order: start, stop, N (so many intervals
 * of ten lines), power (the next write is the last). Then the files, as parts: name, records, first
 * and last line. */
#include <stdio.h>
#include <stdlib.h>
#include "diag.h"
#include "logfile.h"
#include "ramdisk.h"

#define BLOCKS 8192

static struct ramdisk ram;
static uint64_t clock_us;

uint64_t tod_us(void)
{
    return clock_us += 1000000;
}

long diag_diskinfo(int vaddr, struct diag_disk *p)
{
    p->blocks = BLOCKS;
    return vaddr == 0x191 ? 0 : DIAG_ENODEV;
}

long diag_block(int vaddr, int op, long block, long count, void *buf)
{
    (void)vaddr;
    if (op == BLOCK_READ)
        return ramdisk_read(&ram, (uint32_t)block, (uint32_t)count, buf);
    return ramdisk_write(&ram, (uint32_t)block, (uint32_t)count, buf);
}

static void list(void)
{
    static struct fs fs;
    static uint8_t buffer[65536] __attribute__((aligned(8)));
    struct fs_device dev = ramdisk_device(&ram);
    struct fs_stat st;
    uint32_t cursor = 0;

    ram.dead = 0;
    ram.writes_left = -1;
    printf("mount %d\n", fs_mount(&fs, &dev, FS_READONLY));
    while (fs_list(&fs, "\x5c", "\x5c", -1, &cursor, &st) == FS_OK) {
        struct fs_file file = {0};
        char line[RTM_RECORD], first[RTM_RECORD] = "", last[RTM_RECORD] = "";
        int n, records = 0;
        fs_open(&fs, &file, &st.name, buffer, sizeof(buffer));
        while ((n = fs_read_record(&file, line, sizeof(line) - 1)) >= 0) {
            line[n] = 0;
            strcpy(records++ ? last : first, line);
        }
        fs_close(&file);
        printf("%.8s\x40%.8s %d %s %s\n", (const char *)st.name.fn, (const char *)st.name.ft,
               records, first, last);
    }
}

int main(int argc, char **argv)
{
    static struct fs fs;
    static const uint8_t label[8] = "RTM191  ";
    char line[64];
    unsigned serial = 0;
    int rc = 0;

    ram =
        (struct ramdisk){.data = calloc(BLOCKS, FS_FBA_SIZE), .blocks = BLOCKS, .writes_left = -1};
    struct fs_device dev = ramdisk_device(&ram);
    fs_format(&fs, &dev, label, 1);
    for (int i = 1; i < argc && rc == 0; i++) {
        if (strcmp(argv[i], "start") == 0)
            rc = log_start("", "");
        else if (strcmp(argv[i], "stop") == 0)
            rc = log_stop();
        else if (strcmp(argv[i], "power") == 0)
            ram.writes_left = 0;
        else
            for (int n = atoi(argv[i]); n > 0 && rc == 0; n--) {
                for (int k = 0; k < 10 && rc == 0; k++)
                    rc = log_line(line, (unsigned)snprintf(line, sizeof(line), "%u", serial++));
                if (rc == 0)
                    rc = log_interval();
            }
    }
    printf("rc %d\n", rc);
    list();
    free(ram.data);
    return 0;
}
