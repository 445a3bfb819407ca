/* SPDX-License-Identifier: MIT */
/* Subcommands that use the data connection: GET, PUT, APPEND, MGET, MPUT, DIR, LS. */
#include "client.h"
#include "null_file.h"
#include "translate.h"

static int usage(const char *text)
{
    cms_say("Usage: %s", text);
    return FTP_USAGE;
}

static int bad_name(const char *name, const char *why)
{
    cms_say("'%s' cannot be a CMS file: %s", name, why);
    return FTP_USAGE;
}

int sub_get(struct ftp *f, struct words *w)
{
    struct local_name local;
    const char *why;
    int used = 0;

    if (w->n < 2)
        return usage("GET foreignfile [fn.ft[.fm]] [(REPLACE]");
    if (w->n == 3 && null_file_named(w->w[2]))
        return file_get_null(f, w->w[1]);
    if (w->n == 2) {
        why = name_from_foreign(w->w[1], &local);
        if (why) {
            cms_say("'%s' cannot be a CMS file: %s; give a local name too", w->w[1], why);
            return FTP_USAGE;
        }
    } else {
        why = name_local(w, 2, false, &local, &used);
        if (why)
            return bad_name(w->w[2], why);
        if (2 + used < w->n)
            return usage("GET foreignfile [fn.ft[.fm]] [(REPLACE]");
    }
    return file_get(f, w->w[1], &local, w->replace);
}

static int put(struct ftp *f, struct words *w, const char *verb, const char *how)
{
    struct local_name local;
    char foreign[20];
    int used = 0;

    if (w->n < 2)
        return usage(how);
    const char *why = name_local(w, 1, false, &local, &used);
    if (why)
        return bad_name(w->w[1], why);
    if (1 + used + 1 < w->n)
        return usage(how);
    fmt(foreign, sizeof(foreign), "%s.%s", local.fn, local.ft);
    return file_put(f, &local, verb, 1 + used < w->n ? w->w[1 + used] : foreign);
}

int sub_put(struct ftp *f, struct words *w)
{
    return put(f, w, "STOR", "PUT fn.ft[.fm] [foreignfile]");
}

int sub_append(struct ftp *f, struct words *w)
{
    return put(f, w, "APPE", "APPEND fn.ft[.fm] [foreignfile]");
}

struct names {
    char *text;
    uint32_t len;
};

static int to_names(void *to, uint8_t *bytes, uint32_t n)
{
    struct names *names = to;

    if (n > NAMES - 1 - names->len)
        return FTP_FILE;
    memcpy(names->text + names->len, bytes, n);
    names->len += n;
    return 0;
}

/* The names that NLST gives for a pattern, each ended by a zero; those that end in CR LF on the
 * wire. */
static int list_names(struct ftp *f, const char *pattern, struct names *names)
{
    int taken;

    names->len = 0;
    int rc = data_command(f, "NLST", pattern);
    if (rc == 0)
        rc = data_receive(f, to_names, names, &taken);
    if (rc != 0)
        return rc;
    rc = data_reply(f);
    if (rc == 0 && taken != 0) {
        cms_say("More names than MGET has room for (%u bytes)", NAMES);
        return taken;
    }
    for (uint32_t i = 0; i < names->len; i++)
        if (names->text[i] == 0x0d || names->text[i] == 0x0a)
            names->text[i] = 0;
    names->text[names->len] = 0;
    translate(names->text, names->len, ebcdic_of_latin1);
    return rc;
}

/* The names to get for a pattern. Not every server's NLST takes patterns: of one that refuses ours,
 * all names are asked for, and *here is set, for they are to be compared with it. */
static int wanted(struct ftp *f, const char *pattern, struct names *names, bool *here)
{
    int rc = list_names(f, pattern, names);

    *here = rc >= 400 && name_is_pattern(pattern) && !strchr(pattern, '/');
    return *here ? list_names(f, "", names) : rc;
}

/* Files for one pattern, got one after the other. */
static int get_matching(struct ftp *f, const char *pattern, struct names *names, bool replace)
{
    struct local_name local;
    unsigned count = 0;
    int worst = 0;
    bool here;

    int rc = wanted(f, pattern, names, &here);
    if (rc != 0)
        return rc;
    for (uint32_t at = 0; at < names->len; at += (uint32_t)strlen(names->text + at) + 1) {
        const char *name = names->text + at;
        if (!*name || (here && !name_matches(name, pattern)))
            continue;
        const char *why = name_from_foreign(name, &local);
        int one = why ? bad_name(name, why) : file_get(f, name, &local, replace);
        if (one < 0)
            return one;
        if (one != 0)
            worst = one;
        count++;
    }
    if (!count) {
        cms_say("No file of the server matches %s", pattern);
        worst = FTP_FILE;
    }
    return worst;
}

int sub_mget(struct ftp *f, struct words *w)
{
    struct names names = {.text = cms_alloc(NAMES)};
    int worst = 0;

    if (w->n < 2)
        return usage("MGET pattern ... [(REPLACE]  with * and ? for any characters");
    if (!names.text) {
        cms_say("No storage left for the names");
        return FTP_FILE;
    }
    for (int i = 1; i < w->n; i++) {
        int rc = get_matching(f, w->w[i], &names, w->replace);
        if (rc < 0)
            return rc;
        if (rc != 0)
            worst = rc;
    }
    return worst;
}

/* Files that match, put one after the other. */
static int put_matching(struct ftp *f, const struct local_name *pattern, int *count)
{
    char letter = pattern->fm[0] ? pattern->fm[0] : f->mode;
    struct cms_disk *d = cms_disk(letter);
    uint32_t cursor = 0;
    struct fs_stat st;
    int worst = 0;

    if (!d) {
        struct cms_fileid id = {.letter = letter, .number = -1};
        cms_file_error("FTP", CMS_E_NOTACCESSED, &id);
        return FTP_FILE;
    }
    while (fs_list(&d->fs, pattern->fn, pattern->ft, -1, &cursor, &st) == FS_OK) {
        struct local_name one = {.fm = {letter, 0, 0}};
        char foreign[20];
        for (int i = 0; i < 8 && st.name.fn[i] != ' '; i++)
            one.fn[i] = (char)st.name.fn[i];
        for (int i = 0; i < 8 && st.name.ft[i] != ' '; i++)
            one.ft[i] = (char)st.name.ft[i];
        fmt(foreign, sizeof(foreign), "%s.%s", one.fn, one.ft);
        ++*count;
        int rc = file_put(f, &one, "STOR", foreign);
        if (rc < 0)
            return rc;
        if (rc != 0)
            worst = rc;
    }
    return worst;
}

int sub_mput(struct ftp *f, struct words *w)
{
    struct local_name pattern;
    int worst = 0, used = 0;

    if (w->n < 2)
        return usage("MPUT fn.ft[.fm] ...  with * and % for any characters");
    for (int i = 1; i < w->n; i += used) {
        int count = 0;
        const char *why = name_local(w, i, true, &pattern, &used);
        int rc = why ? bad_name(w->w[i], why) : put_matching(f, &pattern, &count);
        if (rc < 0)
            return rc;
        if (rc == 0 && count == 0) {
            cms_say("No local file matches %s.%s", pattern.fn, pattern.ft);
            rc = FTP_FILE;
        }
        if (rc != 0)
            worst = rc;
    }
    return worst;
}

struct screen {
    char line[CMS_LINE];
    unsigned len;
};

static int to_screen(void *to, uint8_t *bytes, uint32_t n)
{
    struct screen *s = to;

    for (uint32_t i = 0; i < n; i++) {
        if (bytes[i] == 0x0a) {
            translate(s->line, s->len, ebcdic_of_latin1);
            for (unsigned k = 0; k < s->len; k++)
                if (!is_print(s->line[k]))
                    s->line[k] = ' ';
            cms_say_text(s->line, s->len);
            s->len = 0;
        } else if (bytes[i] != 0x0d && s->len < sizeof(s->line) - 1) {
            s->line[s->len++] = (char)bytes[i];
        }
    }
    return 0;
}

static int list(struct ftp *f, const char *verb, struct words *w)
{
    struct screen s = {.len = 0};
    uint8_t end = 0x0a;
    int taken;

    int rc = data_command(f, verb, w->rest);
    if (rc == 0)
        rc = data_receive(f, to_screen, &s, &taken);
    if (s.len)
        to_screen(&s, &end, 1);
    return rc ? rc : data_reply(f);
}

int sub_dir(struct ftp *f, struct words *w)
{
    return list(f, "LIST", w);
}

int sub_ls(struct ftp *f, struct words *w)
{
    return list(f, "NLST", w);
}
