/* SPDX-License-Identifier: MIT */
/* Power is lost during every write of every change of a volume, with parts of that write on disk.
 * After each, the volume must open and be as before or as after; and a further change must work. */
#include <stdio.h>
#include <stdlib.h>

#include "../fs/ramdisk.h"
#include "volume.h"

enum { BLOCKS = 200 * 8, NOW = 1000 };

static uint8_t base[BLOCKS * 512], image[BLOCKS * 512];
static struct ramdisk disk = {.data = image, .blocks = BLOCKS, .writes_left = -1};
static struct volume v;
static uint8_t buffer[VOLUME_BUFFER] __attribute__((aligned(8)));
static uint8_t bytes[70000];
static unsigned long cases;

static void must(int code, const char *what)
{
    if (code) {
        printf("%s: %d\n", what, code);
        exit(1);
    }
}

static int open(void)
{
    struct fs_device dev = ramdisk_device(&disk);

    return volume_open(&v, &dev, 7, (const uint8_t *)"crash", 5, NOW);
}

static void add(uint64_t *h, const void *p, size_t n)
{
    for (const uint8_t *b = p; n--; b++)
        *h = (*h ^ *b) * 0x100000001B3ull;
}

/* All that a client could see, and that no bytes lie about which no file has. */
static uint64_t digest(void)
{
    static const char any[] = {0x5C, 0};
    uint64_t h = 0xCBF29CE484222325ull;
    struct volume_name n;
    struct fs_stat st;
    struct volume_fetch f;
    unsigned contents = 0, files = 0;

    for (uint32_t s = 0; s < v.slots; s++) {
        struct vnode *k = &v.vnodes[s];
        if (!k->unique)
            continue;
        contents += k->content != 0;
        const uint32_t words[] = {s, k->unique, k->length, k->version, k->mode, k->links,
                                  k->type, k->parent};
        add(&h, words, sizeof(words));
        must(volume_fetch_begin(&v, k, &f, 0, ~0ull), "fetch");
        while (f.left) {
            must(volume_fetch_more(&v, &f, buffer), "fetch more");
            add(&h, f.bytes, f.have);
        }
        volume_fetch_end(&f);
    }
    for (uint32_t at = 0; volume_next_name(&v, &at, &n);) {
        add(&h, &n.slot, 2);
        add(&h, &n.of, 2);
        add(&h, n.bytes, n.len);
    }
    for (uint32_t at = 0; fs_list(&v.fs, any, any, -1, &at, &st) == FS_OK;)
        files++;
    if (files != contents + 1) {
        printf("%u files for %u contents and the index\n", files, contents);
        exit(1);
    }
    return h;
}

static struct vnode *of(const char *name)
{
    uint32_t slot;

    must(volume_lookup(&v, &v.vnodes[0], (const uint8_t *)name, (uint32_t)strlen(name), &slot),
         name);
    return &v.vnodes[slot];
}

static int make(const char *name, int type)
{
    const struct afs_store_status s = {.mask = AFS_SET_MODE, .mode = 0640};
    uint32_t slot;

    return volume_make(&v, &v.vnodes[0], (const uint8_t *)name, (uint32_t)strlen(name), type, &s,
                       (const uint8_t *)"where", 5, NOW, &slot);
}

static int store(const char *name, uint32_t seed, uint32_t at, uint32_t size, uint32_t whole)
{
    const struct afs_store_status s = {0};
    struct volume_store st;
    struct vnode *n = of(name);

    for (uint32_t i = 0; i < size; i++)
        bytes[i] = test_byte(seed, i);
    int code = volume_store_begin(&v, n, &st, at, size, whole, buffer);
    if (code)
        return code;
    for (uint32_t done = 0; done < size && !code; done += 1444)
        code = volume_store_more(&st, bytes + done, size - done < 1444 ? size - done : 1444);
    if (code) {
        volume_store_abort(&v, &st);
        return code;
    }
    return volume_store_end(&v, &st, &s, NOW, buffer);
}

static int gone(const char *name, bool directory)
{
    struct afs_fid fid;

    return volume_remove(&v, &v.vnodes[0], (const uint8_t *)name, (uint32_t)strlen(name),
                         directory, NOW, &fid);
}

static int op_make(void) { return make("new", AFS_FILE); }
static int op_dir(void) { return make("dir", AFS_DIRECTORY); }
static int op_symlink(void) { return make("sym", AFS_SYMBOLIC); }
static int op_store(void) { return store("one", 5, 0, 60000, 0); }
static int op_part(void) { return store("one", 6, 20000, 9000, 0); }
static int op_cut(void) { return store("one", 6, 0, 0, 0); }
static int op_remove(void) { return gone("one", false); }
static int op_remove_dir(void) { return gone("sub", true); }
static int op_link(void)
{
    return volume_link(&v, &v.vnodes[0], (const uint8_t *)"l", 1, of("one"), NOW);
}
static int op_rename(void)
{
    struct afs_fid fid;

    return volume_rename(&v, &v.vnodes[0], (const uint8_t *)"one", 3, &v.vnodes[0],
                         (const uint8_t *)"two", 3, NOW, &fid);
}
static int op_move(void)
{
    struct afs_fid fid;

    return volume_rename(&v, &v.vnodes[0], (const uint8_t *)"one", 3, of("sub"),
                         (const uint8_t *)"one", 3, NOW, &fid);
}

static void start(int64_t writes_left, uint32_t tear)
{
    memcpy(image, base, sizeof(image));
    disk.dead = 0;
    disk.writes_left = -1;
    must(open(), "open");
    disk.writes_left = writes_left;
    disk.tear = tear;
}

static void again(const char *what)
{
    disk.dead = 0;
    disk.writes_left = -1;
    must(open(), what);
}

static void try_all(const char *what, int (*op)(void))
{
    static const uint32_t tears[] = {0, 1, 3, 16, 17, 40};
    uint64_t before, after;

    start(-1, 0);
    before = digest();
    must(op(), what);
    again(what);
    after = digest();
    if (before == after) {
        printf("%s changes nothing\n", what);
        exit(1);
    }
    for (int64_t w = 0;; w++)
        for (unsigned t = 0; t < sizeof(tears) / sizeof(tears[0]); t++) {
            start(w, tears[t]);
            int code = op();
            if (!disk.dead)
                return;
            cases++;
            again(what);
            uint64_t now = digest();
            /* what was answered well is there; what was not may be: its last write had begun */
            if (now != after && (now != before || code == 0)) {
                printf("%s: write %ld torn at %u: neither old nor new\n", what, (long)w, tears[t]);
                exit(1);
            }
            must(make("later", AFS_FILE), "a change after the crash");
            again(what);
            of("later");
        }
}

int main(void)
{
    static struct fs fs;
    struct fs_device dev = ramdisk_device(&disk);
    const uint8_t label[8] = {0xE3, 0xC5, 0xE2, 0xE3, 0x40, 0x40, 0x40, 0x40};

    if (fs_format(&fs, &dev, label, 1) != FS_OK)
        return 1;
    must(open(), "first open");
    must(make("one", AFS_FILE), "make");
    must(make("two", AFS_FILE), "make");
    must(make("sub", AFS_DIRECTORY), "make");
    must(store("one", 1, 0, 50000, 0), "store");
    must(store("two", 2, 0, 3000, 0), "store");
    memcpy(base, image, sizeof(base));
    static const struct {
        const char *name;
        int (*op)(void);
    } ops[] = {{"make", op_make}, {"directory", op_dir}, {"symlink", op_symlink},
               {"store", op_store}, {"part", op_part}, {"cut", op_cut}, {"remove", op_remove},
               {"remove directory", op_remove_dir}, {"link", op_link}, {"rename", op_rename},
               {"move", op_move}};
    for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        try_all(ops[i].name, ops[i].op);
    printf("%lu crashes, all whole\n", cases);
    return 0;
}
