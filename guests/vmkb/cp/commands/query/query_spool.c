/* SPDX-License-Identifier: MIT */
/* QUERY FILES; QUERY READER, PRINTER and PUNCH [ALL|CLASS c|spoolid], in z/VM's columns as its
 * spoolids are each user's. */
#include "query.h"
#include "lib.h"
#include "spool/select.h"

int query_files(struct cmd *c)
{
    char line[LINE_MAX];

    if (cmd_end(c, "CQR") != 0)
        return 3;
    spool_counts(c->vm->userid, line, sizeof(line));
    cmd_say(c, "%s", line);
    return 0;
}

/* QUERY MAXSPOOL [userid (A, D)] */
int query_maxspool(struct cmd *c)
{
    char word[USERID_WORD];
    struct spool_share s;

    cmd_word(c, word, sizeof(word));
    bool own = !word[0] || strcmp(word, "*") == 0 || strcmp(word, c->vm->userid) == 0;
    if (!own && !(c->vm->classes & (CLASS(CLASS_A) | CLASS(CLASS_D))))
        return cmd_bad_option(c, "CQR", word);
    if (cmd_end(c, "CQR") != 0)
        return 3;
    const char *who = own ? c->vm->userid : word;
    spool_get_share(spool_key(who), spool_aside(spool_key(who)), &s);
    cmd_say(c, "%-8s FILES %04u OF %04u, PAGES %05u OF %05u, MAXSPOOL %u PERCENT", who, s.files,
            s.most_files, s.pages, s.most_pages, s.percent);
    return 0;
}

static void say_file(struct cmd *c, const struct spool_file *f, bool all)
{
    const struct spool_entry *e = &f->e;
    bool dsname = e->name[9] != ' ';
    char line[LINE_MAX], stamp[24];
    int n = fmt(line, sizeof(line), "%-8.8s %04u %c %s %08u %03u %-4s", (const char *)&e->origin,
                e->id, e->class, maker_names[e->made_by], e->records, e->copies,
                e->hold ? "USER" : "NONE");

    date_format(e->created, stamp);
    if (all)
        fmt(line + n, sizeof(line) - (size_t)n, " %.5s %.8s %.*s %.*s %.8s", stamp, stamp + 9,
            dsname ? 18 : 9, e->name, dsname ? 0 : 8, e->name + 12, e->dist);
    cmd_say(c, "%s", line);
}

static int list(struct cmd *c, uint8_t queue)
{
    struct selection s = {.queue = queue};
    char word[10];
    int rc = 0;

    bool all = cmd_word(c, word, sizeof(word));
    if (all && strcmp(word, "*") == 0) /* one's own, as z/VM has it: there are no others to see */
        all = cmd_word(c, word, sizeof(word));
    if (all && (rc = select_files(c, "CQR", word, &s)) == 0)
        rc = cmd_end(c, "CQR");
    if (rc != 0)
        return rc;
    all = all && !s.class;   /* all columns */
    struct spool_file *f = select_next(c, &s, 0);
    if (!f && s.id)
        return cmd_error(c, 42, "DMKCQR042E SPOOLID %04u DOES NOT EXIST", s.id);
    if (!f) {
        cmd_say(c, "NO %s FILES", queue_names[queue]);
        return 0;
    }
    cmd_say(c, "ORIGINID FILE CLASS RECORDS  CPY HOLD%s",
            all ? " DATE  TIME     NAME      TYPE     DIST" : "");
    for (; f; f = select_next(c, &s, f))
        say_file(c, f, all);
    return 0;
}

int query_reader(struct cmd *c)
{
    return list(c, SPOOL_RDR);
}

int query_printer(struct cmd *c)
{
    return list(c, SPOOL_PRT);
}

int query_punch(struct cmd *c)
{
    return list(c, SPOOL_PUN);
}
