/* SPDX-License-Identifier: MIT */
/* Macros: NAME XEDIT, in REXX, whose commands are subcommands; EXTRACT gives them what XEDIT knows
 * as variables. Also what subcommands say to the rest of CMS. */
#include "nucleus.h"
#include "rexx.h"
#include "subcommands.h"

int macro_run(const char *name, const char *args)
{
    struct cms_fileid id;

    if (!*name || cms_fileid(&id, name, "XEDIT", 0, '*') != 0 || cms_is_pattern(&id)
        || cms_find(&id, 0, 0) != FS_OK)
        return -3;
    if (cms_state.depth >= CMS_NEST)
        return say_x(104, "DMSXMA109S More than %d macros within macros", CMS_NEST);
    char copy[X_COMMAND + 1];
    fmt(copy, sizeof(copy), "%s", skip_blanks(args));
    x->depth++;
    cms_state.depth++;
    int rc = exec_macro(name, "XEDIT", copy);
    cms_state.depth--;
    x->depth--;
    return rc;
}

int xedit_from_rexx(const char *text, uint32_t len)
{
    if (!x->file)
        return -3;
    return x->rc = xcommand_run(text, len, X_ANY);
}

static void set_variable(const char *stem, int k, const char *value, uint32_t len)
{
    char name[24];
    int n = fmt(name, sizeof(name), "%s.%d", stem, k);

    exec_set(name, (unsigned)n, value, len);
}

static int extract_item(const char *text, struct xvalues *v)
{
    char item[12], number[12];

    next_word(&text, item, sizeof(item));
    if (!*item)
        return 0;
    if (query_values(item, text, v) < 0)
        return bad_operand(item);
    int n = fmt(number, sizeof(number), "%d", v->count);
    set_variable(v->name, 0, number, (uint32_t)n);
    for (int i = 0; i < v->count; i++)
        set_variable(v->name, i + 1, v->value[i].p, v->value[i].n);
    return 0;
}

/* EXTRACT /item/item operand/...: any mark parts them. */
int extract(const char *operands)
{
    const char *p = skip_blanks(operands);
    char mark = *p, text[X_STRING + 1];
    struct xvalues *v = pool_take(sizeof(*v));
    int rc = 0;

    if (!v)
        return say_x(4, "DMSXER557S No more storage");
    while (rc == 0 && *p && *++p) {
        const char *end = strchr(p, mark);
        fmt(text, sizeof(text), "%.*s", (int)(end ? (size_t)(end - p) : strlen(p)), p);
        rc = extract_item(text, v);
        p = end ? end : "";
    }
    pool_give(v);
    return rc;
}

size_t values_text(const struct xvalues *v, int most, char *to, size_t size)
{
    size_t n = (size_t)fmt(to, size, "%s", v->name);

    for (int i = 0; i < v->count && i < most && n < size - 1; i++)
        n += (size_t)fmt(to + n, size - n, " %.*s", (int)v->value[i].n, v->value[i].p);
    return n < size ? n : size - 1;
}

int x_query(const char *operands)
{
    struct xvalues *v = pool_take(sizeof(*v));
    char item[12], line[X_COLUMNS + 1];

    if (!v)
        return say_x(4, "DMSXQR557S No more storage");
    next_word(&operands, item, sizeof(item));
    if (query_values(item, operands, v) < 0) {
        pool_give(v);
        return bad_operand(item);
    }
    size_t n = values_text(v, X_VALUES, line, sizeof(line));
    pool_give(v);
    message_text(line, n);
    return 0;
}

int x_msg(const char *operands)
{
    const char *text = text_operand(operands);

    message_text(text, strlen(text));
    return 0;
}

int x_emsg(const char *operands)
{
    x->alarm = true;
    return x_msg(operands);
}

int x_cmsg(const char *operands)
{
    fmt(x->command, sizeof(x->command), "%s", text_operand(operands));
    return 0;
}

int x_nothing(const char *operands)
{
    (void)operands;
    return 0;
}

/* CMS line; alone it is CMS's own prompt, until RETURN. */
int x_cms(const char *operands)
{
    char line[CMS_LINE];
    int rc = 0;

    operands = skip_blanks(operands);
    if (*operands) {
        rc = cms_command(operands, (unsigned)strlen(operands), CMS_TYPED);
        if (rc == -3)
            say_x(-3, "Unknown CP/CMS command");
        return rc;
    }
    screen_leave();
    cms_say("CMS subset");
    while (!cms_halted()) {
        int n = cms_readline(line, sizeof(line));
        const char *p = line;
        char word[9];
        next_word(&p, word, sizeof(word));
        if (strcmp(word, "RETURN") == 0)
            break;
        if (*word && cms_command(line, (unsigned)n, CMS_TYPED) == -3)
            cms_say("Unknown CP/CMS command");
    }
    return 0;
}

int x_cp(const char *operands)
{
    operands = skip_blanks(operands);
    int rc = *operands ? command_implied_cp(operands, (unsigned)strlen(operands))
                       : (int)diag_cp("CP", 2, 0, 0, 0);
    return rc;
}

/* HELP: the help of XEDIT's subcommands has the filetype HELPXEDI. */
int x_help(const char *operands)
{
    char word[12], line[40];

    next_word(&operands, word, sizeof(word));
    int n = fmt(line, sizeof(line), "HELP XEDIT %s", *word ? word : "MENU");
    int rc = cms_command(line, (unsigned)n, CMS_ADDRESS_COMMAND);
    return rc;
}

/* Each line from the current one to a target, until one of them does not work. */
static int each_line(const char *operands, int (*one)(uint32_t k), uint32_t *last)
{
    uint32_t first;
    int rc = target_range(&operands, &first, last);

    for (uint32_t k = first; rc == 0 && k <= *last; k++)
        rc = one(k);
    return rc;
}

static int stack_line(uint32_t k)
{
    const struct xline *l = line_at(k);

    return cms_stack_put(false, l->text, l->len) != 0
               ? say_x(4, "DMSXST109S The program stack is full")
               : 0;
}

/* STACK n, from the current line on, for a macro's PULL. */
int x_stack(const char *operands)
{
    uint32_t last;

    return each_line(operands, stack_line, &last);
}

static int type_line(uint32_t k)
{
    const struct xline *l = line_at(k);

    if (in_scope(k))
        message_text(l->text, l->len);
    return 0;
}

int x_type(const char *operands)
{
    uint32_t last;
    int rc = each_line(operands, type_line, &last);

    if (rc == 0)
        x->file->line = last;
    return rc;
}

int x_refresh(const char *operands)
{
    (void)operands;
    if (x->screen)
        screen_show();
    return 0;
}

/* READ in a macro: the screen is shown; what its user changes is done to the file, and the command
 * line or key is stacked: ETK n, PFK n, PAK n, CMD text. */
int x_read(const char *operands)
{
    (void)operands;
    if (!x->screen)
        return say_x(4, "DMSXRD529E Subcommand is only valid in display mode");
    return screen_read();
}

/* RESET: what waits in the prefix area is forgotten. */
int x_reset(const char *operands)
{
    struct xfile *f = x->file;

    (void)operands;
    for (unsigned i = f->marks; i-- > 0;)
        if (f->mark[i].name[0] != '.')
            mark_drop(&f->mark[i]);
    return 0;
}
