/* SPDX-License-Identifier: MIT */
/* SET: options of the machine, PF keys, and (set_system.c) what operators set. */
#include "commands.h"
#include "directory.h"
#include "display.h"
#include "lib.h"
#include "set.h"

#define A CLASS(CLASS_A)
#define B CLASS(CLASS_B)
#define D CLASS(CLASS_D)
#define E CLASS(CLASS_E)

static const struct option {
    const char *name;
    uint8_t min;
    uint32_t classes;
    uint32_t bit;            /* ON sets it, OFF clears it */
    int (*run)(struct cmd *c); /* if there is no bit */
} options[] = {
    {"MSG", 3, ANY, SET_MSG, 0},       {"WNG", 3, ANY, SET_WNG, 0},
    {"IMSG", 4, ANY, SET_IMSG, 0},     {"ACNT", 4, ANY, SET_ACNT, 0},
    {"RUN", 3, ANY, SET_RUN, 0},       {"SMSG", 4, ANY, SET_SMSG, 0},
    {"TIMER", 5, ANY, SET_TIMER, 0},   {"PRIORITY", 4, A, 0, set_priority},
    {"FAVORED", 7, A, 0, set_favored}, {"LOGMSG", 3, A | B, 0, set_logmsg},
    {"MDC", 3, A | B, 0, set_mdc},     {"MODEL", 3, A | E, 0, set_model},
    {"HOST", 4, ANY, 0, set_host},     {"CCWTRAN", 4, A, 0, set_ccwtran},
    {"MAXSPOOL", 4, A | D, 0, set_maxspool},
};

int set_missing(struct cmd *c)
{
    return cmd_error(c, 26, "DMKCFS026E OPERAND MISSING OR INVALID");
}

int set_invalid(struct cmd *c, const char *word)
{
    return cmd_bad_option(c, "CFS", word);
}

static int on_off(struct cmd *c, uint32_t bit)
{
    char word[8];

    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    if (strcmp(word, "ON") != 0 && strcmp(word, "OFF") != 0)
        return set_invalid(c, word);
    if (cmd_end(c, "CFS") != 0)
        return 3;
    if (strcmp(word, "ON") == 0)
        c->vm->set |= bit;
    else
        c->vm->set &= ~bit;
    return 0;
}

static int set_emsg(struct cmd *c)
{
    static const struct { const char *name; uint32_t bits;
    } values[] = {{"ON", SET_EMSG},
                  {"OFF", 0},
                  {"TEXT", SET_EMSG | SET_EMSG_TEXT},
                  {"CODE", SET_EMSG | SET_EMSG_CODE}};
    char word[8];

    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    for (int i = 0; i < 4; i++)
        if (strcmp(word, values[i].name) == 0) {
            if (cmd_end(c, "CFS") != 0)
                return 3;
            c->vm->set &= ~(uint32_t)(SET_EMSG | SET_EMSG_TEXT | SET_EMSG_CODE);
            c->vm->set |= values[i].bits;
            return 0;
        }
    return set_invalid(c, word);
}

/* SET PFnn [IMMED|DELAYED] [text] | RETRIEVE. DELAYED is what VM takes if neither is said; without
 * text the key does nothing. */
static int set_pf(struct cmd *c, const char *name)
{
    struct display *d = terminal_display(c->vm->term);
    enum display_pf_kind kind = DISPLAY_PF_DELAYED;
    char word[12];
    uint32_t n;

    if (!cmd_number(name + 2, &n))
        return set_invalid(c, name);
    if (!d)
        return cmd_error(c, 6, "DMKCFS006E INVALID DEVICE TYPE - THE CONSOLE IS NOT A 3270");
    char *whole = c->args;
    if (cmd_word(c, word, sizeof(word))) {
        if (cmd_is(word, "IMMED", 3))
            kind = DISPLAY_PF_IMMED;
        else if (cmd_is(word, "RETRIEVE", 3) && !*c->args)
            kind = DISPLAY_PF_RETRIEVE;
        else if (!cmd_is(word, "DELAYED", 3))
            c->args = whole;
    }
    size_t len = strlen(c->args);
    if (!len && kind != DISPLAY_PF_RETRIEVE)
        kind = DISPLAY_PF_UNDEFINED;
    int rc = display_set_pf(d, n, kind, (const uint8_t *)c->args, len);
    if (rc == DISPLAY_INVALID)
        return set_invalid(c, name);
    if (rc != 0)
        return cmd_error(c, 26, "DMKCFS026E TEXT FOR A PF KEY IS AT MOST %d CHARACTERS",
                         DISPLAY_PF_TEXT);
    return 0;
}

/* What QUERY SET shows and nothing changes: only that value is taken. */
static const struct {
    const char *name;
    size_t min;
    const char *value;
} fixed[] = {{"LINEDIT", 4, "ON"}, {"ECMODE", 2, "OFF"},   {"ISAM", 4, "OFF"},
             {"ASSIST", 2, "OFF"}, {"PAGEX", 3, "OFF"},    {"AUTOPOLL", 4, "OFF"},
             {"NOTRANS", 3, "OFF"}, {"AFFINITY", 2, "OFF"}};

static int set_fixed(struct cmd *c, const char *name, const char *value)
{
    char word[8];

    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    if (strcmp(word, value) == 0)
        return cmd_end(c, "CFS");
    if (strcmp(word, "ON") != 0 && strcmp(word, "OFF") != 0)
        return set_invalid(c, word);
    return cmd_error(c, 7, "DMKCFS007E SET %s %s IS NOT IN VM/KB", name, word);
}

int cmd_set(struct cmd *c)
{
    char word[12];

    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    if (cmd_is(word, "EMSG", 4))
        return set_emsg(c);
    if (strncmp(word, "PF", 2) == 0)
        return set_pf(c, word);
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        const struct option *o = &options[i];
        if (cmd_is(word, o->name, o->min) && (c->vm->classes & o->classes))
            return o->bit ? on_off(c, o->bit) : o->run(c);
    }
    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
        if (cmd_is(word, fixed[i].name, fixed[i].min))
            return set_fixed(c, fixed[i].name, fixed[i].value);
    return set_invalid(c, word);
}
