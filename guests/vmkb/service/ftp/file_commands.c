/* SPDX-License-Identifier: MIT */
/* The commands about files on the working minidisk: RETR, STOR, listings, DELE, RNFR, RNTO, SIZE, MDTM, MLST. */
#include "ctype.h"
#include "server.h"

static bool have_disk(struct session *s, bool to_write)
{
    if (!s->disk)
        reply(s, 550, "There is no working minidisk; CD owner.vaddr.");
    else if (to_write && s->anonymous)
        reply(s, 550, "Anonymous may only read.");
    else if (to_write && !s->disk->writable)
        reply(s, 550, "%s.%03X is read only: it is yours to read, or its owner has it read/write.", s->disk->owner,
              s->disk->vaddr);
    else if (disk_refresh(s->disk) != FS_OK)
        reply(s, 550, "The minidisk cannot be read any more.");
    else
        return true;
    return false;
}

static bool named(struct session *s, const char *arg, struct fs_name *name)
{
    const char *why = *arg ? file_name(arg, name) : "a file name is needed";

    if (why)
        reply(s, 553, "'%.60s': %s.", arg, why);
    return !why;
}

static bool data_wanted(struct session *s)
{
    if (s->passive || s->port.port)
        return true;
    reply(s, 425, "PORT or PASV first.");
    return false;
}

void file_retr(struct session *s, char *arg)
{
    struct fs_name name;
    struct fs_stat st;

    if (!have_disk(s, false) || !named(s, arg, &name) || !data_wanted(s))
        return;
    int rc = fs_stat(&s->disk->fs, &name, &st);
    if (rc == FS_OK)
        rc = fs_open(&s->disk->fs, &s->file, &name, s->file_buffer, sizeof(s->file_buffer));
    if (rc != FS_OK) {
        reply(s, 550, "%s: %s.", arg, fs_words(rc));
        return;
    }
    text_out_start(&s->tout, &s->file, s->ascii, st.recfm);
    s->xfer = XFER_RETR;
    reply(s, 150, "Sending file '%s'.", arg);
    data_begin(s);
}

void file_stor(struct session *s, char *arg)
{
    struct fs_name name;

    if (!have_disk(s, true) || !named(s, arg, &name) || !data_wanted(s))
        return;
    uint8_t recfm = s->site_recfm ? s->site_recfm : s->ascii ? FS_VARIABLE : FS_FIXED;
    uint32_t lrecl = s->site_recfm ? s->site_lrecl : recfm == FS_FIXED ? 80 : 0;
    int rc = fs_create(&s->disk->fs, &s->file, &name, 1, recfm, lrecl, s->file_buffer, sizeof(s->file_buffer));
    if (rc != FS_OK) {
        reply(s, rc == FS_E_FULL || rc == FS_E_DIRFULL ? 552 : 550, "%s: %s.", arg, fs_words(rc));
        return;
    }
    text_in_start(&s->tin, &s->file, s->ascii, recfm, lrecl, s->record, sizeof(s->record));
    s->xfer = XFER_STOR;
    reply(s, 150, "Storing file '%s'.", arg);
    data_begin(s);
}

static void listing(struct session *s, char *arg, int style)
{
    if (!have_disk(s, false) || !data_wanted(s))
        return;
    const char *why = file_pattern(arg, s->list_fn, s->list_ft);
    if (why) {
        reply(s, 501, "%s.", why);
        return;
    }
    uint32_t cursor = 0;
    struct fs_stat st;
    if (style != LIST_FACTS && *arg && *arg != '-'
        && fs_list(&s->disk->fs, s->list_fn, s->list_ft, -1, &cursor, &st) != FS_OK) {
        reply(s, 550, "%s: no such file.", arg);
        return;
    }
    s->list_cursor = 0;
    s->list_style = (uint8_t)style;
    s->xfer = XFER_LIST;
    reply(s, 125, "List started OK.");
    data_begin(s);
}

void file_list(struct session *s, char *arg)
{
    listing(s, arg, LIST_VM);
}

void file_nlst(struct session *s, char *arg)
{
    listing(s, arg, LIST_NAMES);
}

void file_mlsd(struct session *s, char *arg)
{
    char here[16] = "", all[2] = "";

    if (s->disk)
        fmt(here, sizeof(here), "%s.%03X", s->disk->owner, s->disk->vaddr);
    if (*arg && strcmp(arg, ".") != 0 && strcmp(arg, "/") != 0 && strcmp(arg, here) != 0)
        reply(s, 501, "MLSD lists the working minidisk only; MLST tells of a file.");
    else
        listing(s, all, LIST_FACTS);
}

void file_dele(struct session *s, char *arg)
{
    struct fs_name name;

    if (!have_disk(s, true) || !named(s, arg, &name))
        return;
    int rc = fs_erase(&s->disk->fs, &name);
    if (rc == FS_OK)
        reply(s, 250, "%s deleted.", arg);
    else
        reply(s, 550, "%s: %s.", arg, fs_words(rc));
}

void file_rnfr(struct session *s, char *arg)
{
    struct fs_stat st;

    if (!have_disk(s, true) || !named(s, arg, &s->rename_from))
        return;
    int rc = fs_stat(&s->disk->fs, &s->rename_from, &st);
    s->renaming = rc == FS_OK;
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
    if (!have_disk(s, true) || !named(s, arg, &to))
        return;
    int rc = fs_rename(&s->disk->fs, &s->rename_from, &to, 1);
    if (rc == FS_OK)
        reply(s, 250, "Renamed to %s.", arg);
    else
        reply(s, 550, "%s: %s.", arg, fs_words(rc));
}

static bool existing(struct session *s, const char *arg, struct fs_stat *st)
{
    struct fs_name name;

    if (!named(s, arg, &name))
        return false;
    int rc = fs_stat(&s->disk->fs, &name, st);
    if (rc != FS_OK)
        reply(s, 550, "%s: %s.", arg, fs_words(rc));
    return rc == FS_OK;
}

void file_size(struct session *s, char *arg)
{
    struct fs_stat st;

    if (have_disk(s, false) && existing(s, arg, &st))
        reply(s, 213, "%lu", wire_size(s, &st));
}

void file_mdtm(struct session *s, char *arg)
{
    struct fs_stat st;
    char time[15];

    if (!have_disk(s, false) || !existing(s, arg, &st))
        return;
    time_words(st.written, time);
    reply(s, 213, "%s", time);
}

/* One file's facts on the control connection. */
void file_mlst(struct session *s, char *arg)
{
    struct fs_stat st;
    char line[160];

    if (!have_disk(s, false) || !existing(s, arg, &st))
        return;
    list_facts(&st, s->facts, wire_size(s, &st), line, sizeof(line));
    reply_raw(s, "250-Listing %s", arg);
    reply_raw(s, " %s", line);
    reply(s, 250, "End.");
}
