/* SPDX-License-Identifier: MIT */
#include "logfile.h"
#include "diag.h"
#include "fs.h"

#define DISK  0x191
#define PARTS 9

bool log_on;
char log_fn[9] = "RTMSF", log_ft[9] = "LOG";

static struct fs disk;
static struct fs_file file;
static uint8_t buffer[FS_BUFFER_SIZE] __attribute__((aligned(8)));
static struct {
    uint16_t len;
    char text[RTM_RECORD];
} lines[LOG_LINES];
static unsigned count, written, intervals;

static int rd(void *ctx, uint32_t block, uint32_t n, void *to)
{
    (void)ctx;
    return diag_block(DISK, BLOCK_READ, block, n, to) != 0;
}

static int wr(void *ctx, uint32_t block, uint32_t n, const void *from)
{
    (void)ctx;
    return diag_block(DISK, BLOCK_WRITE, block, n, (void *)(uintptr_t)from) != 0;
}

static int mount(void)
{
    struct diag_disk info;

    if (diag_diskinfo(DISK, &info) != 0)
        return FS_E_IO;
    struct fs_device dev = {
        .blocks = info.blocks, .max_transfer = BLOCK_COUNT_MAX, .read = rd, .write = wr};
    return fs_mount(&disk, &dev, FS_READWRITE);
}

static int part_name(struct fs_name *name, unsigned part)
{
    char ft[12];

    if (part)
        fmt(ft, sizeof(ft), "%s%u", log_ft, part);
    else
        fmt(ft, sizeof(ft), "%s", log_ft);
    return fs_name_set(name, log_fn, ft);
}

/* The current part, if it is there, becomes part 1, that part 2 ... */
static int shift(void)
{
    struct fs_name from, to;
    struct fs_stat st;
    unsigned top = 0;
    int rc = FS_OK;

    while (top < PARTS && part_name(&from, top) == FS_OK && fs_stat(&disk, &from, &st) == FS_OK)
        top++;
    if (top == PARTS) {
        part_name(&from, PARTS);
        if (fs_stat(&disk, &from, &st) == FS_OK)
            rc = fs_erase(&disk, &from);
    }
    for (; rc == FS_OK && top > 0; top--) {
        part_name(&from, top - 1);
        part_name(&to, top);
        rc = fs_rename(&disk, &from, &to, 1);
    }
    return rc;
}

static int commit(void)
{
    struct fs_name name;
    int rc = part_name(&name, 0);

    if (rc == FS_OK && count > written)
        rc = fs_create(&disk, &file, &name, 1, FS_VARIABLE, RTM_RECORD, buffer, sizeof(buffer));
    else
        return rc;
    for (unsigned i = 0; i < count && rc == FS_OK; i++) {
        rc = fs_write_record(&file, lines[i].text, lines[i].len);
        if (rc != FS_OK)
            fs_abort(&file);
    }
    if (rc == FS_OK)
        rc = fs_commit(&file, tod_us() / 1000000);
    if (rc == FS_OK)
        written = count;
    return rc;
}

int log_start(const char *fn, const char *ft)
{
    int rc = log_stop();

    if (rc != FS_OK)
        return rc;
    if (*fn)
        fmt(log_fn, sizeof(log_fn), "%s", fn);
    if (*ft)
        fmt(log_ft, sizeof(log_ft), "%s", ft);
    rc = mount();
    if (rc == FS_OK)
        rc = shift();
    count = written = intervals = 0;
    log_on = rc == FS_OK;
    return rc;
}

int log_line(const char *text, unsigned len)
{
    int rc = FS_OK;

    if (count == LOG_LINES) {
        rc = commit();
        if (rc == FS_OK)
            rc = shift();
        count = written = 0;
    }
    lines[count].len = (uint16_t)(len < RTM_RECORD ? len : RTM_RECORD - 1);
    memcpy(lines[count].text, text, lines[count].len);
    count++;
    return rc;
}

int log_interval(void)
{
    if (++intervals < LOG_INTERVALS)
        return FS_OK;
    intervals = 0;
    return commit();
}

int log_stop(void)
{
    int rc = log_on ? commit() : FS_OK;

    log_on = false;
    return rc;
}
