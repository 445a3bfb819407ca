/* SPDX-License-Identifier: MIT */
/* SENDFILE fn ft [fm] TO user ... [(TYPE|NOTYPE]: a file as NETDATA to other users' readers;
 * a user may be a nickname of the file userid NAMES.
 * RECEIVE [spoolid] [fn [ft [fm]]] [(REPLACE]: the file that the reader has, whatever sent it. */
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
    for (; rc == 0 && to < arg->n; to++)
        rc = names_users(&names, "SDS", arg->word[to], &users);
    for (int i = 0; i < users.n && rc != 24; i++) {
        int one = send(&id, &st, users.user[i], type);
        rc = one ? one : rc;
    }
    return rc;
}

/* [spoolid] fn ft fm: what is left out comes from the file. */
static int operands(struct cms_arg *arg, struct deck *d, uint32_t *spoolid)
{
    int at = arg->n && cms_number(arg->word[0], spoolid) ? 1 : 0;
    const char *fn = arg->word[at], *ft = arg->word[at + 1];

    d->named = arg->n > at + 1;
    for (int i = 0; i < arg->options; i++) {
        if (!cms_is(arg->option[i], "REPLACE", 3))
            return cms_error(24, "DMSRDR003E Invalid option: %s", arg->option[i]);
        d->replace = true;
    }
    if (arg->n > at + 3)
        return cms_error(24, "DMSRDR070E Invalid parameter %s", arg->word[at + 3]);
    if (arg->n == at + 1)
        return cms_error(24, "DMSRDR054E Incomplete fileid specified");
    fn = d->named ? fn : "RECEIVED";
    ft = d->named ? ft : "FILE";
    int rc = cms_fileid(&d->id, fn, ft, arg->word[at + 2], 'A');
    return rc ? cms_fileid_error("RDR", rc, fn, ft, arg->word[at + 2]) : 0;
}

/* A file that says nothing of itself is called what its sender's CLOSE called it. */
static void name_of_spool(struct deck *d)
{
    struct cms_fileid id;
    char fn[13], ft[13];

    fmt(fn, sizeof(fn), "%.12s", d->about.name);
    fmt(ft, sizeof(ft), "%.12s", d->about.name + 12);
    fn[blank_trim(fn, 12)] = 0;
    ft[blank_trim(ft, 12)] = 0;
    if (!d->named && cms_fileid(&id, fn, ft, 0, d->id.letter) == 0) {
        memcpy(d->id.fn, id.fn, sizeof(id.fn));
        memcpy(d->id.ft, id.ft, sizeof(id.ft));
    }
}

static int take(struct deck *d)
{
    char from[9], was[24];
    int rc;

    name_of_spool(d);
    name_string(from, d->about.origin);
    fmt(was, sizeof(was), "%s %s A1", d->id.fn, d->id.ft);
    rc = netdata_is(d) ? netdata_read(d, was) : deck_copy(d);
    cards_done(rc != 0);
    if (rc == 0)
        cms_say("File %s %s %c1 %s from %s received from %s at %.8s", d->id.fn, d->id.ft,
                d->id.letter, d->replace ? "replaced or created" : "created", was, from,
                cms_state.id.node);
    return rc;
}

CMS_COMMAND("RECEIVE", 3, cmd_receive);
int cmd_receive(struct cms_arg *arg)
{
    struct deck *d = cms_alloc(sizeof(*d));
    char line[40];
    uint32_t spoolid = 0;

    if (!d)
        return cms_error(104, "DMSRDR109S Virtual storage capacity exceeded");
    *d = (struct deck){.module = "RDR"};
    int rc = operands(arg, d, &spoolid);
    if (rc == 0 && spoolid) {
        unsigned got;
        int n = fmt(line, sizeof(line), "ORDER RDR %u", spoolid);
        if (cms_cp(line, (unsigned)n, line, sizeof(line), &got) != 0)
            rc = cms_error(28, "DMSRDR671E There is no reader file %04u", spoolid);
    }
    if (rc == 0)
        rc = deck_open(d);
    if (rc == 0 && spoolid && d->about.id != spoolid) {
        cards_done(true);
        rc = cms_error(28, "DMSRDR671E Reader file %04u is held or of another class", spoolid);
    }
    return rc ? rc : take(d);
}
