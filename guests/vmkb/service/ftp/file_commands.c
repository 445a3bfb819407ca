/* SPDX-License-Identifier: MIT */
/* The commands about files: RETR, STOR, APPE, STOU, DELE, RNFR, RNTO, SIZE, MDTM. */
#include "server.h"

#define KEEP_BUFFER 73728    /* a record of 65535 bytes may lie anywhere in it */

/* Copies what REST or APPE keeps from one file to the other; nothing else runs meanwhile. */
static struct fs_file old_file;
static uint8_t old_buffer[KEEP_BUFFER] __attribute__((aligned(8)));

void away_done(struct session *s)
{
    if (s->away)
        disk_leave(s->away);
    s->away = 0;
}

bool at_disk_of(struct session *s, const struct path *p)
{
    const char *why;

    away_done(s);
    s->at = s->disk;
    if (!p->named)
        return true;
    s->away = s->at = disk_use(s->user, s->anonymous, p->owner, p->vaddr, &why);
    if (!s->at)
        reply(s, 550, "%s.%03X: %s.", p->owner, p->vaddr, why);
    return s->at != 0;
}

bool have_disk(struct session *s, bool to_write)
{
    if (!s->at)
        reply(s, 550, "There is no working minidisk; CD owner.vaddr.");
    else if (to_write && s->anonymous)
        reply(s, 550, "Anonymous may only read.");
    else if (to_write && !s->at->to_write)
        reply(s, 550, "%s.%03X is read only for you, by CP's directory.", s->at->owner,
              s->at->vaddr);
    else if (to_write && !disk_writable(s->at))
        reply(s, 550,
              "%s.%03X is read only here while somebody who is logged on has it read/write: DETACH"
              " it or LOGOFF there.",
              s->at->owner, s->at->vaddr);
    else if (disk_refresh(s->at) != FS_OK)
        reply(s, 550, "The minidisk cannot be read any more.");
    else
        return true;
    return false;
}

/* The minidisk and the file that arg names, the client told if there is anything wrong with
 * them. */
static bool named(struct session *s, const char *arg, bool to_write, struct fs_name *name)
{
    struct path p;
    const char *why = path_file(arg, s->user, &p);

    if (!why && fs_name_set(name, p.fn, p.ft) != FS_OK)
        why = "that is no name of a file";
    if (why)
        reply(s, 553, "'%.60s': %s.", arg, why);
    return !why && at_disk_of(s, &p) && have_disk(s, to_write);
}

bool data_wanted(struct session *s)
{
    if (s->passive || s->port.port)
        return true;
    reply(s, 425, "PORT or PASV first.");
    return false;
}

/* 554: RFC 3659 has no other for a place that is not in the file. */
static void not_so_long(struct session *s, const char *arg, const struct fs_stat *st)
{
    reply(s, 554, "%s has %lu bytes in this type: it cannot be restarted behind %lu.", arg,
          (unsigned long)wire_size(st, s->ascii), (unsigned long)s->restart);
}

static bool skipped(struct session *s, const char *arg, const struct fs_stat *st)
{
    int rc = wire_size(st, s->ascii) < s->restart
                 ? FS_EOF
                 : text_out_skip(&s->tout, s->restart, s->slot[0], sizeof(s->slot[0]));

    if (rc == FS_EOF)
        not_so_long(s, arg, st);
    else if (rc != FS_OK)
        reply(s, 451, "%s: %s.", arg, fs_words(rc));
    if (rc != FS_OK)
        fs_close(&s->file);
    return rc == FS_OK;
}

void file_retr(struct session *s, char *arg)
{
    struct fs_name name;
    struct fs_stat st;

    if (!named(s, arg, false, &name) || !data_wanted(s))
        return;
    int rc = fs_stat(&s->at->fs, &name, &st);
    if (rc == FS_OK)
        rc = fs_open(&s->at->fs, &s->file, &name, s->file_buffer, sizeof(s->file_buffer));
    if (rc != FS_OK) {
        reply(s, 550, "%s: %s.", arg, fs_words(rc));
        return;
    }
    text_out_start(&s->tout, &s->file, s->ascii, st.recfm);
    if (s->restart && !skipped(s, arg, &st))
        return;
    s->files_ascii = s->ascii;
    s->xfer = XFER_RETR;
    reply(s, 150, "Sending file '%s'.", arg);
    data_begin(s);
}

static int kept(struct session *s, const struct fs_name *name, uint64_t keep)
{
    int rc = fs_open(&s->at->fs, &old_file, name, old_buffer, sizeof(old_buffer));

    if (rc == FS_OK) {
        rc = text_in_keep(&s->tin, &old_file, keep);
        fs_close(&old_file);
    }
    return rc;
}

/* The new file, with the first `keep` bytes of the one that is there. False: the client was told
 * why not. */
static bool begun(struct session *s, const char *arg, const struct fs_name *name, uint64_t keep)
{
    uint8_t recfm = s->site_recfm ? s->site_recfm : s->ascii ? FS_VARIABLE : FS_FIXED;
    uint32_t lrecl = s->site_recfm ? s->site_lrecl : recfm == FS_FIXED ? 80 : 0;
    struct fs_stat st;
    int rc = FS_OK;

    if (keep) {
        rc = fs_stat(&s->at->fs, name, &st);
        if (rc == FS_E_NOTFOUND && keep == TEXT_ALL) {
            keep = 0;
            rc = FS_OK;
        } else if (rc == FS_OK) {
            recfm = st.recfm;
            lrecl = recfm == FS_FIXED ? st.lrecl : 0;
            if (keep != TEXT_ALL && keep > wire_size(&st, s->ascii)) {
                not_so_long(s, arg, &st);
                return false;
            }
        }
    }
    if (rc == FS_OK)
        rc = fs_create(&s->at->fs, &s->file, name, 1, recfm, lrecl, s->file_buffer,
                       sizeof(s->file_buffer));
    if (rc == FS_OK) {
        s->files_ascii = s->ascii;
        text_in_start(&s->tin, &s->file, s->ascii, recfm, lrecl, s->record, sizeof(s->record));
        if (keep && (rc = kept(s, name, keep)) != FS_OK)
            fs_abort(&s->file);
    }
    if (rc != FS_OK)
        reply(s, rc == FS_E_FULL || rc == FS_E_DIRFULL ? 552 : 550, "%s: %s.", arg, fs_words(rc));
    return rc == FS_OK;
}

static void store(struct session *s, const char *how, const char *name)
{
    s->xfer = XFER_STOR;
    reply(s, 150, how, name);
    data_begin(s);
}

static void stor_null(struct session *s)
{
    if (!data_wanted(s))
        return;
    s->null = (struct null_file){0};
    s->xfer = XFER_NULL;
    reply(s, 150, "Storing to the null file.");
    data_begin(s);
}

void file_stor(struct session *s, char *arg)
{
    struct fs_name name;

    if (null_file_named(arg)) {
        stor_null(s);
        return;
    }
    if (named(s, arg, true, &name) && data_wanted(s) && begun(s, arg, &name, s->restart))
        store(s, "Storing file '%s'.", arg);
}

void file_appe(struct session *s, char *arg)
{
    struct fs_name name;

    if (named(s, arg, true, &name) && data_wanted(s) && begun(s, arg, &name, TEXT_ALL))
        store(s, "Adding to file '%s'.", arg);
}

/* fn with a number behind it, cut to make room. */
static void numbered(struct fs_name *name, const struct fs_name *base, unsigned number)
{
    char digits[8];
    unsigned n = (unsigned)blank_trim(base->fn, 8),
             k = (unsigned)fmt(digits, sizeof(digits), "%u", number);

    *name = *base;
    memcpy(name->fn + (n + k > 8 ? 8 - k : n), digits, k);
}

/* A name that no file has: the one that is given, else UNIQUE FILE, with the first number behind fn
 * that makes it so. RFC 1123, 4.1.2.9 has the form of the reply. */
void file_stou(struct session *s, char *arg)
{
    struct fs_name base, name;
    char text[20];

    if (!named(s, *arg ? arg : "UNIQUE.FILE", true, &base) || !data_wanted(s))
        return;
    name = base;
    for (unsigned n = 1; disk_has(s->at, &name); n++)
        numbered(&name, &base, n);
    struct fs_stat st = {.name = name};
    list_line(&st, LIST_NAMES, text, sizeof(text));
    if (begun(s, text, &name, 0))
        store(s, "FILE: %s", text);
}

void file_dele(struct session *s, char *arg)
{
    struct fs_name name;

    if (!named(s, arg, true, &name))
        return;
    int rc = fs_erase(&s->at->fs, &name);
    if (rc == FS_OK)
        reply(s, 250, "%s deleted.", arg);
    else
        reply(s, 550, "%s: %s.", arg, fs_words(rc));
}

void file_rnfr(struct session *s, char *arg)
{
    struct fs_stat st;

    s->renaming = false;
    if (!named(s, arg, true, &s->rename_from))
        return;
    int rc = fs_stat(&s->at->fs, &s->rename_from, &st);
    s->renaming = rc == FS_OK;
    fmt(s->rename_owner, sizeof(s->rename_owner), "%s", s->at->owner);
    s->rename_vaddr = s->at->vaddr;
    if (rc == FS_OK)
        reply(s, 350, "RNFR accepted; RNTO next.");
    else
        reply(s, 550, "%s: %s.", arg, fs_words(rc));
}

void file_rnto(struct session *s, char *arg)
{
    struct fs_name to;

    if (!s->renaming) {
        reply(s, 503, "RNFR first.");
        return;
    }
    s->renaming = false;
    if (!named(s, arg, true, &to))
        return;
    if (strcmp(s->rename_owner, s->at->owner) != 0 || s->rename_vaddr != s->at->vaddr) {
        reply(s, 553, "A file keeps its minidisk, %s.%03X; RETR and STOR bring it to another one.",
              s->rename_owner, s->rename_vaddr);
        return;
    }
    int rc = fs_rename(&s->at->fs, &s->rename_from, &to, 1);
    if (rc == FS_OK)
        reply(s, 250, "Renamed to %s.", arg);
    else
        reply(s, 550, "%s: %s.", arg, fs_words(rc));
}

bool existing(struct session *s, const char *arg, struct fs_stat *st)
{
    struct fs_name name;

    if (!named(s, arg, false, &name))
        return false;
    int rc = fs_stat(&s->at->fs, &name, st);
    if (rc != FS_OK)
        reply(s, 550, "%s: %s.", arg, fs_words(rc));
    return rc == FS_OK;
}

void file_size(struct session *s, char *arg)
{
    struct fs_stat st;

    if (!existing(s, arg, &st))
        return;
    s->files_ascii = s->ascii;
    reply(s, 213, "%lu", (unsigned long)wire_size(&st, s->ascii));
}

void file_mdtm(struct session *s, char *arg)
{
    struct fs_stat st;
    char time[15];

    if (!existing(s, arg, &st))
        return;
    time_words(st.written, time);
    reply(s, 213, "%s", time);
}
