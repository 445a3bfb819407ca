/* SPDX-License-Identifier: MIT */
/* What was typed on the screen: changed lines, the prefix area, the command line. Reads what Read
 * Modified brings: AID, cursor, and for each changed field its address and text. */
#include "cell.h"
#include "xedit.h"

enum { ORDER_SBA = 0x11, GRAPHIC_ESCAPE = 0x08, PREFIXES = X_ROWS };

struct typed { /* in the prefix area: done once all lines are changed */
    unsigned view;
    uint32_t line;
    char text[X_PREFIX + 1];
};

static uint32_t entered; /* a bit for each view in whose input zone something was typed */

/* The field's text at in[*at], up to the next field; cut to room. */
static uint32_t field(const uint8_t *in, size_t len, size_t *at, char *to, uint32_t room)
{
    uint32_t n = 0;

    while (*at < len && in[*at] != ORDER_SBA) {
        uint8_t c = in[(*at)++];
        if (c == GRAPHIC_ESCAPE && *at < len) {
            c = '"';
            ++*at;
        }
        if (n < room)
            to[n++] = (char)(c < ' ' ? ' ' : c);
    }
    return n;
}

/* The row's part of its line as it is now; where nothing else was typed the line keeps what the
 * screen could not show. */
static void change_row(const struct xrow *r, const char *text, uint32_t len)
{
    const struct xfile *f = x->file;
    const struct xline *l = line_at(r->line);
    char before[X_COLUMNS];
    uint32_t width = data_width(), was = row_data(r, before), n = 0;
    char *to = x->work;

    if (r->from + width > f->verify2)
        width = f->verify2 > r->from ? f->verify2 - r->from : 0;
    if (len > width)
        len = width;
    if (r->from + width > f->lrecl && r->from > l->len)
        return; /* nothing can be there */
    for (; n < r->from; n++)
        to[n] = n < l->len ? l->text[n] : ' ';
    for (uint32_t i = 0; i < width; i++) {
        char c = i < len ? text[i] : ' ';
        if (i < was && c == before[i])
            c = l->text[r->from + i];
        else if (f->upper)
            c = (char)to_upper(c);
        to[n++] = c;
    }
    if (l->len > r->from + width) {
        memcpy(to + n, l->text + r->from + width, l->len - r->from - width);
        n += l->len - r->from - width;
    }
    n = (uint32_t)blank_trim(to, n);
    if (n > f->trunc) {
        say_x(3, "DMSXSU503E Truncated");
        n = f->trunc;
    }
    if (n != l->len || memcmp(to, l->text, n) != 0)
        line_replace(r->line, to, n);
}

static void input_line(const char *text, uint32_t len)
{
    struct xfile *f = x->file;

    memcpy(x->work, text, len);
    if (f->upper)
        upper_text(x->work, len);
    if (line_insert(f->line, x->work, len) != 4)
        f->line++;
}

static void command_typed(const char *text, uint32_t len)
{
    len = (uint32_t)blank_trim(text, len);
    if (len > X_COMMAND)
        len = X_COMMAND;
    memcpy(x->command, text, len);
    x->command[len] = 0;
    if (x->file->upper)
        upper_text(x->command, len);
}

/* What a view showed there comes with keys of other views, too. */
static bool command_stands(const char *text, uint32_t len)
{
    size_t n = strlen(x->command);

    return blank_trim(text, len) == n && memcmp(text, x->command, n) == 0;
}

static bool in_prefix(unsigned column)
{
    const struct xfile *f = x->file;

    return f->prefix_on && (f->prefix_right ? column > x->cols - X_PREFIX - 1 : column <= X_PREFIX);
}

static void input_end(void)
{
    if (!(entered & 1u << x->view))
        x->inputting = false;
}

void input_apply(const uint8_t *in, size_t len)
{
    static struct typed typed[PREFIXES];
    static char text[X_ROWS * X_COLUMNS];
    unsigned prefixes = 0, home = x->view;
    size_t at = 3;

    entered = 0;

    while (at + 3 <= len) {
        if (in[at] != ORDER_SBA) {
            at++;
            continue;
        }
        unsigned cell = cell_address(in + at + 1), row = cell / x->cols, column = cell % x->cols;
        at += 3;
        uint32_t n = field(in, len, &at, text, sizeof(text));
        if (x->views)
            row = view_at(row);
        if (row >= x->rows)
            continue;
        const struct xrow *r = &x->row[row];
        bool lines = r->kind == ROW_LINE || r->kind == ROW_TOF || r->kind == ROW_EOF
                     || r->kind == ROW_SHADOW;
        if (r->kind == ROW_COMMAND && !x->inputting) {
            if (x->view != home && command_stands(text, n))
                continue;
            command_typed(text, n);
            if (x->view != home)
                view_typed();
        } else if (r->kind == ROW_INPUT) {
            input_line(text, n);
            entered |= 1u << x->view;
        } else if (lines && in_prefix(column)) {
            if (prefixes == PREFIXES)
                continue;
            struct typed *t = &typed[prefixes++];
            t->view = x->view;
            t->line = r->line;
            n = n < X_PREFIX ? n : X_PREFIX;
            memcpy(t->text, text, n);
            t->text[n] = 0;
        } else if (r->kind == ROW_LINE) {
            change_row(r, text, n);
        }
    }
    each_view(input_end);
    for (unsigned i = 0; i < prefixes; i++) {
        view_to(typed[i].view);
        prefix_enter(typed[i].line, typed[i].text);
    }
    view_to(home);
}
