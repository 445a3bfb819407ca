/* SPDX-License-Identifier: MIT */
/* QUERY DISK, ACCESSED, SEARCH, FILEDEF, SYNONYM, CMSLEVEL and what SET sets; anything else is CP's
 * QUERY. */
#include "commands.h"
#include "nucleus.h"

static void heading(void)
{
    cms_say("LABEL  VDEV M  STAT   CYL TYPE BLKSZ   FILES  BLKS USED-(%%) BLKS LEFT  BLK TOTAL");
}

/* A minidisk of fixed blocks has no cylinders: FB stands there. Columns as QUERY DISK of z/VM has
 * them. */
static void one(const struct cms_disk *d)
{
    struct fs_usage u;
    char letter[4] = {d->letter, 0, 0, 0};

    fs_usage(&d->fs, &u);
    if (d->parent != d->letter) {
        letter[1] = '/';
        letter[2] = d->parent;
    }
    unsigned percent = u.blocks ? (unsigned)((uint64_t)u.used * 100 / u.blocks) : 0;
    cms_say("%-6.6s %03X  %-3s R/%c    FB 3370 %4u %8u %10u-%02u %10u %10u", (const char *)u.label,
            d->vaddr, letter, d->writable ? 'W' : 'O', FS_BLOCK_SIZE, u.files, u.used, percent,
            u.free, u.blocks);
}

static bool any(const struct cms_disk *d)
{
    return d != 0;
}

static bool writable(const struct cms_disk *d)
{
    return d->writable;
}

/* The one on which a file finds the most room. */
static bool roomiest(const struct cms_disk *d)
{
    const struct cms_disk *best = 0;
    struct fs_usage u;
    uint32_t room = 0;

    for (const struct cms_disk *k = cms_disk_next(0); k; k = cms_disk_next(k)) {
        fs_usage(&k->fs, &u);
        if (k->writable && (!best || u.free > room)) {
            best = k;
            room = u.free;
        }
    }
    return d == best;
}

static int these(bool (*wanted)(const struct cms_disk *d))
{
    heading();
    for (const struct cms_disk *d = cms_disk_next(0); d; d = cms_disk_next(d))
        if (wanted(d))
            one(d);
    return 0;
}

static int disk(const char *which)
{
    if (!*which || strcmp(which, "*") == 0)
        return these(any);
    if (strcmp(which, "R/W") == 0)
        return these(writable);
    if (strcmp(which, "MAX") == 0)
        return these(roomiest);
    if (which[1] || !disk_letter(*which))
        return cms_error(24, "DMSQRY048E Invalid filemode %s", which);
    const struct cms_disk *d = cms_disk(*which);
    if (!d)
        return cms_error(36, "DMSQRY069E Filemode %c not accessed", *which);
    heading();
    one(d);
    return 0;
}

static int search(void)
{
    for (const struct cms_disk *d = cms_disk_next(0); d; d = cms_disk_next(d)) {
        struct fs_usage u;
        char extension[3] = "";
        fs_usage(&d->fs, &u);
        if (d->parent != d->letter)
            fmt(extension, sizeof(extension), "/%c", d->parent);
        cms_say("%-6.6s  %03X  %c%-2s  R/%c", (const char *)u.label, d->vaddr, d->letter, extension,
                d->writable ? 'W' : 'O');
    }
    return 0;
}

static int setting(const char *name, bool value, const char *on, const char *off)
{
    cms_say("%-7s = %s", name, value ? on : off);
    return 0;
}

static int accessed(void)
{
    cms_say("Mode Stat     Files  Vdev  Label");
    for (const struct cms_disk *d = cms_disk_next(0); d; d = cms_disk_next(d)) {
        struct fs_usage u;
        fs_usage(&d->fs, &u);
        cms_say("%c    R/%c  %8u  %03X   %.8s", d->letter, d->writable ? 'W' : 'O', u.files,
                d->vaddr, (const char *)u.label);
    }
    return 0;
}

CMS_COMMAND("QUERY", 1, cmd_query);
int cmd_query(struct cms_arg *arg)
{
    const char *what = arg->word[0];

    if (arg->n == 0)
        return cms_error(24, "DMSQRY047E No function specified");
    if (cms_is(what, "DISK", 2) && arg->n <= 2)
        return disk(arg->word[1]);
    if (cms_is(what, "FILEDEF", 4) && arg->n <= 2)
        return filedef_list();
    if (cms_is(what, "SYNONYM", 3) && arg->n <= 2)
        return synonym_list();
    if (arg->n == 1 && fixed_query(what))
        return 0;
    if (cms_is(what, "LIBRARY", 3) && arg->n == 1)
        return !(fixed_query("MACLIB") && fixed_query("TXTLIB") && fixed_query("LOADLIB"));
    if ((cms_is(what, "INPUT", 3) || cms_is(what, "OUTPUT", 3)) && arg->n == 1) {
        cms_say("DMSQRY326I No user defined %s translate table in use", what);
        return 0;
    }
    if (cms_is(what, "DLBL", 2) && arg->n == 1) {
        cms_say("DMSQRY324I No user defined DLBL in effect");
        return 0;
    }
    if (cms_option_absent("QRY", what)) /* CP would take it for a userid */
        return cms_bad_option("QRY", what);
    if (arg->n == 1) {
        if (cms_is(what, "SEARCH", 3))
            return search();
        if (cms_is(what, "ACCESSED", 3))
            return accessed();
        if (cms_is(what, "CMSTYPE", 4))
            return setting("CMSTYPE", cms_state.muted, "HT", "RT");
        if (cms_is(what, "CMSLEVEL", 4)) {
            cms_say("VM/KB CMS LEVEL 1");
            return 0;
        }
        if (cms_is(what, "RDYMSG", 3))
            return setting("RDYMSG", cms_state.long_ready, "LMSG", "SMSG");
        if (cms_is(what, "IMPCP", 5))
            return setting("IMPCP", cms_state.impcp, "ON", "OFF");
        if (cms_is(what, "IMPEX", 4))
            return setting("IMPEX", cms_state.impex, "ON", "OFF");
        if (cms_is(what, "ABBREV", 2))
            return setting("ABBREV", cms_state.abbrev, "ON", "OFF");
    }
    int rc = cms_state.impcp ? command_implied_cp(arg->line, (unsigned)strlen(arg->line)) : -3;
    return rc == -3 ? cms_error(24, "DMSQRY014E Invalid function %s", what) : rc;
}
