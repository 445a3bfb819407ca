// SPDX-License-Identifier: MIT
// Power is lost during every write of every operation, with every prefix of that write on disk.
// After each, the disk must mount and hold the files of before or of after, whole; and a further
// write must work and leave them alone.
#include <stdio.h>
#include <stdlib.h>
#include "ramdisk.h"

enum { BLOCKS = 200 * 8, FILES = 160 };

struct model { char fn[9]; uint32_t seed, size; };
struct state { struct model file[FILES]; int n; };

static uint8_t base[BLOCKS * 512], image[BLOCKS * 512];
static struct ramdisk disk = {image, BLOCKS, -1, 0, 0, 0, 0, 0};
static struct fs fs;
static struct fs_file file;
static uint64_t buffer[FS_BLOCK_SIZE * 2 / 8];
static uint8_t bytes[BLOCKS * 512], back[BLOCKS * 512];
static unsigned long cases;

#define MUST(x) do { int rc_ = (x); if (rc_ != FS_OK) { \
    printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, fs_strerror(rc_)); exit(1); } } while (0)

static void mount(void)
{
    struct fs_device dev = ramdisk_device(&disk);
    MUST(fs_mount(&fs, &dev, FS_READWRITE));
}

static int put(const char *fn, uint32_t seed, uint32_t size)
{
    struct fs_name name;
    test_name(&name, fn, "DATA");
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = test_byte(seed, i);
    int rc = fs_create(&fs, &file, &name, 1, FS_FIXED, 80, buffer, sizeof buffer);
    if (rc != FS_OK)
        return rc;
    for (uint32_t at = 0; at < size; at += 10000) {
        rc = fs_write(&file, bytes + at, size - at < 10000 ? size - at : 10000);
        if (rc != FS_OK) {
            fs_abort(&file);
            return rc;
        }
    }
    return fs_commit(&file, 7);
}

static int erase(const char *fn)
{
    struct fs_name name;
    test_name(&name, fn, "DATA");
    return fs_erase(&fs, &name);
}

static int rename_to(const char *fn, const char *to)
{
    struct fs_name a, b;
    test_name(&a, fn, "DATA");
    test_name(&b, to, "DATA");
    return fs_rename(&fs, &a, &b, 2);
}

static int is_state(const struct state *s)
{
    struct fs_usage u;
    fs_usage(&fs, &u);
    if (u.files != (uint32_t)s->n)
        return 0;
    for (int i = 0; i < s->n; i++) {
        struct fs_name name;
        test_name(&name, s->file[i].fn, "DATA");
        if (fs_open(&fs, &file, &name, buffer, sizeof buffer) != FS_OK)
            return 0;
        int n = fs_read(&file, back, sizeof back), same = n == (int)s->file[i].size;
        for (int k = 0; same && k < n; k++)
            same = back[k] == test_byte(s->file[i].seed, (uint32_t)k);
        MUST(fs_close(&file));
        if (!same)
            return 0;
    }
    return 1;
}

static void set(struct state *s, const char *fn, uint32_t seed, uint32_t size)
{
    int i = 0;
    while (i < s->n && strcmp(s->file[i].fn, fn) != 0)
        i++;
    if (i == s->n)
        s->n++;
    snprintf(s->file[i].fn, sizeof s->file[i].fn, "%s", fn);
    s->file[i].seed = seed;
    s->file[i].size = size;
}

static void drop(struct state *s, const char *fn)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->file[i].fn, fn) == 0)
            s->file[i] = s->file[--s->n];
}

typedef int op_fn(void);
static int op_create(void) { return put("NEW", 11, 50000); }
static int op_replace(void) { return put("OLD", 12, 70001); }
static int op_shrink(void) { return put("OLD", 13, 0); }
static int op_erase(void) { return erase("OLD"); }
static int op_rename(void) { return rename_to("OLD", "OTHER"); }

static void try_all(const char *what, op_fn *op, const struct state *before,
                    const struct state *after)
{
    for (int64_t w = 0;; w++) {
        // 16 FBA blocks, the file's buffer, is the largest write here.
        static const uint32_t tears[] = {0, 1, 2, 3, 9, 16, 17, 31, 32};
        for (uint32_t t = 0; t < sizeof tears / sizeof tears[0]; t++) {
            uint32_t tear = tears[t];
            memcpy(image, base, sizeof image);
            disk.dead = 0;
            disk.writes_left = -1;
            mount();
            disk.writes_left = w;
            disk.tear = tear;
            int rc = op();
            int crashed = disk.dead;
            disk.dead = 0;
            disk.writes_left = -1;
            if (!crashed) {
                MUST(rc);
                mount();
                if (!is_state(after)) {
                    printf("%s: without a crash the result is wrong\n", what);
                    exit(1);
                }
                return;
            }
            cases++;
            mount();
            const struct state *now = is_state(before) ? before : after;
            if (!is_state(now) || (now == after && rc == FS_OK)) {
                printf("%s: write %ld torn at %u: neither old nor new\n", what, (long)w, tear);
                exit(1);
            }
            struct state more = *now;
            int rc2 = put("LATER", 99, 9000);
            if (rc2 != FS_OK && rc2 != FS_E_FULL) {
                printf("%s: write %ld torn at %u: then %s\n", what, (long)w, tear,
                       fs_strerror(rc2));
                exit(1);
            }
            if (rc2 == FS_OK)
                set(&more, "LATER", 99, 9000);
            mount();
            if (!is_state(&more)) {
                printf("%s: write %ld torn at %u: damaged by the next write\n", what, (long)w,
                       tear);
                exit(1);
            }
        }
    }
}

static void run(const char *what, const struct state *start)
{
    static const struct { const char *name; op_fn *op; } ops[] = {
        {"create", op_create}, {"replace", op_replace}, {"shrink", op_shrink},
        {"erase", op_erase}, {"rename", op_rename}};
    memcpy(base, image, sizeof base);
    for (int i = 0; i < 5; i++) {
        char text[40];
        struct state after = *start;
        if (i == 0) set(&after, "NEW", 11, 50000);
        if (i == 1) set(&after, "OLD", 12, 70001);
        if (i == 2) set(&after, "OLD", 13, 0);
        if (i == 3) drop(&after, "OLD");
        if (i == 4) {
            drop(&after, "OLD");
            set(&after, "OTHER", 1, 60000);
        }
        snprintf(text, sizeof text, "%s, %s disk", ops[i].name, what);
        try_all(text, ops[i].op, start, &after);
    }
}

int main(void)
{
    struct fs_device dev = ramdisk_device(&disk);
    struct state s = {0};
    uint8_t label[8] = {0xE3, 0xC5, 0xE2, 0xE3, 0x40, 0x40, 0x40, 0x40};
    MUST(fs_format(&fs, &dev, label, 1));
    mount();
    MUST(put("OLD", 1, 60000));
    set(&s, "OLD", 1, 60000);
    MUST(put("KEEP", 2, 12345));
    set(&s, "KEEP", 2, 12345);
    run("fresh", &s);

    // Single-block files, every other one erased: what is written next is in pieces.
    memcpy(image, base, sizeof image);
    mount();
    MUST(erase("OLD"));
    char fn[16];
    int n = 0;
    for (;; n++) {
        snprintf(fn, sizeof fn, "F%d", n);
        if (n == 128)
            break;
        MUST(put(fn, (uint32_t)n, 100));
        set(&s, fn, (uint32_t)n, 100);
    }
    drop(&s, "OLD");
    for (int i = 0; i < n; i += 2) {
        snprintf(fn, sizeof fn, "F%d", i);
        MUST(erase(fn));
        drop(&s, fn);
    }
    MUST(put("OLD", 1, 60000));
    set(&s, "OLD", 1, 60000);
    struct fs_usage u;
    fs_usage(&fs, &u);
    uint32_t fill = (u.free - 63) * 4096;
    MUST(put("FILL", 3, fill));
    set(&s, "FILL", 3, fill);
    memcpy(base, image, sizeof base);
    MUST(op_create());
    struct fs_name name;
    struct fs_stat st;
    test_name(&name, "NEW", "DATA");
    MUST(fs_stat(&fs, &name, &st));
    if (st.blocks == 13) {
        printf("the fragmented disk does not make overflow blocks\n");
        return 1;
    }
    memcpy(image, base, sizeof image);
    run("fragmented", &s);
    printf("%lu crashes, all whole\n", cases);
    return 0;
}
