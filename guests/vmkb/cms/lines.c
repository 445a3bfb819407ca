/* SPDX-License-Identifier: MIT */
/* Files that are read and written line by line and stay open between commands until FINIS or Ready:
 * EXECIO's, and those of REXX's streams. */
#include "nucleus.h"
#include "rexx.h"

#define LINES_MAX 4096

struct cms_file *lines_reader(struct cms_fileid *id, uint32_t line, int *code)
{
    const uint8_t *record;
    uint32_t len;

    *code = cms_find(id, 0, 0);
    if (*code != FS_OK)
        return 0;
    struct cms_file *f = file_kept(id, true);
    if (f && (*code = cms_commit(f)) != FS_OK)
        return 0;
    f = file_kept(id, false);
    if (f && line && line <= f->fs.record) {
        cms_close(f);
        f = 0;
    }
    if (!f)
        f = cms_open(id, code);
    if (!f)
        return 0;
    f->kept = true;
    while (line && f->fs.record + 1 < line && fs_next(&f->fs, &record, &len) == FS_OK)
        ;
    return f;
}

struct cms_file *lines_writer(struct cms_fileid *id, uint8_t recfm, uint32_t lrecl, int *code)
{
    struct cms_file *f = file_kept(id, true), *old;
    struct cms_fileid source = *id;
    struct fs_stat st;
    uint32_t len;
    const uint8_t *record;

    *code = FS_OK;
    if (f)
        return f;
    f = file_kept(id, false);
    if (f)
        cms_close(f);
    if (lrecl == 0 || lrecl > FS_LRECL_MAX)
        lrecl = 80;
    source.number = -1;
    bool exists = cms_find(&source, &st, 0) == FS_OK && source.letter == id->letter;
    if (exists) {
        recfm = st.recfm;
        lrecl = st.lrecl;
        id->number = st.mode;
    }
    f = cms_create(id, recfm, recfm == FS_FIXED ? lrecl : 0, code);
    if (!f)
        return 0;
    f->kept = true;
    if (!exists)
        return f;
    old = cms_open(&source, code);
    if (!old) {
        cms_close(f);
        return 0;
    }
    while ((*code = fs_next(&old->fs, &record, &len)) == FS_OK
           && (*code = fs_write_record(&f->fs, record, len)) == FS_OK)
        ;
    cms_close(old);
    if (*code == FS_EOF)
        return f;
    cms_close(f);
    return 0;
}

/* REXX's name of a stream is a fileid. False: it is none. */
static bool fileid(struct cms_fileid *id, const struct rexx_str *name, char otherwise)
{
    char line[32], *word[3] = {0, 0, 0};
    uint32_t n = name->n;
    int words = 0;

    if (n >= sizeof(line))
        return false;
    for (uint32_t i = 0; i < n; i++)
        line[i] = (char)to_upper(name->p[i]);
    line[n] = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (line[i] == ' ') {
            line[i] = 0;
        } else if (i == 0 || !line[i - 1]) {
            if (words == 3)
                return false;
            word[words++] = line + i;
        }
    }
    return words >= 2 && cms_fileid(id, word[0], word[1], word[2], otherwise) == 0;
}

/* What was written to it becomes the file. */
static int keep(const struct rexx_str *name)
{
    struct cms_fileid id;
    struct cms_file *f = fileid(&id, name, 'A') ? file_kept(&id, true) : 0;

    return f ? cms_commit(f) : FS_OK;
}

static struct cms_file *opened(const struct rexx_str *name, uint32_t line)
{
    struct cms_fileid id;
    int code;

    return keep(name) == FS_OK && fileid(&id, name, '*') ? lines_reader(&id, line, &code) : 0;
}

int lines_read(struct rexx_env *e, const struct rexx_str *name, uint32_t line, const char **text)
{
    (void)e;
    const uint8_t *record;
    uint32_t len;
    struct cms_file *f = opened(name, line);

    if (!f || fs_next(&f->fs, &record, &len) != FS_OK)
        return -1;
    *text = (const char *)record;
    return (int)len;
}

uint32_t lines_left(struct rexx_env *e, const struct rexx_str *name)
{
    (void)e;
    struct fs_stat st;
    struct cms_file *f = opened(name, 0);

    return f && fs_file_stat(&f->fs, &st) == FS_OK ? st.records - f->fs.record : 0;
}

/* Characters of the records not yet read, and one for the end of each; V's have their length, two
 * bytes, before them. */
uint32_t lines_chars(struct rexx_env *e, const struct rexx_str *name)
{
    (void)e;
    struct fs_stat st;
    struct cms_file *f = opened(name, 0);

    if (!f || fs_file_stat(&f->fs, &st) != FS_OK)
        return 0;
    uint32_t left = st.records - f->fs.record, bytes = f->fs.entry.size - f->fs.position;
    return f->fs.entry.recfm == FS_FIXED ? bytes + left : bytes - 2 * left + left;
}

int lines_write(struct rexx_env *e, const struct rexx_str *name, const struct rexx_str *text)
{
    (void)e;
    char record[LINES_MAX];
    struct cms_fileid id;
    int code;
    struct cms_file *f = fileid(&id, name, 'A') ? lines_writer(&id, FS_VARIABLE, 0, &code) : 0;

    if (!f)
        return 1;
    uint32_t n = f->fs.entry.recfm == FS_FIXED ? f->fs.entry.lrecl : text->n;
    if (n > sizeof(record) || text->n > n)
        return 1;
    memcpy(record, text->p, text->n);
    memset(record + text->n, ' ', n - text->n);
    return fs_write_record(&f->fs, record, n) != FS_OK;
}

int lines_close(struct rexx_env *e, const struct rexx_str *name)
{
    (void)e;
    struct cms_fileid id;
    struct cms_file *f;
    int code = keep(name);

    if (fileid(&id, name, '*') && cms_find(&id, 0, 0) == FS_OK && (f = file_kept(&id, false)) != 0)
        cms_close(f);
    return code != FS_OK;
}
