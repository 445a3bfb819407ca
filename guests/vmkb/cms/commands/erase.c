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

    code = cms_fileid_operands("ERS", arg, 2, 3, 'A', &id);
    if (code == 0)
        code = cms_option_type("ERS", arg, &type);
    if (code != 0)
        return code;
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
