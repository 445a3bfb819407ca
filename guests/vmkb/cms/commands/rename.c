/* SPDX-License-Identifier: MIT */
/* RENAME fn ft fm fn ft fm [(TYPE]: = in the new name is taken from the old one; * and % in the old
 * one mean each file that matches. */
#include "commands.h"

static int one(struct cms_arg *arg, struct cms_disk *d, const struct cms_fileid *old, bool type)
{
    struct cms_fileid new;
    struct fs_name from, to;

    switch (cms_new_fileid(&new, arg->word[3], arg->word[4], arg->word[5], old)) {
    case 20:
        return cms_error(20, "DMSRNM062E Invalid character in fileid %s %s", arg->word[3],
                         arg->word[4]);
    case 24:
        return cms_error(24, "DMSRNM048E Invalid filemode %s", arg->word[5]);
    }
    if (new.letter != old->letter)
        return cms_error(24, "DMSRNM051E Invalid filemode change %s", arg->word[5]);
    if (!d->writable)
        return cms_file_error("RNM", FS_E_READONLY, old);
    fs_name_set(&from, old->fn, old->ft);
    fs_name_set(&to, new.fn, new.ft);
    int code = fs_rename(&d->fs, &from, &to, (uint8_t)new.number);
    if (code != FS_OK)
        return cms_file_error("RNM", code, &new);
    if (type)
        cms_say("%-8s %-8s %c%d", new.fn, new.ft, new.letter, new.number);
    return 0;
}

CMS_COMMAND("RENAME", 1, cmd_rename);
int cmd_rename(struct cms_arg *arg)
{
    struct cms_fileid id, found;
    struct cms_match m;
    struct fs_stat st;
    bool type = false;
    unsigned renamed = 0;
    int code, rc;

    if (arg->n < 6)
        return cms_error(24, "DMSRNM054E Incomplete fileid specified");
    if (arg->n > 6)
        return cms_error(24, "DMSRNM070E Invalid parameter %s", arg->word[6]);
    for (int i = 0; i < arg->options; i++) {
        if (cms_is(arg->option[i], "TYPE", 1))
            type = true;
        else if (!cms_is(arg->option[i], "NOTYPE", 3))
            return cms_error(24, "DMSRNM003E Invalid option: %s", arg->option[i]);
    }
    switch (cms_fileid(&id, arg->word[0], arg->word[1], arg->word[2], 'A')) {
    case 20:
        return cms_error(20, "DMSRNM062E Invalid character in fileid %s %s", arg->word[0],
                         arg->word[1]);
    case 24:
        return cms_error(24, "DMSRNM048E Invalid filemode %s", arg->word[2]);
    }
    cms_match_start(&m, &id);
    while ((code = cms_match_next(&m, &found, &st)) == FS_OK) {
        rc = one(arg, m.disk, &found, type);
        if (rc != 0)
            return rc;
        renamed++;
    }
    if (code == CMS_E_NOTACCESSED || !renamed)
        return cms_file_error("RNM", code == FS_EOF ? FS_E_NOTFOUND : code, &id);
    return 0;
}
