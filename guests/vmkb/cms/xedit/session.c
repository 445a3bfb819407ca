/* SPDX-License-Identifier: MIT */
/* XEDIT fn ft [fm] [( PROFILE name, NOPROFIL, NOSCREEN, NOMSG, WIDTH n]: a session, until its ring
 * is empty. */
#include "commands.h"
#include "nucleus.h"
#include "xedit.h"

struct xedit *x;

static const struct {
    uint8_t key;
    const char *does;
} usual[] = {
    {0, "HELP MENU"}, {1, "SOS LINEADD"}, {2, "QUIT"},     {3, "TABKEY"},
    {4, "SCHANGE 6"}, {5, "?"},           {6, "BACKWARD"}, {7, "FORWARD"},
    {8, "="},         {9, "RGTLEFT"},     {10, "SPLTJOIN"}, {11, "CURSOR HOME"},
};

static void usual_keys(void)
{
    char name[8];

    for (unsigned i = 0; i < sizeof(usual) / sizeof(*usual); i++)
        for (unsigned k = usual[i].key; k < 24; k += 12) {
            fmt(name, sizeof(name), "PF%u", k + 1);
            key_set(name, usual[i].does);
        }
    key_set("PA2", "NULLKEY");
    key_set("PA3", "?");
}

static struct xedit *session_new(void)
{
    struct xedit *s = pool_take(sizeof(*s));

    if (!s)
        return 0;
    memset(s, 0, sizeof(*s));
    s->stream = pool_take(X_STREAM);
    s->work = pool_take(X_WORK);
    s->rows = 24;
    s->cols = 80;
    if (s->stream && s->work)
        return s;
    pool_give(s->stream);
    pool_give(s->work);
    pool_give(s);
    return 0;
}

static void session_end(struct xedit *s)
{
    views_end();
    while (s->file)
        ring_drop(s->file);
    for (unsigned k = 0; k < X_KEYS; k++)
        pool_give(s->key[k]);
    pool_give(s->stream);
    pool_give(s->work);
    x = s->outer;
    pool_give(s);
    if (!x) {
        pool_end();
        exec_address(EXEC_NO_ADDRESS, 0);
    }
}

struct options {
    char profile[9];
    bool none, no_screen, no_messages;
    uint32_t width;
};

static int options(const struct cms_arg *arg, struct options *o)
{
    for (int i = 0; i < arg->options; i++) {
        const char *w = arg->option[i];
        if (cms_is(w, "PROFILE", 4))
            fmt(o->profile, sizeof(o->profile), "%s", arg->option[++i]);
        else if (cms_is(w, "NOPROFILE", 6))
            o->none = true;
        else if (cms_is(w, "NOSCREEN", 6))
            o->no_screen = true;
        else if (cms_is(w, "NOMSG", 3))
            o->no_messages = true;
        else if (cms_is(w, "WIDTH", 1) && cms_number(arg->option[++i], &o->width)
                 && o->width >= 1 && o->width <= FS_LRECL_MAX)
            ;
        else
            return cms_bad_option("XIN", w);
    }
    return 0;
}

/* A terminal that shows lines: subcommands are typed and the current line is shown. */
static void line_mode(void)
{
    char line[CMS_LINE];
    uint32_t was = x->file->line;

    int n = cms_readline(line, sizeof(line));
    if (x->inputting || n)
        xcommand_line(line, (size_t)n);
    if (!x->file || x->file->line == was || !x->file->msgmode)
        return;
    uint32_t k = x->file->line;
    if (is_line(k))
        cms_say_text(line_at(k)->text, line_at(k)->len);
    else
        cms_say_text(line, edge_text(k, line, sizeof(line)));
}

/* What is stacked comes before what is typed. */
static void edit(void)
{
    char line[CMS_LINE];

    while (x->file && !cms_halted()) {
        int n = x->screen ? cms_stack_get(line, sizeof(line) - 1) : -1;
        if (n > 0)
            xcommand_line(line, (size_t)n);
        else if (n == 0)
            continue;
        else if (x->screen)
            screen_edit();
        else
            line_mode();
    }
}

CMS_COMMAND("XEDIT", 1, cmd_xedit);
int cmd_xedit(struct cms_arg *arg)
{
    struct options o = {.profile = "PROFILE"};
    struct cms_fileid id;
    int rc = options(arg, &o);

    if (rc == 0)
        rc = cms_fileid_operands("XIN", arg, 1, 3, '*', &id);
    if (rc != 0)
        return rc;
    if (arg->n < 2)
        return cms_error(24, "DMSXIN054E Incomplete fileid specified");
    if (cms_is_pattern(&id))
        return cms_error(20, "DMSXIN062E Invalid character in fileid %s %s", id.fn, id.ft);
    struct xedit *s = session_new();
    if (!s)
        return cms_error(104, "DMSXIN109S Virtual storage capacity exceeded");
    s->outer = x;
    x = s;
    exec_address("XEDIT", xedit_from_rexx);
    x->screen = !o.no_screen && screen_size();
    usual_keys();
    struct xfile *f = file_open(&id, o.width, &rc);
    if (f) {
        ring_add(f);
        f->msgmode = !o.no_messages;
        if (f->is_new)
            say_x(0, "DMSXIN571I Creating new file:");
        if (!o.none)
            macro_run(o.profile, arg->rest);
        edit();
        rc = x->rc > 0 && !x->file ? 0 : x->rc < 0 ? 0 : x->rc;
        screen_leave();
    }
    session_end(s);
    return rc;
}
