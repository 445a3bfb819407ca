/* SPDX-License-Identifier: MIT */
/* CLOSE RDR|PRT|PUN|CONSOLE|vaddr [HOLD|NOHOLD] [PURGE] [TO userid] [DIST code] [NAME fn [ft]]: the
 * file that the device reads is done with, the one that it writes is filed. (TO is z/VM's.) */
#include "select.h"
#include "lib.h"

struct closing {
    char dist[9], name[SPOOL_NAME], to[USERID_WORD];
    bool hold, nohold, purge, named;
};

static int option(struct cmd *c, const char *word, struct closing *to)
{
    if (cmd_is(word, "HOLD", 2))
        to->hold = true;
    else if (cmd_is(word, "NOHOLD", 4))
        to->nohold = true;
    else if (cmd_is(word, "PURGE", 2))
        to->purge = true;
    else if (strcmp(word, "TO") == 0)
        return select_user(c, "CSP", to->to);
    else if (cmd_is(word, "DIST", 2))
        return select_dist(c, "CSP", to->dist) ? 0 : 32;
    else if (cmd_is(word, "NAME", 1))
        return (to->named = select_name(c, "CSP", to->name)) ? 0 : 29;
    else
        return cmd_bad_option(c, "CSP", word);
    if (to->hold && to->nohold)
        return cmd_error(c, 13, "DMKCSP013E CONFLICTING OPTION - %s", word);
    return 0;
}

/* SPOOL's settings hold for the files that come: CLOSE's for this one. */
static void close_out(struct cmd *c, struct spool_device *d, const struct closing *to)
{
    struct spool_device kept = *d;

    if (to->hold || to->nohold)
        d->hold = to->hold;
    if (to->to[0]) {
        d->to_reader = 1;
        memcpy(d->to, to->to, sizeof(d->to));
    }
    if (to->dist[0])
        memcpy(d->dist, to->dist, sizeof(d->dist));
    if (to->named)
        memcpy(spool_name(d), to->name, SPOOL_NAME);
    spool_close(c->vm, d, to->purge);
    kept.out = 0;
    *d = kept;
}

int cmd_close(struct cmd *c)
{
    struct closing to = {0};
    char word[10];
    struct spool_device *d;

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCSP026E OPERAND MISSING OR INVALID");
    int rc = spool_device_word(c, "CSP", word, &d);
    while (rc == 0 && cmd_word(c, word, sizeof(word)))
        rc = option(c, word, &to);
    if (rc != 0)
        return rc;
    if (d->in && to.nohold)
        d->hold = 0;
    if (d->in)
        spool_close_in(c->vm, d, to.hold);
    else if (d->out && (!d->cont || to.purge))
        close_out(c, d, &to); /* SPOOL CONT: CLOSE ends no file, what comes goes on in it */
    return 0;
}
