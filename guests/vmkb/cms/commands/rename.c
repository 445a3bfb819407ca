/* SPDX-License-Identifier: MIT */
/* RENAME fn ft fm fn ft fm [(TYPE]: = in the new name is taken from the old one; * and % in the old
 * one mean each file that matches. */
#include "commands.h"

static int one(struct cms_arg *arg, struct cms_disk *d, const struct cms_fileid *old, bool type)
{
    struct cms_fileid new;
    struct fs_name from, to;

    int rc =
        cms_fileid_error("RNM", cms_new_fileid(&new, arg->word[3], arg->word[4], arg->word[5], old),
                         arg->word[3], arg->word[4], arg->word[5]);
    if (rc != 0)
        return rc;
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
    int code, rc = cms_fileid_operands("RNM", arg, 6, 6, 'A', &id);

    if (rc == 0)
        rc = cms_option_type("RNM", arg, &type);
    if (rc != 0)
        return rc;
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
