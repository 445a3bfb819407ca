/* SPDX-License-Identifier: MIT */
/* All that SET has set at once: PRESERVE and RESTORE, STATUS, MODIFY. */
#include "subcommands.h"

/* What PRESERVE keeps of a file. */
enum {
    KEPT_FROM = offsetof(struct xfile, recfm),
    KEPT_SIZE = offsetof(struct xfile, tab_count) + sizeof(uint32_t) - KEPT_FROM
};

int x_preserve(const char *operands)
{
    struct xfile *f = x->file;

    if (*skip_blanks(operands))
        return bad_operand(skip_blanks(operands));
    if (!f->preserved && !(f->preserved = pool_take(KEPT_SIZE)))
        return say_x(4, "DMSXPV557S No more storage to preserve settings");
    memcpy(f->preserved, (char *)f + KEPT_FROM, KEPT_SIZE);
    return 0;
}

int x_restore(const char *operands)
{
    struct xfile *f = x->file;
    bool selects = f->selects;
    uint32_t recfm = f->recfm, lrecl = f->lrecl;

    if (*skip_blanks(operands))
        return bad_operand(skip_blanks(operands));
    if (!f->preserved)
        return say_x(3, "DMSXRS007E No settings to restore: PRESERVE keeps them");
    memcpy((char *)f + KEPT_FROM, f->preserved, KEPT_SIZE);
    f->selects |= selects; /* lines that were given a selection level meanwhile keep it */
    if (f->recfm != recfm || f->lrecl != lrecl)
        altered();
    return 0;
}

/* In an order in which one does not change another. */
static const struct setting {
    const char *name;
    uint8_t values; /* of QUERY's that SET takes */
} settings[] = {
    {"RECFM", 1},   {"LRECL", 1},    {"TRUNC", 1},   {"ZONE", 2},    {"VERIFY", 2},
    {"ARBCHAR", 3}, {"AUTOSAVE", 1}, {"CASE", 2},    {"CMDLINE", 1}, {"CURLINE", 1},
    {"DISPLAY", 2}, {"HEX", 1},      {"IMAGE", 1},   {"IMPCMSCP", 1}, {"LINEND", 2},
    {"MSGLINE", 3}, {"MSGMODE", 1},  {"NULLS", 1},   {"NUMBER", 1},  {"PREFIX", 2},
    {"SCALE", 2},   {"SCOPE", 1},    {"SHADOW", 1},  {"STAY", 1},    {"STREAM", 1},
    {"TABLINE", 2}, {"TABS", 1},     {"TOFEOF", 1},  {"WRAP", 1},
};
enum { SETTINGS = sizeof(settings) / sizeof(*settings) };

/* SET's operands that set this item, or a key, as it is now. Returns the length, 0: SET has no such
 * item. */
static size_t setting_text(const char *item, char *to, size_t size)
{
    struct xvalues *v = pool_take(sizeof(*v));
    int most = key_index(item) >= 0 ? 1 : 0;
    size_t n = 0;

    if (v && query_values(item, "", v) >= 0) {
        for (unsigned i = 0; i < SETTINGS; i++)
            if (strcmp(v->name, settings[i].name) == 0)
                most = settings[i].values;
        if (strcmp(v->name, "CURLINE") == 0) /* SET wants a word that QUERY does not say */
            fmt(v->name, sizeof(v->name), "CURLINE ON");
        n = most ? values_text(v, most, to, size) : 0;
    }
    pool_give(v);
    return n;
}

/* MODIFY item: SET of it on the command line, to be typed over. */
int x_modify(const char *operands)
{
    char item[12], text[X_COMMAND - 3];

    next_word(&operands, item, sizeof(item));
    if (!*item)
        return say_x(5, "DMSXMO545E Missing operand(s)");
    if (!x->screen)
        return say_x(4, "DMSXMO529E Subcommand is only valid in display mode");
    if (!setting_text(item, text, sizeof(text)))
        return bad_operand(item);
    fmt(x->command, sizeof(x->command), "SET %s", text);
    return 0;
}

/* Two settings a row; one that is long has a row of its own. */
static void show_settings(void)
{
    char row[X_COLUMNS + 1], text[X_COLUMNS + 1];
    unsigned half = x->cols / 2;
    size_t used = 0;

    for (unsigned i = 0; i < SETTINGS; i++) {
        size_t n = setting_text(settings[i].name, text, sizeof(text));
        if (used && (used >= half || n >= x->cols - half)) {
            message_text(row, used);
            used = 0;
        }
        if (used) {
            memset(row + used, ' ', half - used);
            used = half;
        }
        memcpy(row + used, text, n);
        used += n;
    }
    message_text(row, used);
}

/* One line of the macro that sets the item again; false: no storage. */
static bool add_setting(struct xfile *macro, const char *item)
{
    char text[X_STRING], line[2 * X_STRING + 24];
    size_t len = setting_text(item, text, sizeof(text));
    int n = fmt(line, sizeof(line), "'COMMAND SET ");

    for (size_t i = 0; i < len; i++) {
        line[n++] = text[i];
        if (text[i] == '\'')
            line[n++] = '\'';
    }
    line[n++] = '\'';
    struct xline *l = line_new(line, (uint32_t)n);
    if (l && text_insert(&macro->text, macro->text.size, l))
        return true;
    pool_give(l);
    return false;
}

static int write_settings(struct xfile *macro, const struct cms_fileid *id)
{
    char key[8];
    bool good = text_start(&macro->text);
    struct xline *comment = good ? line_new("/* */", 5) : 0;

    good = comment && text_insert(&macro->text, 0, comment);
    for (unsigned i = 0; i < SETTINGS && good; i++)
        good = add_setting(macro, settings[i].name);
    for (unsigned k = 1; k <= 24 && good; k++) {
        fmt(key, sizeof(key), "PF%u", k);
        good = add_setting(macro, key);
    }
    return good ? file_write(macro, id, 1, macro->text.size, false)
                : say_x(4, "DMSXST557S No more storage");
}

/* STATUS shows the settings; STATUS fn writes them as a macro, fn XEDIT A1. */
int x_status(const char *operands)
{
    struct cms_fileid id;
    char name[9];

    next_word(&operands, name, sizeof(name));
    if (*operands)
        return bad_operand(operands);
    if (!*name) {
        show_settings();
        return 0;
    }
    if (cms_fileid(&id, name, "XEDIT", "A1", 'A') != 0 || cms_is_pattern(&id))
        return say_x(20, "DMSXST062E Invalid character in fileid %s XEDIT", name);
    if (cms_find(&id, 0, 0) == FS_OK)
        return say_x(3, "DMSXST024E File %s XEDIT A1 already exists; ERASE it first", id.fn);
    struct xfile *macro = pool_take(sizeof(*macro));
    if (!macro)
        return say_x(4, "DMSXST557S No more storage");
    memset(macro, 0, sizeof(*macro));
    macro->recfm = FS_VARIABLE;
    int rc = write_settings(macro, &id);
    ring_free(macro);
    return rc;
}
