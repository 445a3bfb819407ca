/* SPDX-License-Identifier: MIT */
/* The commands that list: LIST, NLST, MLSD, MLST. */
#include "server.h"

/* Of ls -l and the like, as clients that know UNIX send them: passed over. True: there were
 * some. */
static bool options(char **arg)
{
    bool any = **arg == '-';

    while (**arg == '-') {
        while (**arg && **arg != ' ')
            ++*arg;
        while (**arg == ' ')
            ++*arg;
    }
    return any;
}

static bool any_file(struct session *s, const struct path *p)
{
    struct fs_stat st;
    uint32_t cursor = 0;

    return fs_list(&s->at->fs, p->fn, p->ft, -1, &cursor, &st) == FS_OK;
}

/* What arg names: files, or else a minidisk and so all that is on it. The client was told if it is
 * neither. */
static bool wanted(struct session *s, const char *arg, struct path *p)
{
    struct path disk;
    const char *why = path_pattern(arg, s->user, p);
    bool one = arg[0] && arg[strlen(arg) - 1] != '/' && strcmp(arg, ".") != 0;

    if (!why) {
        if (!at_disk_of(s, p) || !have_disk(s, false))
            return false;
        if (!one || any_file(s, p))
            return true;
    }
    if (one && !path_disk(arg, s->user, &disk) && disk.named) {
        const char *no;
        struct disk *d = disk_use(s->user, s->anonymous, disk.owner, disk.vaddr, &no);
        if (d) {
            away_done(s);
            s->away = s->at = d;
            fmt(p->fn, sizeof(p->fn), "*");
            fmt(p->ft, sizeof(p->ft), "*");
            return have_disk(s, false);
        }
    }
    if (why)
        reply(s, 501, "%s.", why);
    else
        reply(s, 550, "%s: no such file.", arg);
    return false;
}

static void begin(struct session *s, const struct path *p, int style)
{
    s->list_before[0] = 0;
    if (s->away)
        fmt(s->list_before, sizeof(s->list_before), "%s.%03X/", s->at->owner, s->at->vaddr);
    fmt(s->list_fn, sizeof(s->list_fn), "%s", p->fn);
    fmt(s->list_ft, sizeof(s->list_ft), "%s", p->ft);
    s->list_cursor = 0;
    s->list_style = (uint8_t)style;
    s->xfer = XFER_LIST;
    reply(s, 125, "List started OK.");
    data_begin(s);
}

/* A client that sends options of ls reads lists of ls, also where it sends none. */
void file_list(struct session *s, char *arg)
{
    struct path p;

    if (options(&arg) && !s->list_told)
        s->unix_list = true;
    if (wanted(s, arg, &p) && data_wanted(s))
        begin(s, &p, s->unix_list ? LIST_UNIX : LIST_VM);
}

void file_nlst(struct session *s, char *arg)
{
    struct path p;

    options(&arg);
    if (wanted(s, arg, &p) && data_wanted(s))
        begin(s, &p, LIST_NAMES);
}

void file_mlsd(struct session *s, char *arg)
{
    struct path p;
    const char *why = path_disk(arg, s->user, &p);

    if (why) {
        reply(s, 501, "'%.60s' is no minidisk, which MLSD lists; MLST tells of a file.", arg);
        return;
    }
    fmt(p.fn, sizeof(p.fn), "*");
    fmt(p.ft, sizeof(p.ft), "*");
    if (at_disk_of(s, &p) && have_disk(s, false) && data_wanted(s))
        begin(s, &p, LIST_FACTS);
}

static void tell(struct session *s, const char *arg, const char *facts)
{
    reply_raw(s, "250-Listing %s", arg);
    reply_raw(s, " %s", facts);
    reply(s, 250, "End.");
}

static bool minidisk(struct session *s, const char *arg)
{
    struct path p, f;
    const char *why;

    if (path_disk(arg, s->user, &p))
        return false;
    if (!p.named)
        return s->disk != 0; /* the working one */
    if (!path_file(arg, s->user, &f)) { /* a file may have that name */
        struct fs_name name;
        s->at = s->disk;
        if (!f.named && s->at && fs_name_set(&name, f.fn, f.ft) == FS_OK && disk_has(s->at, &name))
            return false;
    }
    s->away = s->at = disk_use(s->user, s->anonymous, p.owner, p.vaddr, &why);
    return s->away != 0;
}

/* One file's facts on the control connection, or a minidisk's. */
void file_mlst(struct session *s, char *arg)
{
    struct fs_stat st;
    char line[160];

    s->at = s->disk;
    if (minidisk(s, arg)) {
        fmt(line, sizeof(line), "%s %s.%03X",
            !(s->facts & FACT_TYPE) ? ""
            : s->away               ? "type=dir;"
                                    : "type=cdir;",
            s->at->owner, s->at->vaddr);
        tell(s, arg, line);
    } else if (existing(s, arg, &st)) {
        list_facts(&st, s->facts, facts_size(s, &st), line, sizeof(line));
        tell(s, arg, line);
    }
}
