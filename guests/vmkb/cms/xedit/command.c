/* SPDX-License-Identifier: MIT */
/* A line of the command line, a macro or a key: a target, a subcommand, what SET sets, a macro, or
 * CMS's and CP's. */
#include "xedit.h"

static const struct xcommand *find(const struct xcommand *table, const char *name)
{
    for (; table->name; table++)
        if (*table->name == *name && cms_is(name, table->name, table->min))
            return table;
    return 0;
}

const char *xcommand_name(const char *word)
{
    const struct xcommand *c = find(xcommands, word);

    if (!c)
        c = find(xsets, word);
    return c ? c->name : word;
}

static bool is_target(const char *p)
{
    if (is_alpha(*p))
        return false;
    return is_digit(*p) || (*p && strchr("+-:.*/~", *p) != 0)
           || (!is_alnum(*p) && !strchr("=?&#@$ ", *p));
}

static int to_cms(const char *text)
{
    return x->file->impcmscp ? cms_command(text, (unsigned)strlen(text), CMS_TYPED) : -3;
}

static int unknown(const char *what, const char *text)
{
    char name[9];

    next_word(&text, name, sizeof(name));
    if (cms_option_absent("XDC", name))
        return say_x(-1, "DMSXDC007E %s is not in VM/KB", name);
    return say_x(-1, "DMSXDC542E No such %s: %s", what, name);
}

static int run(const char *p, int how)
{
    char name[10] = "";
    const char *rest = p;
    unsigned n = 0;

    if (is_target(p))
        return locate(p);
    for (; is_alpha(*rest); rest++)
        if (n < sizeof(name) - 1)
            name[n++] = (char)to_upper(*rest);
    name[n] = 0;
    if (cms_is(name, "COMMAND", 7) && how != X_NO_MACRO)
        return run(skip_blanks(rest), X_NO_MACRO);
    if (strcmp(name, "MACRO") == 0) {
        p = skip_blanks(rest);
        next_word(&rest, name, sizeof(name));
        if (!*name)
            return say_x(5, "DMSXMA545E Missing operand(s)");
        int rc = macro_run(name, rest);
        return rc == -3 ? unknown("macro", p) : rc;
    }
    const struct xcommand *c = n ? find(xcommands, name) : 0;
    if (!c && n && *skip_blanks(rest))
        c = find(xsets, name);
    if (c)
        return c->run(rest);
    const char *word = name;
    if (n && *skip_blanks(rest) && set_flag(&word))
        return x_set(p);
    if (how != X_NO_MACRO) {
        const char *args = p;
        next_word(&args, name, sizeof(name));
        int rc = macro_run(name, args);
        if (rc == -3)
            rc = to_cms(p);
        if (rc != -3)
            return rc;
    }
    return unknown("subcommand", p);
}

int xcommand_run(const char *text, size_t len, int how)
{
    char line[X_COMMAND + 1];

    while (len && *text == ' ') {
        text++;
        len--;
    }
    if (len > X_COMMAND)
        return say_x(5, "DMSXDC520E Invalid operand : subcommand of more than %d characters",
                     X_COMMAND);
    if (!len || *text == '*')
        return len == 1 ? locate("*") : 0;
    memcpy(line, text, len);
    line[len] = 0;
    return run(line, how);
}

/* = does the last line again, with what follows it done first; ? shows it. & keeps the line. */
static int recalled(const char *line)
{
    char again[X_COMMAND + 1];
    int rc = 0;

    if (*line == '?') {
        fmt(x->command, sizeof(x->command), "%s", x->last);
        return 0;
    }
    fmt(again, sizeof(again), "%s", x->last);
    line = skip_blanks(line + 1);
    if (*line)
        rc = xcommand_run(line, strlen(line), X_ANY);
    return rc ? rc : xcommand_line(again, strlen(again));
}

int xcommand_line(const char *text, size_t len)
{
    char line[X_COMMAND + 1];
    const char *p = line;
    int rc = 0;

    if (len > X_COMMAND)
        len = X_COMMAND;
    memcpy(line, text, len);
    line[len] = 0;
    p = skip_blanks(p);
    if (!*p)
        return 0;
    if (strcmp(p, "?") == 0 || *p == '=')
        return recalled(p);
    bool keeps = *p == '&';
    fmt(x->last, sizeof(x->last), "%s", p);
    p += keeps;
    while (x->file) {
        bool ends = x->file->linend_on;
        const char *end = ends ? strchr(p, x->file->linend) : 0;
        size_t n = end ? (size_t)(end - p) : strlen(p);
        rc = xcommand_run(p, n, X_ANY);
        if (!end || rc < 0 || cms_halted())
            break;
        p = end + 1;
    }
    if (keeps)
        fmt(x->command, sizeof(x->command), "%s", x->last);
    return x->rc = rc;
}

/* A target, and the subcommand behind it. */
int locate(const char *operands)
{
    struct xfile *f = x->file;
    const char *p = skip_blanks(operands);
    struct xtarget t;

    if (!*p)
        p = x->locate;
    if (!*p)
        return say_x(5, "DMSXDC545E Missing operand(s)");
    if (strlen(p) < sizeof(x->locate) && p != x->locate)
        fmt(x->locate, sizeof(x->locate), "%s", p);
    const char *at = p;
    int rc = target_parse(&at, &t, f->line);
    if (rc == 5)
        return bad_operand(p);
    if (rc == 0) {
        f->line = t.line;
        if (t.number && !is_line(t.line))
            rc = 1;
    } else if (!f->stay) {
        f->line = t.line;
    }
    at = skip_blanks(at);
    return *at && rc == 0 ? xcommand_run(at, strlen(at), X_ANY) : rc;
}
