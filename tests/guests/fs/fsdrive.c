// SPDX-License-Identifier: MIT
// Runs file system calls that arrive as lines on standard input, on a minidisk in an image file.
// Names are EBCDIC in hexadecimal. An answer is "rc ..." on one line; data that follows a line, in
// either direction, is announced by its length. tests/guests/fs/drive.py is the other side.
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
#include "../words.h"
#include "fs.h"

struct image { int fd; uint64_t start; };
enum { HANDLES = 4, MAX = 1 << 24 };

static struct image image;
static struct fs_device dev;
static struct fs fs;
static struct fs_file handle[HANDLES];
static uint64_t buffer[HANDLES][FS_BUFFER_SIZE / 8];
static uint8_t data[MAX + 4096];
static uint32_t buffer_size = FS_BUFFER_SIZE;

static int image_read(void *ctx, uint32_t block, uint32_t count, void *buf)
{
    struct image *i = ctx;
    ssize_t n = (ssize_t)count * 512;
    return block + count > dev.blocks || pread(i->fd, buf, n, (i->start + block) * 512) != n;
}

static int image_write(void *ctx, uint32_t block, uint32_t count, const void *buf)
{
    struct image *i = ctx;
    ssize_t n = (ssize_t)count * 512;
    return block + count > dev.blocks || pwrite(i->fd, buf, n, (i->start + block) * 512) != n;
}

static void text(const char *hex, char *out)
{
    out[unhex(hex, (uint8_t *)out, strlen(hex) / 2)] = 0;
}

static int name(char **arg, struct fs_name *out)
{
    char fn[64], ft[64];
    text(arg[0], fn);
    text(arg[1], ft);
    return fs_name_set(out, fn, ft);
}

static void show(const struct fs_stat *s)
{
    put_hex(s->name.fn, 8);
    put_hex(s->name.ft, 8);
    printf(" %u %u %u %u %u %u %lu", s->mode, s->recfm, s->lrecl, s->records, s->size, s->blocks,
           (unsigned long)s->written);
}

// put FN FT MODE RECFM LRECL NOW HOW LENGTH, then the stored bytes; HOW 0: by records.
static int put(char **arg)
{
    struct fs_name n;
    uint32_t how = (uint32_t)atol(arg[6]), size = (uint32_t)atol(arg[7]), at = 0;
    if (size > MAX || fread(data, 1, size, stdin) != size)
        exit(2);
    uint32_t recfm = (uint32_t)atol(arg[3]), lrecl = (uint32_t)atol(arg[4]);
    int rc = name(arg, &n);
    if (rc == FS_OK)
        rc = fs_create(&fs, &handle[0], &n, (uint8_t)atoi(arg[2]), (uint8_t)recfm, lrecl,
                       buffer[0], buffer_size);
    while (rc == FS_OK && at < size) {
        if (recfm == FS_VARIABLE) {
            uint32_t length = (uint32_t)data[at] << 8 | data[at + 1];
            rc = fs_write_record(&handle[0], data + at + 2, length);
            at += 2 + length;
        } else {
            uint32_t length = how == 0 ? lrecl : how;
            if (length > size - at)
                length = size - at;
            rc = how == 0 ? fs_write_record(&handle[0], data + at, length)
                          : fs_write(&handle[0], data + at, length);
            at += length;
        }
    }
    if (rc == FS_OK)
        rc = fs_commit(&handle[0], strtoull(arg[5], 0, 10));
    if (handle[0].fs)
        fs_abort(&handle[0]);
    return rc;
}

// Everything from the position on: HOW 0 fs_next, 1 fs_read_record, else fs_read in such pieces.
static int drain(struct fs_file *f, uint32_t how, uint32_t *size)
{
    struct fs_stat s;
    int rc = fs_file_stat(f, &s);
    uint32_t prefix = s.recfm == FS_VARIABLE ? 2 : 0;
    *size = 0;
    while (rc >= 0) {
        const uint8_t *record;
        uint32_t length = 0;
        if (how == 0) {
            rc = fs_next(f, &record, &length);
            if (rc == FS_E_BUFFER)
                rc = fs_read_record(f, data + *size + prefix, MAX - *size), length = (uint32_t)rc;
            else if (rc == FS_OK)
                memcpy(data + *size + prefix, record, length);
        } else if (how == 1) {
            rc = fs_read_record(f, data + *size + prefix, MAX - *size);
            length = (uint32_t)rc;
        } else {
            rc = fs_read(f, data + *size, how);
            *size += rc > 0 ? (uint32_t)rc : 0;
            if (rc == 0)
                return FS_OK;
            continue;
        }
        if (rc < 0)
            break;
        if (prefix) {
            data[*size] = (uint8_t)(length >> 8);
            data[*size + 1] = (uint8_t)length;
        }
        *size += prefix + length;
    }
    return rc == FS_EOF ? FS_OK : rc;
}

static void reply_data(int rc, uint32_t size)
{
    printf("%d %u\n", rc, rc == FS_OK ? size : 0);
    if (rc == FS_OK)
        fwrite(data, 1, size, stdout);
}

static int command(char **arg, int n)
{
    struct fs_name a, b;
    struct fs_stat s;
    struct fs_usage u;
    uint32_t size = 0;
    const char *what = arg[0];
    int rc;
    if (!strcmp(what, "device") && n == 6) {
        image.fd = open(arg[1], O_RDWR);
        image.start = strtoull(arg[2], 0, 10);
        dev = (struct fs_device){&image, (uint32_t)atol(arg[3]), (uint32_t)atol(arg[4]), image_read,
                                 image_write};
        buffer_size = (uint32_t)atol(arg[5]);
        return image.fd < 0;
    }
    if (!strcmp(what, "format")) {
        char label[64];
        text(arg[1], label);
        return fs_format(&fs, &dev, (uint8_t *)label, strtoull(arg[2], 0, 10));
    }
    if (!strcmp(what, "mount"))
        return fs_mount(&fs, &dev, atoi(arg[1]));
    if (!strcmp(what, "check"))
        return fs_check(&fs);
    if (!strcmp(what, "put"))
        return put(arg + 1);
    if (!strcmp(what, "erase"))
        return (rc = name(arg + 1, &a)) == FS_OK ? fs_erase(&fs, &a) : rc;
    if (!strcmp(what, "rename")) {
        rc = name(arg + 1, &a);
        if (rc == FS_OK)
            rc = name(arg + 3, &b);
        return rc == FS_OK ? fs_rename(&fs, &a, &b, (uint8_t)atoi(arg[5])) : rc;
    }
    if (!strcmp(what, "usage")) {
        fs_usage(&fs, &u);
        printf("0 %u %u %u %u %lu\n", u.blocks, u.used, u.free, u.files,
               (unsigned long)u.generation);
        return 1;
    }
    if (!strcmp(what, "stat")) {
        if ((rc = name(arg + 1, &a)) == FS_OK)
            rc = fs_stat(&fs, &a, &s);
        if (rc != FS_OK)
            return rc;
        printf("0 ");
        show(&s);
        printf("\n");
        return 1;
    }
    if (!strcmp(what, "list")) {
        char fn[64], ft[64];
        uint32_t cursor = 0;
        text(arg[1], fn);
        text(arg[2], ft);
        printf("0");
        while ((rc = fs_list(&fs, fn, ft, atoi(arg[3]), &cursor, &s)) == FS_OK) {
            printf(";");
            show(&s);
        }
        printf("\n");
        return 1;
    }
    if (!strcmp(what, "open")) {
        int h = atoi(arg[1]);
        rc = name(arg + 2, &a);
        return rc == FS_OK ? fs_open(&fs, &handle[h], &a, buffer[h], buffer_size) : rc;
    }
    if (!strcmp(what, "drain")) {
        struct fs_file *f = &handle[atoi(arg[1])];
        rc = fs_seek(f, 0);
        if (rc == FS_OK)
            rc = drain(f, (uint32_t)atol(arg[2]), &size);
        reply_data(rc, size);
        return 1;
    }
    if (!strcmp(what, "close"))
        return fs_close(&handle[atoi(arg[1])]);
    exit(2);
}

int main(void)
{
    char line[512], *arg[12] = {0};
    while (fgets(line, sizeof line, stdin)) {
        int n = 0;
        for (char *p = strtok(line, " \n"); p && n < 12; p = strtok(0, " \n"))
            arg[n++] = p;
        if (n == 0)
            continue;
        int rc = command(arg, n);
        if (rc <= 0)
            printf("%d\n", rc);
        fflush(stdout);
    }
    return 0;
}
