/* SPDX-License-Identifier: MIT */
/* STATE, ESTATE fn ft [fm]: is there such a file? STATEW, ESTATEW: and on a
 * disk that can be written? They answer by their return code: 0, 28 not found, 36 disk not
 * accessed. */
#include "commands.h"

static int state(struct cms_arg *arg, bool writable)
{
    struct cms_fileid id, found;
    struct cms_match m;
    struct fs_stat st;
    int code = cms_fileid_operands("STT", arg, 2, 3, '*', &id);

    if (code != 0)
        return code;
    cms_match_start(&m, &id);
    while ((code = cms_match_next(&m, &found, &st)) == FS_OK)
        if (!writable || m.disk->writable)
            return 0;
    return cms_file_error("STT", code == FS_EOF ? FS_E_NOTFOUND : code, &id);
}

CMS_COMMAND("STATE", 2, cmd_state);
CMS_COMMAND("ESTATE", 6, cmd_state);
int cmd_state(struct cms_arg *arg)
{
    return state(arg, false);
}

CMS_COMMAND("STATEW", 6, cmd_statew);
CMS_COMMAND("ESTATEW", 7, cmd_statew);
int cmd_statew(struct cms_arg *arg)
{
    return state(arg, true);
}
