/* SPDX-License-Identifier: MIT */
/* SENDFILE fn ft [fm] TO user [AT node] ... [(TYPE|NOTYPE]: a file as NETDATA to other users'
 * readers; a user may be a nickname of the file userid NAMES. */
#include "commands.h"
#include "deck.h"
#include "people.h"
#include "nucleus.h"

static int send(struct cms_fileid *id, const struct fs_stat *st, const char *to, bool type)
{
    struct diag_time t;
    char closing[64], node[9];
    int code;
    struct cms_file *f = cms_open(id, &code);
    struct cards_out *o = f ? cards_open(CARDS_PUN) : 0;

    if (!o)
        return cms_file_error("SDS", f ? CMS_E_STORAGE : code, id);
    code = netdata_write(o, f, st, to);
    cms_close(f);
    if (code != FS_OK || cms_halted())
        fmt(closing, sizeof(closing), "PURGE");
    else
        fmt(closing, sizeof(closing), "TO %s NAME %s %s", to, id->fn, id->ft);
    int rc = cards_close(o, "SDS", closing);
    if (code != FS_OK)
        return cms_file_error("SDS", code, id);
    if (rc == 0 && type && !cms_halted()) {
        diag_time(&t);
        name_string(node, cms_state.id.node);
        cms_say("File %s %s %c%d sent to %s at %s on %.8s %.8s", id->fn, id->ft, id->letter,
                st->mode, to, node, t.date, t.time);
    }
    return rc;
}

CMS_COMMAND("SENDFILE", 5, cmd_sendfile);
int cmd_sendfile(struct cms_arg *arg)
{
    struct cms_fileid id;
    struct fs_stat st;
    bool type = true;
    int to = 2, code, rc = cms_option_type("SDS", arg, &type);

    if (rc == 0 && arg->n < 3)
        rc = cms_error(24, "DMSSDS054E Incomplete fileid specified");
    if (rc != 0)
        return rc;
    const char *mode = strlen(arg->word[2]) <= 2 && strcmp(arg->word[2], "TO") != 0 ? arg->word[2]
                                                                                      : "*";
    to += mode == arg->word[2];
    to += strcmp(arg->word[to], "TO") == 0;
    if (to >= arg->n)
        return cms_error(24, "DMSSDS647E No userid specified");
    rc = cms_fileid(&id, arg->word[0], arg->word[1], mode, '*');
    if (rc != 0)
        return cms_fileid_error("SDS", rc, arg->word[0], arg->word[1], mode);
    if ((code = cms_find(&id, &st, 0)) != FS_OK)
        return cms_file_error("SDS", code, &id);
    struct names_users users = {.n = 0};
    struct names names;
    rc = names_read(&names, "SDS", cms_userid());
    for (; rc == 0 && to < arg->n; to++) {
        rc = names_users(&names, "SDS", arg->word[to], &users);
        if (rc == 0 && to + 2 < arg->n && strcmp(arg->word[to + 1], "AT") == 0)
            rc = names_node("SDS", arg->word[to += 2]);
    }
    for (int i = 0; i < users.n && rc != 24; i++) {
        int one = send(&id, &st, users.user[i], type);
        rc = one ? one : rc;
    }
    return rc;
}
