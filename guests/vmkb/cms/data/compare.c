/* SPDX-License-Identifier: MIT */
/* COMPARE fn ft fm fn ft fm [(COL m-n]: two files record by record; those that differ are shown. */
#include "commands.h"

struct columns {
    uint32_t from, to;
};

static int columns(const struct cms_arg *arg, struct columns *c)
{
    *c = (struct columns){1, FS_LRECL_MAX};
    for (int i = 0; i < arg->options; i++) {
        char word[24], *dash;
        if (!cms_is(arg->option[i], "COL", 3))
            return cms_bad_option("CMP", arg->option[i]);
        fmt(word, sizeof(word), "%s", arg->option[++i]);
        if ((dash = strchr(word, '-')) != 0)
            *dash++ = 0;
        if (!cms_number(word, &c->from) || !c->from
            || (dash && *dash && (!cms_number(dash, &c->to) || c->to < c->from)))
            return cms_error(24, "DMSCMP009E Column %s is not valid", arg->option[i]);
    }
    return 0;
}

static uint32_t cut(const struct columns *c, const uint8_t **p, uint32_t len)
{
    uint32_t skip = c->from - 1 < len ? c->from - 1 : len;

    *p += skip;
    len -= skip;
    return len < c->to - c->from + 1 ? len : c->to - c->from + 1;
}

static int files(struct cms_file *const f[2], const struct cms_fileid id[2],
                 const struct columns *c)
{
    bool differ = false;

    for (uint32_t n = 0; !cms_halted(); n++) {
        const uint8_t *record[2], *part[2];
        uint32_t len[2], part_len[2];
        int code[2];
        for (int i = 0; i < 2; i++) {
            code[i] = fs_next(&f[i]->fs, &record[i], &len[i]);
            if (code[i] != FS_OK && code[i] != FS_EOF)
                return cms_file_error("CMP", code[i], &id[i]);
        }
        if (code[0] != code[1]) {
            int ended = code[0] == FS_OK;
            return cms_error(40, "DMSCMP010E Premature EOF on file %s %s %c", id[ended].fn,
                             id[ended].ft, id[ended].letter);
        }
        if (code[0] == FS_EOF)
            break;
        for (int i = 0; i < 2; i++) {
            part[i] = record[i];
            part_len[i] = cut(c, &part[i], len[i]);
        }
        if (part_len[0] == part_len[1] && memcmp(part[0], part[1], part_len[0]) == 0)
            continue;
        differ = true;
        for (int i = 0; i < 2; i++)
            cms_say_text((const char *)record[i], len[i]);
    }
    return differ ? cms_error(4, "DMSCMP209W Files do not match") : 0;
}

CMS_COMMAND("COMPARE", 3, cmd_compare);
int cmd_compare(struct cms_arg *arg)
{
    struct cms_fileid id[2];
    struct cms_file *f[2];
    struct columns c;
    int code, rc = columns(arg, &c);

    if (rc == 0 && arg->n != 6)
        rc = cms_error(24, "DMSCMP054E Incomplete fileid specified");
    for (int i = 0; rc == 0 && i < 2; i++) {
        const char *const *w = arg->word + 3 * i;
        rc = cms_fileid(&id[i], w[0], w[1], w[2], 'A');
        if (rc != 0)
            rc = cms_fileid_error("CMP", rc, w[0], w[1], w[2]);
    }
    for (int i = 0; rc == 0 && i < 2; i++)
        if ((f[i] = cms_open(&id[i], &code)) == 0)
            rc = cms_file_error("CMP", code, &id[i]);
    if (rc != 0)
        return rc;
    cms_say("DMSCMP179I Comparing %s %s %c with %s %s %c", id[0].fn, id[0].ft, id[0].letter,
            id[1].fn, id[1].ft, id[1].letter);
    return files(f, id, &c);
}
