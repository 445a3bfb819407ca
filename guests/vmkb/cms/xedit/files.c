/* SPDX-License-Identifier: MIT */
/* Files into storage and back to a disk. A file is replaced as a whole when all of it is written,
 * or stays as it was. */
#include "xedit.h"

/* What IBM's XEDIT assumes of new files by their filetype. */
static const struct {
    const char *ft;
    uint8_t recfm;
    uint16_t lrecl;
    bool mixed;
} types[] = {
    {"EXEC", FS_VARIABLE, 130, false}, {"XEDIT", FS_VARIABLE, 255, false},
    {"SCRIPT", FS_VARIABLE, 132, true}, {"MEMO", FS_FIXED, 80, true},
    {"NOTE", FS_VARIABLE, 132, true},  {"NAMES", FS_VARIABLE, 255, true},
    {"TEXT", FS_VARIABLE, 132, true},  {"LISTING", FS_VARIABLE, 121, false},
    {"", FS_FIXED, 80, false},
};

static void file_defaults(struct xfile *f)
{
    unsigned i = 0;

    while (types[i].ft[0] && strcmp(types[i].ft, f->id.ft) != 0)
        i++;
    f->recfm = types[i].recfm;
    f->lrecl = types[i].lrecl;
    f->upper = !types[i].mixed;
    f->column = 1;
    f->stay = f->wrap = false;
    f->scale = f->curline_on = f->prefix_on = f->msgmode = f->linend_on = f->shadow = true;
    f->impcmscp = f->msgline_on = f->image = f->tofeof = f->stream = true;
    f->scale_row = X_MIDDLE + 1;
    f->tab_row = -3;
    f->curline = X_MIDDLE;
    f->msg_row = f->msg_rows = 2;
    f->linend = '#';
    f->arb1 = f->arb2 = '$';
    f->tab_count = 0;
    for (uint32_t t = 1; t < 100; t += t == 1 ? 4 : 5)
        f->tabs[f->tab_count++] = t;
}

/* Every line of the file, at the end of the text. FS_EOF when all is well. */
static int load(struct xtext *t, struct cms_file *in)
{
    const uint8_t *record;
    uint32_t len;
    int code;

    while ((code = fs_next(&in->fs, &record, &len)) == FS_OK) {
        len = (uint32_t)blank_trim(record, len);
        struct xline *l = line_new((const char *)record, len);
        if (!l || !text_insert(t, t->size, l))
            return CMS_E_STORAGE;
    }
    return code;
}

static void settle(struct xfile *f, uint32_t width)
{
    if (width > f->lrecl)
        f->lrecl = width;
    f->trunc = f->zone2 = f->verify2 = f->lrecl;
    f->zone1 = f->verify1 = 1;
}

void ring_free(struct xfile *f)
{
    for (unsigned i = 0; i < f->recover; i++)
        pool_give(f->deleted[i]);
    text_free(&f->text);
    pool_give(f->reserve);
    pool_give(f->preserved);
    pool_give(f);
}

struct xfile *file_open(struct cms_fileid *id, uint32_t width, int *rc)
{
    struct xfile *f = pool_take(sizeof(*f));
    struct fs_stat st;
    int code = FS_OK;

    if (f)
        memset(f, 0, sizeof(*f));
    if (!f || !text_start(&f->text)) {
        pool_give(f);
        *rc = cms_error(104, "DMSXIN109S Virtual storage capacity exceeded");
        return 0;
    }
    bool tried = false;
    for (;;) {
        struct cms_file *in = cms_open(id, &code);
        f->id = *id;
        if (!tried)
            file_defaults(f);
        if (!in)
            break;
        fs_file_stat(&in->fs, &st);
        code = load(&f->text, in);
        int closed = cms_close(in);
        if (code == FS_EOF && closed == FS_E_STALE && !tried) { /* its owner wrote meanwhile */
            tried = true;
            text_free(&f->text);
            if (text_start(&f->text))
                continue;
            code = CMS_E_STORAGE;
        }
        break;
    }
    *rc = 0;
    if (code == FS_EOF) {
        f->recfm = st.recfm;
        f->lrecl = st.recfm == FS_FIXED || st.lrecl > f->lrecl ? st.lrecl : f->lrecl;
        f->id.number = st.mode;
    } else if (code == FS_E_NOTFOUND) {
        f->is_new = true;
        if (f->id.letter == '*')
            f->id.letter = 'A';
        if (f->id.number < 0)
            f->id.number = 1;
    } else {
        *rc = cms_file_error("XIN", code, id);
        ring_free(f);
        return 0;
    }
    settle(f, width);
    return f;
}

static int failed(int code, const struct cms_fileid *id)
{
    const struct cms_disk *d = cms_disk(id->letter);

    switch (code) {
    case FS_E_FULL:
    case FS_E_DIRFULL:
        return say_x(13, "DMSXSU531E Disk %c(%03X) is full; set new filemode or clear some disk "
                         "space", id->letter, d ? d->vaddr : 0);
    case FS_E_READONLY:
        return say_x(12, "DMSXSU037E Filemode %c is accessed as read/only", id->letter);
    case CMS_E_NOTACCESSED:
        return say_x(36, "DMSXSU069E Filemode %c not accessed", id->letter);
    case FS_E_NOTFOUND:
        return say_x(28, "DMSXSU002E File %s %s %c not found", id->fn, id->ft, id->letter);
    case FS_E_NAME:
        return say_x(20, "DMSXSU062E Invalid character in fileid %s %s", id->fn, id->ft);
    default:
        return say_x(100, "DMSXSU104S Error %d on file %s %s %c: %s", -code, id->fn, id->ft,
                     id->letter, code > -100 ? fs_strerror(code) : "no storage or too many files");
    }
}

static int put_line(struct cms_file *out, const char *text, uint32_t len, uint32_t fixed)
{
    if (!fixed || len == fixed)
        return fs_write_record(&out->fs, text, len);
    if (len > fixed)
        return fs_write_record(&out->fs, text, fixed);
    memcpy(x->work, text, len);
    memset(x->work + len, ' ', fixed - len);
    return fs_write_record(&out->fs, x->work, fixed);
}

static int copy_old(struct cms_file *out, struct cms_fileid *id, uint32_t fixed)
{
    const uint8_t *record;
    uint32_t len;
    int code;
    struct cms_file *in = cms_open(id, &code);

    if (!in)
        return code;
    while ((code = fs_next(&in->fs, &record, &len)) == FS_OK
           && (code = put_line(out, (const char *)record, len, fixed)) == FS_OK)
        ;
    cms_close(in);
    return code == FS_EOF ? FS_OK : code;
}

int file_write(struct xfile *f, const struct cms_fileid *id, uint32_t from, uint32_t to,
               bool append)
{
    struct cms_fileid old = *id;
    struct fs_stat st;
    uint8_t recfm = f->recfm;
    uint32_t lrecl = f->lrecl;
    int code;

    old.number = -1;
    append = append && cms_find(&old, &st, 0) == FS_OK && old.letter == id->letter;
    if (append) {
        recfm = st.recfm;
        lrecl = st.lrecl;
    }
    uint32_t fixed = recfm == FS_FIXED ? lrecl : 0;
    struct cms_file *out = cms_create(id, recfm, fixed, &code);
    if (!out)
        return failed(code, id);
    code = append ? copy_old(out, &old, fixed) : FS_OK;
    for (uint32_t k = from; k <= to && code == FS_OK; k++) {
        const struct xline *l = *text_at(&f->text, k);
        code = put_line(out, l->text, l->len, fixed);
    }
    if (code == FS_OK)
        code = cms_commit(out);
    else
        cms_close(out);
    return code == FS_OK ? 0 : failed(code, id);
}

int file_insert(struct xfile *f, struct cms_fileid *id, uint32_t first, uint32_t count)
{
    const uint8_t *record;
    uint32_t len, last = count < ~0u - first ? first + count - 1 : ~0u;
    uint32_t at = f->line < end_of() ? f->line : end_of() - 1;
    int code = FS_OK, rc = 0;
    struct cms_file *in = cms_open(id, &code);

    if (!in)
        return failed(code, id);
    for (uint32_t n = 1; n <= last && rc == 0; n++) {
        code = fs_next(&in->fs, &record, &len);
        if (code != FS_OK)
            break;
        if (n < first)
            continue;
        rc = line_insert(at, (const char *)record, len);
        at += rc == 0 || rc == 3;
        rc = rc == 3 ? 0 : rc;
    }
    cms_close(in);
    if (code != FS_OK && code != FS_EOF)
        return failed(code, id);
    f->line = at;
    return rc ? rc : code == FS_EOF ? 1 : 0;
}
