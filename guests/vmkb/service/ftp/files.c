/* SPDX-License-Identifier: MIT */
/* Minidisks that sessions are at, linked and mounted once each. */
#include "server.h"

#define FIRST_AS 0x300

static struct disk disks[DISKS];

static int rd(void *ctx, uint32_t block, uint32_t count, void *to)
{
    return diag_block(((struct disk *)ctx)->as, BLOCK_READ, block, count, to) != 0;
}

static int wr(void *ctx, uint32_t block, uint32_t count, const void *from)
{
    return diag_block(((struct disk *)ctx)->as, BLOCK_WRITE, block, count, (void *)(uintptr_t)from)
           != 0;
}

const char *fs_words(int code)
{
    return fs_strerror(code);
}

static int mount(struct disk *d, const char **why)
{
    struct diag_disk info;
    struct fs_device dev = {.ctx = d, .max_transfer = 2048, .read = rd, .write = wr};

    if (diag_diskinfo(d->as, &info) != 0) {
        *why = "the minidisk is not there";
        return -1;
    }
    dev.blocks = info.blocks;
    d->writable = info.writable;
    int rc = fs_mount(&d->fs, &dev, d->writable ? FS_READWRITE : FS_READONLY);
    if (rc != FS_OK)
        *why = fs_strerror(rc);
    return rc;
}

static void cp(const char *f, const char *owner, unsigned a, unsigned b)
{
    char cmd[48], answer[256];
    int n = fmt(cmd, sizeof(cmd), f, owner, a, b);

    diag_cp(cmd, n, answer, sizeof(answer), 0);
}

static void unlink(const struct disk *d)
{
    char cmd[24], answer[128];
    int n = fmt(cmd, sizeof(cmd), "DETACH %03X", d->as);

    diag_cp(cmd, n, answer, sizeof(answer), 0);
}

static void detach(struct disk *d)
{
    unlink(d);
    d->owner[0] = 0;
}

static struct disk *find(const char *owner, uint16_t vaddr, bool to_write)
{
    for (unsigned i = 0; i < DISKS; i++)
        if (disks[i].users && disks[i].to_write == to_write && strcmp(disks[i].owner, owner) == 0
            && disks[i].vaddr == vaddr)
            return &disks[i];
    return 0;
}

static int rights_of(const char *user, bool anonymous, const char *owner, uint16_t vaddr)
{
    char u[9], o[9];

    fmt(u, sizeof(u), "%-8s", user);
    fmt(o, sizeof(o), "%-8s", owner);
    int rights = (int)diag_rights(u, o, vaddr);
    return anonymous && rights > 1 ? 1 : rights;
}

static int link(struct disk *d, const char **why)
{
    cp(d->to_write ? "LINK %s %03X %03X MR" : "LINK %s %03X %03X RR", d->owner, d->vaddr, d->as);
    return mount(d, why);
}

bool disk_writable(struct disk *d)
{
    const char *why;

    if (d->writable || d->fs.open)
        return d->writable;
    unlink(d);
    return link(d, &why) == FS_OK && d->writable;
}

struct disk *disk_use(const char *user, bool anonymous, const char *owner, uint16_t vaddr,
                      const char **why)
{
    int rights = rights_of(user, anonymous, owner, vaddr);

    if (rights <= 0) {
        *why = "there is no such minidisk for you";
        return 0;
    }
    struct disk *d = find(owner, vaddr, rights == 2);
    if (d) {
        d->users++;
        return d;
    }
    for (unsigned i = 0; i < DISKS && !d; i++)
        if (!disks[i].users)
            d = &disks[i];
    if (!d) {
        *why = "too many minidisks are in use";
        return 0;
    }
    d->as = (uint16_t)(FIRST_AS + (d - disks));
    d->vaddr = vaddr;
    d->to_write = rights == 2;
    fmt(d->owner, sizeof(d->owner), "%s", owner);
    if (link(d, why) != FS_OK) {
        detach(d);
        return 0;
    }
    d->users = 1;
    return d;
}

void disk_leave(struct disk *d)
{
    if (--d->users == 0)
        detach(d);
}

/* Whether the place of the generation after ours has it: whoever writes the disk has changed it. */
static bool changed(struct disk *d)
{
    struct fs_super next __attribute__((aligned(8)));
    const struct fs_super *ours = &d->fs.super;

    return rd(d, FS_SLOT_FBA((ours->generation + 1) & 1), 1, &next) != 0
           || (next.magic == FS_MAGIC && next.generation > ours->generation);
}

int disk_refresh(struct disk *d)
{
    const char *why;

    /* While another session reads from it, the mount stays; opening a file says if it is out of
     * date. */
    if (d->writable || d->fs.open || !changed(d))
        return FS_OK;
    return mount(d, &why);
}

/* Whether there is such a file, or will be when a transfer that is under way ends well. */
bool disk_has(struct disk *d, const struct fs_name *name)
{
    struct fs_stat st;

    for (const struct fs_file *f = d->fs.open; f; f = f->next)
        if (f->writing && memcmp(f->entry.fn, name->fn, 8) == 0
            && memcmp(f->entry.ft, name->ft, 8) == 0)
            return true;
    return fs_stat(&d->fs, name, &st) == FS_OK;
}
