/* SPDX-License-Identifier: MIT */
/* SORT fn ft fm fn ft fm: the records of a file in the order of columns that are asked for, into a
 * new file. Equal ones stay as they were. */
#include "commands.h"

enum { FIELDS = 16, LINE = 160 };

struct field {
    uint32_t from, to;
};

struct sorting {
    struct field field[FIELDS];
    int fields;
    uint32_t n;
    const void **entry, **other;
};

struct entry {
    uint32_t len;
    uint8_t text[];
};

/* "1 5 10 12": from and to of each field, what comes first counts most. */
static int ask(struct sorting *s)
{
    struct cms_arg arg;
    char line[LINE], whole[LINE + 6];

    cms_say("DMSSRT604R Enter sort fields:");
    int n = cms_readline(line, sizeof(line));
    fmt(whole, sizeof(whole), "SORT %.*s", n, line);
    if (cms_arg_parse(&arg, "SORT", whole, (unsigned)strlen(whole)) != 0 || arg.n == 0)
        return cms_error(40, "DMSSRT063E No sort list entered");
    if (arg.n % 2 || arg.n / 2 > FIELDS)
        return cms_error(24, "DMSSRT053E Invalid sort field pair defined");
    for (s->fields = 0; s->fields < arg.n / 2; s->fields++) {
        struct field *f = &s->field[s->fields];
        if (!cms_number(arg.word[2 * s->fields], &f->from) || !f->from
            || !cms_number(arg.word[2 * s->fields + 1], &f->to) || f->to < f->from)
            return cms_error(24, "DMSSRT053E Invalid sort field pair defined");
    }
    return 0;
}

static int compared(const void *one, const void *next, const void *how)
{
    const struct entry *a = one, *b = next;
    const struct sorting *s = how;

    for (int i = 0; i < s->fields; i++)
        for (uint32_t at = s->field[i].from - 1; at < s->field[i].to; at++) {
            int x = at < a->len ? a->text[at] : ' ', y = at < b->len ? b->text[at] : ' ';
            if (x != y)
                return x - y;
            if (at >= a->len && at >= b->len)
                break;
        }
    return 0;
}

static int load(struct sorting *s, struct cms_fileid *id, struct fs_stat *st)
{
    const uint8_t *record;
    uint32_t len;
    int code = cms_find(id, st, 0);
    struct cms_file *f = code == FS_OK ? cms_open(id, &code) : 0;

    if (!f)
        return cms_file_error("SRT", code, id);
    s->entry = cms_alloc(st->records * sizeof(*s->entry));
    s->other = cms_alloc(st->records * sizeof(*s->other));
    if (!s->entry || !s->other)
        return cms_file_error("SRT", CMS_E_STORAGE, id);
    while (s->n < st->records && (code = fs_next(&f->fs, &record, &len)) == FS_OK) {
        struct entry *e = cms_alloc(sizeof(*e) + len);
        if (!e)
            return cms_file_error("SRT", CMS_E_STORAGE, id);
        e->len = len;
        memcpy(e->text, record, len);
        s->entry[s->n++] = e;
    }
    cms_close(f);
    return code == FS_OK || code == FS_EOF ? 0 : cms_file_error("SRT", code, id);
}

CMS_COMMAND("SORT", 4, cmd_sort);
int cmd_sort(struct cms_arg *arg)
{
    struct sorting *s = cms_alloc(sizeof(*s));
    struct cms_fileid from, to;
    struct fs_stat st;
    int code;

    if (!s)
        return cms_error(104, "DMSSRT109S Virtual storage capacity exceeded");
    s->n = 0;
    if (arg->n != 6)
        return cms_error(24, "DMSSRT054E Incomplete fileid specified");
    int rc = cms_fileid(&from, arg->word[0], arg->word[1], arg->word[2], 'A');
    if (rc == 0)
        rc = cms_new_fileid(&to, arg->word[3], arg->word[4], arg->word[5], &from);
    if (rc != 0)
        return cms_fileid_error("SRT", rc, arg->word[0], arg->word[1], arg->word[5]);
    if (strcmp(from.fn, to.fn) == 0 && strcmp(from.ft, to.ft) == 0 && from.letter == to.letter)
        return cms_error(24, "DMSSRT019E Identical fileids");
    if ((code = cms_find(&from, &st, 0)) != FS_OK)
        return cms_file_error("SRT", code, &from);
    rc = ask(s);
    if (rc == 0)
        rc = load(s, &from, &st);
    if (rc != 0)
        return rc;
    const void **in_order = cms_sorted(s->entry, s->other, s->n, compared, s);
    struct cms_file *f = cms_create(&to, st.recfm, st.recfm == FS_FIXED ? st.lrecl : 0, &code);
    for (uint32_t i = 0; f && i < s->n && code == FS_OK; i++) {
        const struct entry *e = in_order[i];
        code = fs_write_record(&f->fs, e->text, e->len);
    }
    if (f && code == FS_OK)
        code = cms_commit(f);
    return code == FS_OK ? 0 : cms_file_error("SRT", code, &to);
}
