/* SPDX-License-Identifier: MIT */
/* Minidisks that sessions are at, linked and mounted once each; names; lines of listings. */
#include "ctype.h"
#include "server.h"

#define FIRST_AS 0x300

static struct disk disks[DISKS];

static int rd(void *ctx, uint32_t block, uint32_t count, void *to)
{
    return diag_block(((struct disk *)ctx)->as, BLOCK_READ, block, count, to) != 0;
}

static int wr(void *ctx, uint32_t block, uint32_t count, const void *from)
{
    return diag_block(((struct disk *)ctx)->as, BLOCK_WRITE, block, count, (void *)(uintptr_t)from) != 0;
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

static void detach(struct disk *d)
{
    char cmd[24], answer[128];
    int n = fmt(cmd, sizeof(cmd), "DETACH %03X", d->as);

    diag_cp(cmd, n, answer, sizeof(answer), 0);
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

struct disk *disk_use(const char *user, bool anonymous, const char *owner, uint16_t vaddr, const char **why)
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
    cp(rights == 2 ? "LINK %s %03X %03X MR" : "LINK %s %03X %03X RR", owner, vaddr, d->as);
    if (mount(d, why) != FS_OK) {
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

    /* While another session reads from it, the mount stays; opening a file says if it is out of date. */
    if (d->writable || d->fs.open || !changed(d))
        return FS_OK;
    return mount(d, &why);
}

/* fn.ft, fn.ft.fm or fn ft [fm]; the file mode is passed over. Quotes are allowed. */
static const char *cut(const char *arg, char fn[17], char ft[17], const char *allowed)
{
    char *part[2] = {fn, ft};
    unsigned k = 0, n = 0;

    fn[0] = ft[0] = 0;
    for (; *arg; arg++) {
        if (*arg == '\'' || *arg == '"')
            continue;
        if (*arg == '.' || *arg == ' ') {
            if (n)
                k++;
            n = 0;
            continue;
        }
        if (*arg == '/')
            return "a name has no /; use CD for another minidisk";
        if (k > 1)
            continue;
        if (n == 8)
            return "a file name and type have up to 8 characters each";
        if (!is_alnum(*arg) && !strchr(allowed, *arg))
            return "a name is made of letters, digits and $ # @ + - : _";
        part[k][n++] = (char)to_upper(*arg);
        part[k][n] = 0;
    }
    return fn[0] && ft[0] ? 0 : "a file is named filename.filetype";
}

const char *file_name(const char *arg, struct fs_name *name)
{
    char fn[17], ft[17];
    const char *why = cut(arg, fn, ft, "$#@+-:_");

    if (!why && fs_name_set(name, fn, ft) != FS_OK)
        why = "that is no name of a file";
    return why;
}

const char *file_pattern(const char *arg, char fn[17], char ft[17])
{
    fmt(fn, 17, "*");
    fmt(ft, 17, "*");
    while (*arg == '-') {    /* options of other systems' LIST */
        while (*arg && *arg != ' ')
            arg++;
        while (*arg == ' ')
            arg++;
    }
    if (!*arg || strcmp(arg, ".") == 0)
        return 0;
    if (strchr(arg, '.') || strchr(arg, ' '))
        return cut(arg, fn, ft, "$#@+-:_*%");
    const char *why = cut(arg, fn, ft, "$#@+-:_*%");
    if (why && fn[0] && !ft[0]) {
        fmt(ft, 17, "*");
        return 0;
    }
    return why;
}

static void civil(uint64_t seconds, unsigned v[6])
{
    uint64_t days = seconds / 86400; /* from 1900-01-01 */
    static const uint8_t length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned y = 1900;

    for (;; y++) {
        unsigned in_year = y % 4 == 0 && y != 1900 ? 366 : 365;
        if (days < in_year)
            break;
        days -= in_year;
    }
    unsigned m = 0;
    while (days >= length[m] + (unsigned)(m == 1 && y % 4 == 0 && y != 1900)) {
        days -= length[m] + (unsigned)(m == 1 && y % 4 == 0 && y != 1900);
        m++;
    }
    v[0] = y;
    v[1] = m + 1;
    v[2] = (unsigned)days + 1;
    v[3] = (unsigned)(seconds % 86400 / 3600);
    v[4] = (unsigned)(seconds / 60 % 60);
    v[5] = (unsigned)(seconds % 60);
}

static unsigned trimmed(const uint8_t field[8])
{
    unsigned n = 8;

    while (n && field[n - 1] == ' ')
        n--;
    return n;
}

int list_line(const struct fs_stat *st, int style, char *text, size_t size)
{
    unsigned t[6];
    unsigned fn = trimmed(st->name.fn), ft = trimmed(st->name.ft);

    if (style == LIST_NAMES)
        return fmt(text, size, "%.*s.%.*s", (int)fn, (const char *)st->name.fn, (int)ft, (const char *)st->name.ft);
    civil(st->written, t);
    return fmt(text, size, "%-8.8s %-8.8s %c %10u %10u %8u %u/%02u/%02u %2u:%02u:%02u", (const char *)st->name.fn,
               (const char *)st->name.ft, st->recfm, st->lrecl, st->records, st->blocks, t[1], t[2], t[0] % 100,
               t[3], t[4], t[5]);
}

void time_words(uint64_t seconds, char text[15])
{
    unsigned t[6];

    civil(seconds, t);
    fmt(text, 15, "%04u%02u%02u%02u%02u%02u", t[0], t[1], t[2], t[3], t[4], t[5]);
}

int list_facts(const struct fs_stat *st, unsigned facts, uint64_t bytes, char *text, size_t size)
{
    char time[15];
    int n = 0;

    text[0] = 0;
    time_words(st->written, time);
    if (facts & FACT_TYPE)
        n += fmt(text + n, size - (size_t)n, "type=file;");
    if (facts & FACT_SIZE)
        n += fmt(text + n, size - (size_t)n, "size=%lu;", bytes);
    if (facts & FACT_MODIFY)
        n += fmt(text + n, size - (size_t)n, "modify=%s;", time);
    n += fmt(text + n, size - (size_t)n, " ");
    return n + list_line(st, LIST_NAMES, text + n, size - (size_t)n);
}
