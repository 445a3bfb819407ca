/* SPDX-License-Identifier: MIT */
/* SPOOL RDR|PRT|PUN|CONSOLE|vaddr options: how a device's files are made, and whose they are. */
#include "select.h"
#include "lib.h"

enum { CLOSE_IT = 1, PURGE_IT = 2, START_IT = 4, STOP_IT = 8 };

static int whose(struct cmd *c, struct spool_device *to, bool reader)
{
    char *whole = c->args;
    char word[USERID_WORD];

    to->to_reader = reader;
    to->to[0] = 0;
    cmd_word(c, word, sizeof(word));
    if (strcmp(word, "SYSTEM") == 0 || (!reader && strcmp(word, "*") == 0))
        return 0;
    c->args = whole;
    return select_user(c, "CSP", to->to);
}

static bool class_of(struct cmd *c, struct spool_device *to, bool reader)
{
    if (!reader || *c->args != '*')
        return select_class(c, "CSP", &to->class);
    char word[4];
    cmd_word(c, word, sizeof(word));
    to->class = '*';
    return true;
}

/* An option of every device; -1: it is none. */
static int common(struct cmd *c, const char *word, struct spool_device *to, bool reader)
{
    if (cmd_is(word, "CLASS", 2))
        return class_of(c, to, reader) ? 0 : 28;
    if (cmd_is(word, "HOLD", 2) || cmd_is(word, "NOHOLD", 4))
        to->hold = word[0] == 'H';
    else if (!reader && (cmd_is(word, "CONT", 3) || cmd_is(word, "NOCONT", 3)))
        to->cont = word[0] == 'C';
    else
        return reader && (cmd_is(word, "EOF", 2) || cmd_is(word, "NOCONT", 3)) ? 0 : -1;
    return 0;
}

static int output(struct cmd *c, const char *word, struct spool_device *to, int *end)
{
    bool console = to->vaddr == c->vm->spool[DEV_CON].vaddr;

    if (cmd_is(word, "COPY", 2))
        return select_copies(c, "CSP", &to->copies) ? 0 : 30;
    if (cmd_is(word, "DIST", 2))
        return select_dist(c, "CSP", to->dist) ? 0 : 32;
    if (strcmp(word, "TO") == 0 || strcmp(word, "T") == 0)
        return whose(c, to, true);
    if (cmd_is(word, "FOR", 3))
        return whose(c, to, false);
    if (strcmp(word, "OFF") == 0) {
        to->to[0] = 0;
    } else if (strcmp(word, "*") == 0) { /* TO may be left out */
        to->to_reader = true;
        fmt(to->to, sizeof(to->to), "%s", c->vm->userid);
    } else if (cmd_is(word, "CLOSE", 3))
        *end |= CLOSE_IT;
    else if (cmd_is(word, "PURGE", 2))
        *end |= PURGE_IT;
    else if (console && (cmd_is(word, "START", 3) || cmd_is(word, "STOP", 3)))
        *end |= word[2] == 'A' ? START_IT : STOP_IT;
    else
        return -1;
    return 0;
}

int cmd_spool(struct cmd *c)
{
    char word[10];
    struct spool_device *d;
    int end = 0;

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCSP026E OPERAND MISSING OR INVALID");
    int rc = spool_device_word(c, "CSP", word, &d);
    if (rc != 0)
        return rc;
    if (!*c->args)
        return cmd_error(c, 26, "DMKCSP026E OPERAND MISSING OR INVALID");
    struct spool_device to = *d;
    bool reader = d == &c->vm->spool[DEV_RDR];
    while (rc == 0 && cmd_word(c, word, sizeof(word))) {
        rc = common(c, word, &to, reader);
        if (rc < 0 && !reader)
            rc = output(c, word, &to, &end);
        if (rc < 0)
            rc = cmd_bad_option(c, "CSP", word);
    }
    if (rc != 0)
        return rc;
    *d = to;
    if (end & (START_IT | STOP_IT))
        c->vm->keep_console = (end & START_IT) != 0;
    if ((end & (CLOSE_IT | PURGE_IT)) && d->out)
        spool_close(c->vm, d, (end & PURGE_IT) != 0);
    return 0;
}
