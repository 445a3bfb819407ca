/* SPDX-License-Identifier: MIT */
/* Accessed disks: a letter, a minidisk, and its file system kept mounted. */
#include "nucleus.h"

enum { LETTERS = 26, SPARE = 4 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static struct cms_disk *disks[LETTERS];
static struct cms_disk *spare[SPARE]; /* storage of released disks */

static int letter_index(char c)
{
    const char *p = c ? strchr(alphabet, c) : 0;

    return p ? (int)(p - alphabet) : -1;
}

bool disk_letter(char c)
{
    return letter_index(c) >= 0;
}

struct cms_disk *cms_disk(char letter)
{
    int i = letter_index(letter);

    return i < 0 ? 0 : disks[i];
}

struct cms_disk *cms_disk_next(const struct cms_disk *after)
{
    for (int i = after ? letter_index(after->letter) + 1 : 0; i < LETTERS; i++)
        if (disks[i])
            return disks[i];
    return 0;
}

struct cms_disk *disk_by_vaddr(uint16_t vaddr)
{
    for (int i = 0; i < LETTERS; i++)
        if (disks[i] && disks[i]->vaddr == vaddr)
            return disks[i];
    return 0;
}

static int read_blocks(void *ctx, uint32_t block, uint32_t count, void *buf)
{
    return diag_block((int)(uintptr_t)ctx, BLOCK_READ, block, count, buf) != 0;
}

static int write_blocks(void *ctx, uint32_t block, uint32_t count, const void *buf)
{
    return diag_block((int)(uintptr_t)ctx, BLOCK_WRITE, block, count, (void *)(uintptr_t)buf) != 0;
}

void disk_device(struct fs_device *dev, uint16_t vaddr, uint32_t blocks)
{
    dev->ctx = (void *)(uintptr_t)vaddr;
    dev->blocks = blocks;
    dev->max_transfer = BLOCK_COUNT_MAX;
    dev->read = read_blocks;
    dev->write = write_blocks;
}

static struct cms_disk *new_disk(void)
{
    for (int i = 0; i < SPARE; i++)
        if (spare[i]) {
            struct cms_disk *d = spare[i];
            spare[i] = 0;
            return d;
        }
    return heap_permanent(sizeof(struct cms_disk));
}

static void give_back(struct cms_disk *d)
{
    for (int i = 0; i < SPARE; i++)
        if (!spare[i]) {
            spare[i] = d;
            return;
        }
}

int disk_refresh(struct cms_disk *d)
{
    struct fs_device dev;

    disk_device(&dev, d->vaddr, d->info.blocks);
    return fs_mount(&d->fs, &dev, d->writable ? FS_READWRITE : FS_READONLY);
}

/* Returns FS_OK, an FS_ code, CMS_E_STORAGE, CMS_E_NODEVICE or CMS_E_BUSY. A disk that had the
 * letter is released. */
int disk_access(uint16_t vaddr, char letter, char parent, bool read_only)
{
    struct diag_disk info;
    struct cms_disk *d;
    int i = letter_index(letter), code;

    if (diag_diskinfo(vaddr, &info) != 0)
        return CMS_E_NODEVICE;
    if (disks[i] && file_busy(disks[i]))
        return CMS_E_BUSY;
    if (disks[i])
        disk_release(disks[i]);
    d = new_disk();
    if (!d)
        return CMS_E_STORAGE;
    d->letter = letter;
    d->parent = parent;
    d->vaddr = vaddr;
    d->info = info;
    d->writable = info.writable && !read_only;
    code = disk_refresh(d);
    if (code != FS_OK)
        give_back(d);
    else
        disks[i] = d;
    return code;
}

void disk_release(struct cms_disk *d)
{
    file_end_disk(d);
    disks[letter_index(d->letter)] = 0;
    give_back(d);
}
