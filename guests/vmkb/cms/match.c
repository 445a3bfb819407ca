/* SPDX-License-Identifier: MIT */
/* File identifiers with * and %, and the = of new names. */
#include "nucleus.h"

static void text(char to[9], const uint8_t field[8])
{
    unsigned n = 8;

    memcpy(to, field, 8);
    n = blank_trim(to, n);
    to[n] = 0;
}

static bool wanted(const struct cms_match *m, const struct cms_disk *d)
{
    return m->pattern.letter == '*' || d->letter == m->pattern.letter
           || d->parent == m->pattern.letter;
}

static void next_disk(struct cms_match *m)
{
    do
        m->disk = cms_disk_next(m->disk);
    while (m->disk && !wanted(m, m->disk));
    m->cursor = 0;
}

void cms_match_start(struct cms_match *m, const struct cms_fileid *pattern)
{
    m->pattern = *pattern;
    m->disk = 0;
    next_disk(m);
}

int cms_match_next(struct cms_match *m, struct cms_fileid *found, struct fs_stat *st)
{
    if (m->pattern.letter != '*' && !cms_disk(m->pattern.letter))
        return CMS_E_NOTACCESSED;
    for (; m->disk; next_disk(m)) {
        if (fs_list(&m->disk->fs, m->pattern.fn, m->pattern.ft, m->pattern.number, &m->cursor, st)
            != FS_OK)
            continue;
        text(found->fn, st->name.fn);
        text(found->ft, st->name.ft);
        found->letter = m->disk->letter;
        found->number = st->mode;
        return FS_OK;
    }
    return FS_EOF;
}

bool cms_is_pattern(const struct cms_fileid *id)
{
    return strchr(id->fn, '*') || strchr(id->fn, '%') || strchr(id->ft, '*') || strchr(id->ft, '%');
}

int cms_new_fileid(struct cms_fileid *id, const char *fn, const char *ft, const char *fm,
                   const struct cms_fileid *found)
{
    bool same_mode = !*fm || fm[0] == '=';
    int rc = cms_fileid(id, strcmp(fn, "=") == 0 ? found->fn : fn,
                        strcmp(ft, "=") == 0 ? found->ft : ft, same_mode ? "" : fm, found->letter);

    if (rc != 0)
        return rc;
    if (same_mode && *fm && fm[1]) {
        if (fm[2] || !is_digit(fm[1]) || fm[1] > '6')
            return 24;
        id->number = fm[1] - '0';
    }
    if (id->number < 0)
        id->number = found->number;
    if (cms_is_pattern(id) || strchr(id->fn, '=') || strchr(id->ft, '=') || id->letter == '*')
        return 20;
    return 0;
}
