// SPDX-License-Identifier: MIT
// Damaged disks: bytes changed, ranges zeroed, the end cut off. Everything that can be called is
// called; sanitizers watch. A disk whose directory was damaged must not mount.
#include <stdio.h>
#include <stdlib.h>
#include "../chance.h"
#include "ramdisk.h"

enum { BLOCKS = 600 * 8 };
static uint8_t base[BLOCKS * 512], image[BLOCKS * 512], back[1 << 21];
static struct ramdisk disk = {image, BLOCKS, -1, 0, 0, 0, 0, 0};
static struct fs fs;
static struct fs_file file, other;
static uint64_t buffer[FS_BUFFER_SIZE / 8], buffer2[FS_BLOCK_SIZE / 8];
static unsigned codes[32];

static void put(const char *fn, uint8_t recfm, uint32_t size)
{
    struct fs_name name;
    test_name(&name, fn, "X");
    fs_create(&fs, &file, &name, 1, recfm, recfm == FS_FIXED ? 80 : 0, buffer, sizeof buffer);
    if (recfm == FS_FIXED)
        fs_write(&file, back, size);
    else
        for (uint32_t done = 0; done < size; done += 70)
            fs_write_record(&file, back + done, done % 71);
    if (fs_commit(&file, 5) != FS_OK)
        exit(2);
}

// Changed bits and bytes, zeroed ranges, a shorter disk, blocks and superblocks out of place.
static void damage(void)
{
    uint32_t kind = chance(6), n = 1 + chance(4);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t near = chance(2) ? chance(BLOCKS * 512) : chance(5 * 4096);
        if (kind == 0)
            image[near] ^= (uint8_t)(1u << chance(8));
        else if (kind == 1)
            image[near] = (uint8_t)chance(256);
        else if (kind == 2)
            memset(image + near, 0,
                   chance(BLOCKS * 512 - near < 9000 ? BLOCKS * 512 - near : 9000));
        else if (kind == 3)
            disk.blocks = chance(BLOCKS + 1);
        else if (kind == 4)
            memcpy(image + chance(BLOCKS / 8) * 4096, image + chance(BLOCKS / 8) * 4096, 4096);
        else
            memcpy(image + FS_SLOT_FBA(chance(2)) * 512, image + near / 512 * 512, 512);
    }
}

// A damaged value under a right checksum: what a program with a fault would write.
static void forge(void)
{
    struct fs_super s __attribute__((aligned(8)));
    uint32_t slot = 0;
    uint64_t high = 0;
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(&s, image + FS_SLOT_FBA(i) * 512, 512);
        if (__builtin_bswap64(s.generation) > high) {
            high = __builtin_bswap64(s.generation);
            slot = i;
        }
    }
    uint8_t *raw = image + FS_SLOT_FBA(slot) * 512;
    memcpy(&s, raw, 512);
    extern uint32_t fs_checksum(const void *p, uint32_t size);
    if (chance(3) == 0) {
        ((uint8_t *)&s)[16 + chance(200)] ^= (uint8_t)(1u << chance(8));
    } else {
        uint32_t block = __builtin_bswap32(s.dir[chance(2)].block) % (BLOCKS / 8), d = 0;
        uint8_t *dir = image + (size_t)block * 4096;
        dir[chance(64 * 7)] = chance(2) ? (uint8_t)chance(256) : 0xFF;
        while (d < 15 && __builtin_bswap32(s.dir[d].block) != block)
            d++;
        uint64_t copy[512];
        memcpy(copy, dir, 4096);
        s.dir[d].checksum = __builtin_bswap32(fs_checksum(copy, 4096));
    }
    s.checksum = 0;
    s.checksum = __builtin_bswap32(fs_checksum(&s, 512));
    memcpy(raw, &s, 512);
}

static void use_everything(int mode)
{
    struct fs_device dev = ramdisk_device(&disk);
    struct fs_stat st;
    uint32_t cursor = 0;
    int rc = fs_mount(&fs, &dev, mode);
    codes[-rc]++;
    if (rc != FS_OK)
        return;
    const char star[] = {0x5C, 0};
    while (fs_list(&fs, star, star, -1, &cursor, &st) == FS_OK) {
        const uint8_t *record;
        uint32_t length, n = 0;
        if (fs_open(&fs, &file, &st.name, buffer, sizeof buffer) != FS_OK)
            continue;
        while (fs_next(&file, &record, &length) == FS_OK && n++ < 100000)
            back[0] ^= length ? record[0] ^ record[length - 1] : 0;
        (void)fs_seek(&file, 0);
        (void)fs_read(&file, back, sizeof back);
        (void)fs_seek(&file, 0);
        while (fs_read_record(&file, back, 65535) >= 0 && n++ < 200000)
            ;
        (void)fs_close(&file);
    }
    if (mode == FS_READONLY)
        return;
    struct fs_name name, to;
    test_name(&name, "A", "X");
    test_name(&to, "Z", "X");
    (void)fs_open(&fs, &other, &name, buffer2, sizeof buffer2);
    (void)fs_erase(&fs, &name);
    if (fs_create(&fs, &file, &to, 1, FS_FIXED, 1, buffer, sizeof buffer) == FS_OK) {
        (void)fs_write(&file, back, 300000);
        (void)fs_commit(&file, 1);
    }
    (void)fs_rename(&fs, &to, &name, 3);
    if (other.fs)
        (void)fs_close(&other);
}

int main(int argc, char **argv)
{
    uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
    chance_seed(argc > 2 ? strtoull(argv[2], 0, 10) : 0);
    struct fs_device dev = ramdisk_device(&disk);
    uint8_t label[8] = {0};
    char fn[16];
    if (fs_format(&fs, &dev, label, 1) != FS_OK || fs_mount(&fs, &dev, FS_READWRITE) != FS_OK)
        return 2;
    put("A", FS_FIXED, 9000);
    put("B", FS_VARIABLE, 20000);
    for (int i = 0; i < 80; i++) {
        snprintf(fn, sizeof fn, "S%d", i);
        put(fn, FS_FIXED, 10);
    }
    for (int i = 0; i < 80; i += 2) {
        struct fs_name name;
        snprintf(fn, sizeof fn, "S%d", i);
        test_name(&name, fn, "X");
        if (fs_erase(&fs, &name) != FS_OK)
            return 2;
    }
    fs.next_fit = 1;  // the next files go into the holes: extents in overflow blocks
    put("BIGV", FS_VARIABLE, 300000);
    put("BIGF", FS_FIXED, 1000000);
    memcpy(base, image, sizeof base);
    for (uint32_t i = 0; i < rounds; i++) {
        memcpy(image, base, sizeof image);
        disk.blocks = BLOCKS;
        if (chance(2))
            damage();
        else
            forge();
        use_everything(chance(3) ? FS_READWRITE : FS_READONLY);
    }
    for (int i = 0; i < 32; i++)
        if (codes[i])
            printf("%6u %s\n", codes[i], fs_strerror(-i));
    return 0;
}
