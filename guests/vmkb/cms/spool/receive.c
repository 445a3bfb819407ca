/* SPDX-License-Identifier: MIT */
/* RECEIVE [spoolid] [fn [ft [fm]]] [(REPLACE]: the file that the reader has, whatever sent it.
 * PEEKREAD is PEEK's: the same file, which stays. */
#include "commands.h"
#include "deck.h"
#include "nucleus.h"

static bool same(const char *word)
{
    return !*word || strcmp(word, "=") == 0;
}

/* [spoolid] fn ft fm: what is left out comes from the file. */
static int operands(struct cms_arg *arg, struct deck *d, uint32_t *spoolid)
{
    int at = arg->n && cms_number(arg->word[0], spoolid) ? 1 : 0;
    const char *fn = arg->word[at], *ft = arg->word[at + 1];

    for (int i = 0; i < arg->options; i++) {
        if (!cms_is(arg->option[i], "REPLACE", 3))
            return cms_bad_option("RDR", arg->option[i]);
        d->replace = true;
    }
    if (arg->n > at + 3)
        return cms_error(24, "DMSRDR070E Invalid parameter %s", arg->word[at + 3]);
    if (arg->n == 1 && !at)
        return cms_error(24, "DMSRDR054E Incomplete fileid specified");
    const char *fm = same(arg->word[at + 2]) ? "" : arg->word[at + 2];
    bool any_fn = same(fn), any_ft = same(ft);
    d->named = !any_fn && !any_ft;
    fn = any_fn ? "RECEIVED" : fn;
    ft = any_ft ? "FILE" : ft;
    int rc = cms_fileid(&d->id, fn, ft, fm, 'A');
    if (rc == 0)
        d->asked = d->id;
    if (any_fn)
        d->asked.fn[0] = 0;
    if (any_ft)
        d->asked.ft[0] = 0;
    return rc ? cms_fileid_error("RDR", rc, fn, ft, fm) : 0;
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

static int whole(struct deck *d, char was[24])
{
    return netdata_is(d) ? netdata_read(d, was) : dumped_is(d) ? dumped_read(d, was) : deck_copy(d);
}

static int take(struct deck *d)
{
    char from[9], was[24];
    int rc;

    name_of_spool(d);
    name_string(from, d->about.origin);
    fmt(was, sizeof(was), "%s %s A1", d->id.fn, d->id.ft);
    rc = whole(d, was);
    cards_done(rc != 0);
    if (d->out)
        cms_close(d->out);
    if (rc == 0 && d->append)
        cms_say("Note %s from %s added to %s %s %c", was, from, d->id.fn, d->id.ft, d->id.letter);
    else if (rc == 0)
        cms_say("File %s %s %c1 %s from %s received from %s at %.8s", d->id.fn, d->id.ft,
                d->id.letter, d->replace ? "replaced or created" : "created", was, from,
                cms_state.id.node);
    return rc;
}

/* The reader's first file, or the one of that number, which is put first. */
static int open_file(struct deck *d, uint32_t spoolid)
{
    char line[400];
    unsigned got;
    int rc = 0;

    if (spoolid) {
        int n = fmt(line, sizeof(line), "ORDER RDR %u", spoolid);
        if (cms_cp(line, (unsigned)n, line, sizeof(line), &got) != 0)
            return cms_error(28, "DMS%s671E There is no reader file %04u", d->module, spoolid);
    }
    rc = deck_open(d);
    if (rc == 0 && spoolid && d->about.id != spoolid) {
        cards_done(true);
        rc = cms_error(28, "DMS%s671E Reader file %04u is held or of another class", d->module,
                       spoolid);
    }
    return rc;
}

CMS_COMMAND("RECEIVE", 3, cmd_receive);
int cmd_receive(struct cms_arg *arg)
{
    struct deck *d = cms_alloc(sizeof(*d));
    uint32_t spoolid = 0;

    if (!d)
        return cms_error(104, "DMSRDR109S Virtual storage capacity exceeded");
    *d = (struct deck){.module = "RDR"};
    int rc = operands(arg, d, &spoolid);
    if (rc == 0)
        rc = open_file(d, spoolid);
    return rc ? rc : take(d);
}

/* For PEEK: the records in a buffer of the stack. The first line says how many they are, the file's
 * number, its name, who sent it, its form and how many records CP counts. */
CMS_COMMAND("PEEKREAD", 8, cmd_peekread);
int cmd_peekread(struct cms_arg *arg)
{
    struct deck *d = cms_alloc(sizeof(*d));
    uint32_t spoolid = 0;
    char was[24], from[9], form[8], line[100];

    if (!d)
        return cms_error(104, "DMSPEK109S Virtual storage capacity exceeded");
    *d = (struct deck){.module = "PEK", .peek = true};
    if (!cms_number(arg->word[0], &spoolid) || !cms_number(arg->word[1], &d->from)
        || !cms_number(arg->word[2], &d->count))
        return cms_error(24, "DMSPEK070E Invalid parameter %s", arg->rest);
    int rc = open_file(d, spoolid);
    if (rc != 0)
        return rc;
    name_of_spool(d);
    if (netdata_is(d))
        fmt(form, sizeof(form), "NETDATA");
    else if (dumped_is(d))
        fmt(form, sizeof(form), "DUMP");
    else if (deck_header(d))
        fmt(form, sizeof(form), "PUNCH");
    else
        fmt(form, sizeof(form), "%.3s", d->about.made_by);
    fmt(was, sizeof(was), "%s %s A1", *d->id.fn ? d->id.fn : "(none)",
        *d->id.ft ? d->id.ft : "(none)");
    rc = whole(d, was);
    cards_done(true);
    name_string(from, d->about.origin);
    int n = fmt(line, sizeof(line), "%u %04u %s %s %s %u", d->stacked, d->about.id, was, from,
                form, d->about.records);
    return rc ? rc : cms_stack_put(true, line, (unsigned)n);
}
