/* SPDX-License-Identifier: MIT */
#include "disks.h"
#include "diag.h"
#include "say.h"
#include "translate.h"

#define LIST_DISK 0x191
#define LINE      80

static int rd(void *ctx, uint32_t block, uint32_t count, void *to)
{
    return diag_block((int)(uintptr_t)ctx, BLOCK_READ, block, count, to) != 0;
}

static int wr(void *ctx, uint32_t block, uint32_t count, const void *from)
{
    return diag_block((int)(uintptr_t)ctx, BLOCK_WRITE, block, count, (void *)(uintptr_t)from) != 0;
}

static bool device(uint16_t vaddr, struct fs_device *dev)
{
    struct diag_disk info;

    if (diag_diskinfo(vaddr, &info) != 0)
        return false;
    *dev = (struct fs_device){.ctx = (void *)(uintptr_t)vaddr, .blocks = info.blocks,
                              .max_transfer = BLOCK_COUNT_MAX, .read = rd, .write = wr};
    return true;
}

bool disks_device(const struct listed_volume *l, struct fs_device *dev)
{
    return device(l->vaddr, dev);
}

static const char *word(const char *line, char *to, unsigned size)
{
    unsigned n = 0;

    while (*line == ' ')
        line++;
    for (; *line && *line != ' '; line++)
        if (n + 1 < size)
            to[n++] = *line;
        else
            n = size;            /* too long: no word */
    to[n < size ? n : 0] = 0;
    return line;
}

static bool number(const char *text, unsigned base, uint32_t *value)
{
    *value = 0;
    for (; *text; text++) {
        unsigned digit = *text >= '0' && *text <= '9' ? (unsigned)(*text - '0')
                         : *text >= 'A' && *text <= 'F' ? (unsigned)(*text - 'A') + 10
                                                        : 99;
        if (digit >= base || *value > (~0u - digit) / base)
            return false;
        *value = *value * base + digit;
    }
    return *value != 0;
}

static bool parse(const char *line, struct listed_volume *l)
{
    char vaddr[8], id[16], more[4];
    uint32_t v;

    line = word(line, vaddr, sizeof(vaddr));
    line = word(line, id, sizeof(id));
    line = word(line, l->shown, sizeof(l->shown));
    word(line, more, sizeof(more));
    if (!number(vaddr, 16, &v) || v > 0xffff || !number(id, 10, &l->id) || !l->shown[0] || more[0])
        return false;
    l->vaddr = (uint16_t)v;
    l->name_len = (uint32_t)strlen(l->shown);
    memcpy(l->name, l->shown, l->name_len);
    translate(l->name, l->name_len, latin1_of_ebcdic);
    return true;
}

static bool twice(const struct listed_volume *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i].vaddr == list[n].vaddr || list[i].id == list[n].id
            || strcmp(list[i].shown, list[n].shown) == 0)
            return true;
    return false;
}

int disks_list(struct listed_volume *list, unsigned most)
{
    static struct fs disk;
    static struct fs_file file;
    static uint8_t buffer[FS_BUFFER_SIZE] __attribute__((aligned(8)));
    struct fs_device dev;
    struct fs_name name;
    const uint8_t *record;
    uint32_t len;
    unsigned n = 0;

    if (!device(LIST_DISK, &dev))
        return FS_E_IO;
    int rc = fs_mount(&disk, &dev, FS_READONLY);
    if (rc == FS_OK)
        rc = fs_name_set(&name, "AFS", "VOLUMES");
    if (rc == FS_OK)
        rc = fs_open(&disk, &file, &name, buffer, sizeof(buffer));
    while (rc == FS_OK && (rc = fs_next(&file, &record, &len)) == FS_OK) {
        char line[LINE + 1];
        len = (uint32_t)blank_trim(record, len < LINE ? len : LINE);
        memcpy(line, record, len);
        line[len] = 0;
        if (!len || line[0] == '*')
            continue;
        if (n == most || !parse(line, &list[n]) || twice(list, n))
            say("DTCAFS0025E AFS VOLUMES: %s: NOT USED, %s", line,
                n == most ? "THERE ARE ENOUGH" : "EXPECTED ADDRESS, NUMBER AND NAME, EACH ONCE");
        else
            n++;
    }
    fs_close(&file);
    return rc == FS_EOF ? (int)n : rc;
}
