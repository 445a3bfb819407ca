// SPDX-License-Identifier: MIT
// Two machines on one disk: what a read-only mount and an open reader see while files are
// replaced, erased and renamed, and when they are told to look again.
#include <stdio.h>
#include <stdlib.h>
#include "ramdisk.h"

enum { BLOCKS = 64 * 8 };
static uint8_t image[BLOCKS * 512], back[BLOCKS * 512], bytes[BLOCKS * 512];
static struct ramdisk disk = {image, BLOCKS, -1, 0, 0, 0, 0, 0};
static struct fs writer, reader;
static struct fs_file out, in, in2;
static uint64_t out_buffer[512], in_buffer[512], in2_buffer[512];
static struct fs_name a, b;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #x);                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// Lets the search for free blocks begin at the front, where blocks given up would be found.
static void create(const struct fs_name *name)
{
    writer.next_fit = 1;
    CHECK(fs_create(&writer, &out, name, 1, FS_FIXED, 1, out_buffer, sizeof out_buffer) == FS_OK);
}

static void put(const struct fs_name *name, uint32_t seed, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = test_byte(seed, i);
    create(name);
    CHECK(fs_write(&out, bytes, size) == FS_OK);
    CHECK(fs_commit(&out, 3) == FS_OK);
}

static int holds(struct fs_file *f, uint32_t seed, uint32_t size)
{
    CHECK(fs_seek(f, 0) == FS_OK);
    int n = fs_read(f, back, sizeof back);
    for (int i = 0; i < n; i++)
        if (back[i] != test_byte(seed, (uint32_t)i))
            return 0;
    return n == (int)size;
}

// Uncommitted data in every block that may be had.
static void write_all_free(void)
{
    struct fs_usage u;
    fs_usage(&writer, &u);
    create(&b);
    (void)fs_write(&out, bytes, u.free * 4096);
}

// The newest superblock is lost: the generation before is still whole.
static void superblock_lost(void)
{
    struct fs_device dev = ramdisk_device(&disk);
    for (int again = 0; again < 2; again++) {
        if (again)
            CHECK(fs_mount(&writer, &dev, FS_READWRITE) == FS_OK);
        put(&a, 20, 30000);
        put(&a, 21, 50000);
        if (again)
            CHECK(fs_mount(&writer, &dev, FS_READWRITE) == FS_OK);
        create(&b);
        (void)fs_write(&out, bytes, sizeof bytes);
        struct fs_usage u;
        fs_usage(&writer, &u);
        memset(image + FS_SLOT_FBA(u.generation & 1) * 512, 0, 512);
        CHECK(fs_mount(&reader, &dev, FS_READONLY) == FS_OK);
        CHECK(fs_open(&reader, &in, &a, in_buffer, sizeof in_buffer) == FS_OK);
        CHECK(holds(&in, 21, 50000) || holds(&in, 20, 30000));
        CHECK(fs_close(&in) == FS_OK);
        CHECK(fs_abort(&out) == FS_OK);
    }
}

// A reader in another machine: safe for one commit, told after the second.
static void other_machine(void)
{
    struct fs_device dev = ramdisk_device(&disk);
    CHECK(fs_mount(&reader, &dev, FS_READONLY) == FS_OK);
    CHECK(fs_open(&reader, &in, &a, in_buffer, sizeof in_buffer) == FS_OK);
    put(&a, 2, 60000);
    CHECK(holds(&in, 1, 50000));
    CHECK(fs_close(&in) == FS_OK);
    CHECK(fs_create(&reader, &in, &a, 1, FS_FIXED, 1, in_buffer, sizeof in_buffer) ==
          FS_E_READONLY);
    CHECK(fs_erase(&reader, &a) == FS_E_READONLY);
    CHECK(fs_open(&reader, &in, &a, in_buffer, sizeof in_buffer) == FS_OK);
    // The next file's data is written before its commit: it must not touch the old blocks either.
    for (uint32_t i = 0; i < 50000; i++)
        bytes[i] = test_byte(3, i);
    create(&b);
    CHECK(fs_write(&out, bytes, 50000) == FS_OK);
    CHECK(holds(&in, 1, 50000));
    CHECK(fs_commit(&out, 4) == FS_OK);
    CHECK(fs_close(&in) == FS_E_STALE);
    CHECK(fs_open(&reader, &in, &a, in_buffer, sizeof in_buffer) == FS_E_STALE);
    CHECK(fs_mount(&reader, &dev, FS_READONLY) == FS_OK);
    CHECK(fs_open(&reader, &in, &a, in_buffer, sizeof in_buffer) == FS_OK);
    CHECK(holds(&in, 2, 60000));
    CHECK(fs_close(&in) == FS_OK);
}

// A writer that comes back may reuse nothing that a reader of the generation before still has.
static void new_writer(void)
{
    struct fs_device dev = ramdisk_device(&disk);
    CHECK(fs_mount(&reader, &dev, FS_READONLY) == FS_OK);
    CHECK(fs_open(&reader, &in, &b, in_buffer, sizeof in_buffer) == FS_OK);
    CHECK(fs_erase(&writer, &b) == FS_OK);
    CHECK(fs_mount(&writer, &dev, FS_READWRITE) == FS_OK);
    write_all_free();
    CHECK(holds(&in, 3, 50000) || fs_close(&in) == FS_E_STALE);
    CHECK(fs_abort(&out) == FS_OK);
}

// Readers in the writer's own machine keep what they opened, however often it is replaced.
static void own_readers(void)
{
    struct fs_device dev = ramdisk_device(&disk);
    struct fs_usage before, after;
    CHECK(fs_mount(&writer, &dev, FS_READWRITE) == FS_OK);
    put(&a, 5, 20000);
    CHECK(fs_open(&writer, &in, &a, in_buffer, sizeof in_buffer) == FS_OK);
    CHECK(fs_open(&writer, &in2, &a, in2_buffer, sizeof in2_buffer) == FS_OK);
    fs_usage(&writer, &before);
    for (uint32_t i = 0; i < 40; i++)
        put(&a, 100 + i, 20000);
    CHECK(holds(&in, 5, 20000));
    CHECK(fs_close(&in) == FS_OK);
    put(&a, 6, 20000);
    put(&a, 7, 20000);
    CHECK(holds(&in2, 5, 20000));
    fs_usage(&writer, &after);
    CHECK(after.free == before.free - 5);
    CHECK(fs_close(&in2) == FS_OK);
    fs_usage(&writer, &after);
    CHECK(after.free == before.free && after.used == before.used);
    CHECK(fs_close(&in2) == FS_E_STATE);
}

// A full disk: the error is told, nothing is lost, erasing works, and all of it can be used again.
static void full(void)
{
    struct fs_device dev = ramdisk_device(&disk);
    struct fs_usage u;
    struct fs_name c;
    test_name(&c, "C", "X");
    CHECK(fs_mount(&writer, &dev, FS_READWRITE) == FS_OK);
    for (int round = 0; round < 50; round++) {
        fs_usage(&writer, &u);
        put(&c, 8, u.free * 4096);
        fs_usage(&writer, &u);
        CHECK(u.free == 0);
        create(&b);
        (void)fs_write(&out, bytes, 5000);
        CHECK(fs_commit(&out, 4) == FS_E_FULL);
        CHECK(fs_rename(&writer, &c, &b, 2) == FS_OK);
        CHECK(fs_rename(&writer, &b, &c, 2) == FS_OK);
        CHECK(fs_open(&writer, &in, &a, in_buffer, sizeof in_buffer) == FS_OK);
        CHECK(holds(&in, 7, 20000));
        CHECK(fs_close(&in) == FS_OK);
        CHECK(fs_erase(&writer, &c) == FS_OK);
        CHECK(fs_mount(&reader, &dev, FS_READONLY) == FS_OK);
        fs_usage(&reader, &u);
        CHECK(u.files == 1);
    }
}

int main(void)
{
    struct fs_device dev = ramdisk_device(&disk);
    uint8_t label[8] = {0};
    test_name(&a, "A", "X");
    test_name(&b, "B", "X");
    CHECK(fs_mount(&writer, &dev, FS_READWRITE) == FS_E_NOTFS);
    CHECK(fs_format(&writer, &dev, label, 1) == FS_OK);
    CHECK(fs_mount(&writer, &dev, FS_READWRITE) == FS_OK);
    put(&a, 1, 50000);
    other_machine();
    new_writer();
    superblock_lost();
    own_readers();
    full();
    printf("all held\n");
    return 0;
}
