/* SPDX-License-Identifier: MIT */
/* ERASE fn ft [fm] [(TYPE]: files that match are removed, one commit each. TYPE names them. */
#include "commands.h"

CMS_COMMAND("ERASE", 5, cmd_erase);
int cmd_erase(struct cms_arg *arg)
{
    struct cms_fileid id, found;
    struct cms_match m;
    struct fs_stat st;
    bool type = false;
    unsigned erased = 0, read_only = 0;
    int code;

    if (arg->n < 2)
        return cms_error(24, "DMSERS054E Incomplete fileid specified");
    if (arg->n > 3)
        return cms_error(24, "DMSERS070E Invalid parameter %s", arg->word[3]);
    for (int i = 0; i < arg->options; i++) {
        if (cms_is(arg->option[i], "TYPE", 1))
            type = true;
        else if (!cms_is(arg->option[i], "NOTYPE", 3))
            return cms_error(24, "DMSERS003E Invalid option: %s", arg->option[i]);
    }
    switch (cms_fileid(&id, arg->word[0], arg->word[1], arg->word[2], 'A')) {
    case 20:
        return cms_error(20, "DMSERS062E Invalid character in fileid %s %s", arg->word[0],
                         arg->word[1]);
    case 24:
        return cms_error(24, "DMSERS048E Invalid filemode %s", arg->word[2]);
    }
    cms_match_start(&m, &id);
    while ((code = cms_match_next(&m, &found, &st)) == FS_OK) {
        if (!m.disk->writable) {
            read_only++;
            continue;
        }
        code = fs_erase(&m.disk->fs, &st.name);
        if (code != FS_OK)
            return cms_file_error("ERS", code, &found);
        erased++;
        if (type)
            cms_say("%-8s %-8s %c%d", found.fn, found.ft, found.letter, found.number);
    }
    if (code == CMS_E_NOTACCESSED)
        return cms_file_error("ERS", code, &id);
    if (erased)
        return 0;
    if (read_only)
        return cms_file_error("ERS", FS_E_READONLY, &id);
    return cms_error(28, "DMSERS002E File %s %s %c not found", id.fn, id.ft, id.letter);
}
