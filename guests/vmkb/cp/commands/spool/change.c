/* SPDX-License-Identifier: MIT */
/* CHANGE RDR|PRT|PUN spoolid|CLASS c|ALL [CLASS c] [COPY nn] [HOLD|NOHOLD] [DIST code]
 * [NAME fn [ft]]: of files that are filed. */
#include "select.h"
#include "lib.h"

struct changes {
    char class, dist[9], name[SPOOL_NAME];
    uint8_t copies;
    bool hold, nohold, named;
};

/* 0, or the number of the message. */
static int option(struct cmd *c, const char *word, struct changes *to)
{
    if (cmd_is(word, "CLASS", 2))
        return select_class(c, "CSV", &to->class) ? 0 : 28;
    if (cmd_is(word, "COPY", 2))
        return select_copies(c, "CSV", &to->copies) ? 0 : 30;
    if (cmd_is(word, "DIST", 2))
        return select_dist(c, "CSV", to->dist) ? 0 : 32;
    if (cmd_is(word, "NAME", 2))
        return (to->named = select_name(c, "CSV", to->name)) ? 0 : 29;
    to->hold |= cmd_is(word, "HOLD", 2);
    to->nohold |= cmd_is(word, "NOHOLD", 4);
    if (to->hold && to->nohold)
        return cmd_error(c, 13, "DMKCSV013E CONFLICTING OPTION - %s", word);
    if (!cmd_is(word, "HOLD", 2) && !cmd_is(word, "NOHOLD", 4))
        return cmd_bad_option(c, "CSV", word);
    return 0;
}

static void change(struct spool_file *f, const struct changes *to)
{
    struct spool_entry *e = &f->e;

    if (to->class)
        e->class = to->class;
    if (to->copies)
        e->copies = to->copies;
    if (to->hold || to->nohold)
        e->hold = to->hold;
    if (to->nohold)
        spool_look();
    if (to->dist[0]) {
        memset(e->dist, ' ', sizeof(e->dist));
        memcpy(e->dist, to->dist, strlen(to->dist));
    }
    if (to->named)
        memcpy(e->name, to->name, sizeof(e->name));
    spool_changed(f);
}

int cmd_change(struct cmd *c)
{
    struct selection s = {.queue = select_queue(c, "CSV")};
    struct changes to = {0};
    char word[10];
    unsigned n = 0;

    if (!s.queue)
        return 35;
    cmd_word(c, word, sizeof(word));
    int rc = select_files(c, "CSV", word, &s);
    if (rc == 0 && !*c->args)
        return cmd_error(c, 26, "DMKCSV026E OPERAND MISSING OR INVALID");
    while (rc == 0 && cmd_word(c, word, sizeof(word)))
        rc = option(c, word, &to);
    if (rc != 0)
        return rc;
    struct spool_file *f = select_next(c, &s, 0);
    if (!f && s.id)
        return cmd_error(c, 42, "DMKCSV042E SPOOLID %04u DOES NOT EXIST", s.id);
    for (; f; f = select_next(c, &s, f))
        if (f->state == SPOOL_FILED) {
            change(f, &to);
            n++;
        }
    select_told(c, n, "CHANGED");
    return 0;
}
