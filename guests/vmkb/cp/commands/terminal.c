/* SPDX-License-Identifier: MIT */
/* TERMINAL LINEND ON|OFF|char, and for a machine on a display MORE n1 n2 | HILIGHT ON|OFF |
 * LINESIZE 80; options that have one value; and QUERY TERMINAL. */
#include "commands.h"
#include "ctype.h"
#include "display.h"
#include "lib.h"
#include "query/query.h"

#define MORE_MAX 255         /* seconds */
#define LINESIZE_MAX 255

static int missing(struct cmd *c)
{
    return cmd_error(c, 26, "DMKCFT026E OPERAND MISSING OR INVALID");
}

static int invalid(struct cmd *c, const char *word)
{
    if (cmd_option_absent(c->table->name, word))
        return cmd_bad_option(c, "CFT", word);
    return cmd_error(c, 2, "DMKCFT002E INVALID OPERAND - %s", word);
}

/* What VM has and takes, and is not here. */
static int other(struct cmd *c, const char *option, const char *value)
{
    return cmd_error(c, 7, "DMKCFT007E %s %s IS NOT IN VM/KB", option, value);
}

static int set_more(struct cmd *c, struct display *d)
{
    char one[8], two[8] = "";
    uint32_t more, hold;

    if (!cmd_word(c, one, sizeof(one)))
        return missing(c);
    if (!cmd_number(one, &more) || more > MORE_MAX)
        return invalid(c, one);
    hold = d->hold_secs;
    if (cmd_word(c, two, sizeof(two)) && (!cmd_number(two, &hold) || hold > MORE_MAX))
        return invalid(c, two);
    display_set_more(d, more, hold);
    return 0;
}

static int set_hilight(struct cmd *c, struct display *d)
{
    char word[8];

    if (!cmd_word(c, word, sizeof(word)))
        return missing(c);
    if (strcmp(word, "ON") != 0 && strcmp(word, "OFF") != 0)
        return invalid(c, word);
    display_set_hilight(d, strcmp(word, "ON") == 0);
    return 0;
}

static int set_linesize(struct cmd *c, const struct display *d)
{
    char word[8];
    uint32_t n;

    if (!cmd_word(c, word, sizeof(word)))
        return missing(c);
    bool number = cmd_number(word, &n);
    if (number && n == d->cols)
        return 0;
    return (number && n >= 1 && n <= LINESIZE_MAX) || strcmp(word, "OFF") == 0
               ? other(c, "LINESIZE", word)
               : invalid(c, word);
}

static int set_linend(struct cmd *c)
{
    char word[8];

    if (!cmd_word(c, word, sizeof(word)))
        return missing(c);
    if (strcmp(word, "ON") == 0)
        c->vm->linend = LINEND;
    else if (strcmp(word, "OFF") == 0)
        c->vm->linend = 0;
    else if (!word[1] && !is_alnum(word[0]))
        c->vm->linend = word[0];
    else
        return invalid(c, word);
    return 0;
}

/* What elsewhere can be set has one value here. */
static const struct {
    const char *name;
    size_t min;
    const char *value;
} fixed[] = {{"LINEDEL", 5, "OFF"}, {"CHARDEL", 4, "OFF"}, {"ESCAPE", 2, "OFF"},
             {"TABCHAR", 4, "OFF"}, {"ATTN", 2, "OFF"},    {"APL", 3, "OFF"},
             {"TEXT", 4, "OFF"},    {"MODE", 4, "VM"},     {"BRKKEY", 3, "PA1"},
             {"HOLD", 3, "ON"}};

static int set_fixed(struct cmd *c, const char *word)
{
    char value[8];

    for (unsigned i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
        if (cmd_is(word, fixed[i].name, fixed[i].min)) {
            if (!cmd_word(c, value, sizeof(value)))
                return missing(c);
            if (strcmp(value, fixed[i].value) == 0)
                return 0;
            return strcmp(value, "ON") == 0 || strcmp(value, "OFF") == 0
                       ? other(c, fixed[i].name, value)
                       : invalid(c, value);
        }
    return -1;
}

int cmd_terminal(struct cmd *c)
{
    char word[12];
    struct display *d = terminal_display(c->vm->term);
    int rc = 0;

    if (!cmd_word(c, word, sizeof(word)))
        return missing(c);
    while (rc == 0) {
        if (cmd_is(word, "LINEND", 4))
            rc = set_linend(c);
        else if ((rc = set_fixed(c, word)) >= 0)
            ;
        else if (!d)
            return cmd_error(c, 6, "DMKCFT006E INVALID DEVICE TYPE - THE CONSOLE IS NOT A 3270");
        else if (cmd_is(word, "MORE", 4))
            rc = set_more(c, d);
        else if (cmd_is(word, "HILIGHT", 4))
            rc = set_hilight(c, d);
        else if (cmd_is(word, "LINESIZE", 5))
            rc = set_linesize(c, d);
        else
            return invalid(c, word);
        if (!cmd_word(c, word, sizeof(word)))
            break;
    }
    return rc;
}

int query_terminal(struct cmd *c)
{
    const struct display *d = terminal_display(c->vm->term);

    char linend[4] = "OFF";

    if (c->vm->linend)
        fmt(linend, sizeof(linend), "%c  ", c->vm->linend);
    cmd_say(c, "LINEND %s, LINEDEL OFF, CHARDEL OFF, ESCAPE OFF, TABCHAR OFF", linend);
    cmd_say(c, "LINESIZE %03d, ATTN OFF, APL OFF, TEXT OFF, MODE VM, HILIGHT %s",
            d ? d->cols : DISPLAY_COLUMNS, d && d->hilight ? "ON" : "OFF");
    if (d)
        cmd_say(c, "MORE %03u %03u", d->more_secs, d->hold_secs);
    return 0;
}

/* QUERY PF [nn] */
static void say_pf(struct cmd *c, const struct display *d, unsigned n)
{
    static const char *const kinds[] = {"UNDEFINED", "IMMED ", "DELAYED ", "RETRIEVE"};
    const struct display_pf *pf = display_pf(d, n);
    bool text = pf->kind == DISPLAY_PF_IMMED || pf->kind == DISPLAY_PF_DELAYED;

    cmd_say(c, "PF%02u %s%.*s", n, kinds[pf->kind], text ? pf->len : 0, (const char *)pf->text);
}

int query_pf(struct cmd *c)
{
    const struct display *d = terminal_display(c->vm->term);
    char word[8];
    uint32_t n = 0;

    if (!d)
        return cmd_error(c, 6, "DMKCQG006E INVALID DEVICE TYPE - THE CONSOLE IS NOT A 3270");
    if (cmd_word(c, word, sizeof(word)) && (!cmd_number(word, &n) || n < 1 || n > DISPLAY_PF_KEYS))
        return cmd_bad_option(c, "CQG", word);
    for (unsigned i = n ? n : 1; i <= (n ? n : DISPLAY_PF_KEYS); i++)
        say_pf(c, d, i);
    return 0;
}
