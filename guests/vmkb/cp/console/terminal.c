/* SPDX-License-Identifier: MIT */
/* What is typed at a terminal goes to LOGON, to CP, or to the program of its machine. */
#include <stdarg.h>
#include "ctype.h"
#include "defs.h"
#include "lib.h"
#include "terminal.h"

struct terminal terminals[TERMINALS];

static const struct terminal_users *users;

void terminal_init(const struct terminal_users *whom)
{
    users = whom;
    memset(terminals, 0, sizeof(terminals));
}

/* A free terminal of that kind, or 0 when TERMINALS are in use. */
struct terminal *terminal_new(int kind)
{
    for (int i = 0; i < TERMINALS; i++)
        if (terminals[i].kind == TERM_NONE) {
            terminals[i] = (struct terminal){.kind = (uint8_t)kind};
            return &terminals[i];
        }
    return 0;
}

void terminal_connected(struct terminal *t)
{
    t->connected_tod = us_now();
    t->logon_tries = 0;
    t->awaiting_password = 0;
}

void terminal_say(struct terminal *t, const char *f, ...)
{
    char text[LINE_MAX];
    va_list ap;

    va_start(ap, f);
    size_t n = vfmt_kept(text, sizeof(text), f, ap);
    va_end(ap);
    t->ops->write(t, text, n, 0);
}

void terminal_tell_lost(struct terminal *t)
{
    unsigned n = t->not_shown;

    if (!n || !t->ops->room(t, 1))
        return;
    t->not_shown = 0;
    terminal_say(t, "%u MORE LINES NOT SHOWN", n);
}

void terminal_roomy(struct terminal *t)
{
    if (t)
        terminal_tell_lost(t);
    if (t && t->divert)
        t->divert->roomy(t);
    if (t && t->vm)
        vm_release(t->vm, WAIT_OUTPUT);
}

/* "#CP command" typed to a program; *rest is the command. */
static bool is_cp_escape(const char *text, size_t len, size_t *rest)
{
    if (len < 3 || text[0] != '#' || to_upper(text[1]) != 'C' || to_upper(text[2]) != 'P'
        || (len > 3 && text[3] != ' '))
        return false;
    *rest = len > 3 ? 4 : 3;
    return true;
}

/* One logical line. */
static bool one_line(struct terminal *t, const char *text, size_t len)
{
    size_t rest;

    while (len && text[len - 1] == ' ' && !t->awaiting_password)
        len--;
    if (t->delayed)
        return false;
    if (t->divert)
        return t->divert->line(t, text, len);
    if (t->awaiting_password) {
        users->password(t, text, len);
        return true;
    }
    if (!t->vm) {
        users->command(0, t, text, len);
        return true;
    }
    if (t->vm->wait & WAIT_SLEEP) {
        sleep_end(t->vm);
        if (!len)
            return true;
    }
    if (is_cp_escape(text, len, &rest)) {
        if (rest >= len) {
            terminal_attention(t); /* #CP alone: CP mode */
            return true;
        }
        users->command(t->vm, t, text + rest, len - rest);
        return true;
    }
    if (console_wants_cp(t->vm)) {
        users->command(t->vm, t, text, len);
        return true;
    }
    return console_input(t->vm, text, len);
}

/* What ends a logical line now; 0: nothing does. Passwords, and what goes to another system, are
 * taken as they are. */
static char line_end(const struct terminal *t)
{
    if (t->divert || t->awaiting_password || (t->vm && t->vm->console_hidden))
        return 0;
    return t->vm ? t->vm->linend : LINEND;
}

/* Where the first logical line ends: at its end mark, which in #CP at its beginning is none. */
static size_t logical(const char *text, size_t len, char end)
{
    size_t n, rest;

    for (n = is_cp_escape(text, len, &rest) ? 1 : 0; end && n < len && text[n] != end; n++)
        ;
    return end ? n : len;
}

/* Whether the program of t's machine can take so many lines more, if they are all for it. */
static bool room_for(const struct terminal *t, unsigned lines)
{
    return !t->vm || lines > VM_STACKED || t->vm->stack_count + lines <= VM_STACKED;
}

bool terminal_line(struct terminal *t, const char *text, size_t len)
{
    unsigned lines = 1;

    if (len > CMD_MAX)
        len = CMD_MAX;
    while (len && text[len - 1] == ' ' && !t->awaiting_password)
        len--;
    size_t n = logical(text, len, line_end(t));
    if (n >= len)
        return one_line(t, text, len);
    for (size_t i = n; i < len; i++)
        lines += text[i] == text[n];
    if (t->delayed || !room_for(t, lines) || !one_line(t, text, n))
        return false;
    while (n + 1 < len) {
        text += n + 1;
        len -= n + 1;
        n = logical(text, len, line_end(t));
        if (!one_line(t, text, n)) {
            terminal_say(t, "NOT ACCEPTED");
            break;
        }
    }
    return true;
}

void terminal_attention(struct terminal *t)
{
    if (t->divert) {
        t->divert->attention(t);
        return;
    }
    if (t->awaiting_password) {
        t->awaiting_password = 0;
        t->ops->mode(t, TMODE_CPREAD, false);
    }
    if (!t->vm)
        return;
    if (t->vm->wait & WAIT_SLEEP) {
        sleep_end(t->vm);
        return;
    }
    console_to_cp(t->vm);
}
