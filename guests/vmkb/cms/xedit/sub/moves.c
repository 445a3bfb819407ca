/* SPDX-License-Identifier: MIT */
/* Subcommands that move the current line or column. */
#include "subcommands.h"

int x_top(const char *operands)
{
    (void)operands;
    x->file->line = top_of();
    return 0;
}

int x_bottom(const char *operands)
{
    (void)operands;
    x->file->line = scope_from(end_of() - 1, -1);
    return 0;
}

/* A number of lines or *; nothing is 1. */
static int count(const char *operands, int64_t *n)
{
    char word[12];
    uint32_t v;

    next_word(&operands, word, sizeof(word));
    *n = 1;
    if (*operands)
        return bad_operand(operands);
    if (!*word)
        return 0;
    if (strcmp(word, "*") == 0)
        *n = (int64_t)size_of() + 1;
    else if (cms_number(word, &v))
        *n = v;
    else
        return bad_operand(word);
    return 0;
}

static int move(int64_t by)
{
    struct xfile *f = x->file;

    f->line = scope_move(f->line, by);
    return is_line(f->line) ? 0 : 1;
}

int x_down(const char *operands)
{
    int64_t n;
    int rc = count(operands, &n);

    return rc ? rc : move(n);
}

int x_up(const char *operands)
{
    int64_t n;
    int rc = count(operands, &n);

    return rc ? rc : move(-n);
}

static int64_t page(void)
{
    unsigned rows = data_rows();

    return rows > 2 ? rows - 1 : 1;
}

/* Behind End of File comes Top of File, and the other way round, as in IBM's. */
int x_forward(const char *operands)
{
    struct xfile *f = x->file;
    int64_t n;
    int rc = count(operands, &n);

    if (rc == 0 && n && f->line == end_of())
        f->line = top_of();
    else if (rc == 0)
        f->line = scope_move(f->line, n * page());
    return rc;
}

int x_backward(const char *operands)
{
    struct xfile *f = x->file;
    int64_t n;
    int rc = count(operands, &n);

    if (rc == 0 && n && f->line == top_of())
        f->line = scope_from(end_of() - 1, -1);
    else if (rc == 0)
        f->line = scope_move(f->line, -n * page());
    return rc;
}

int x_locate(const char *operands)
{
    return locate(operands);
}

/* FIND: the line whose characters stand where the operand's do; a blank there is any character,
 * an underscore is a blank. */
static bool finds(const struct xline *l, const char *text)
{
    const struct xfile *f = x->file;
    uint32_t at = f->zone1 - 1;

    for (; *text; text++, at++) {
        char c = at < l->len ? l->text[at] : ' ', want = *text == '_' ? ' ' : *text;
        if (*text != ' ' && c != want && !(f->ignore && to_upper(c) == to_upper(want)))
            return false;
    }
    return true;
}

static int find(const char *operands, int by, bool wanted)
{
    struct xfile *f = x->file;
    const char *text = *operands == ' ' ? operands + 1 : operands;
    uint32_t k = f->line;

    if (!*text)
        text = x->find;
    else if (strlen(text) < sizeof(x->find))
        fmt(x->find, sizeof(x->find), "%s", text);
    for (;;) {
        if (by < 0 ? k <= top_of() + 1 : k >= end_of() - 1)
            break;
        k += (uint32_t)by;
        if (in_scope(k) && finds(line_at(k), text) == wanted) {
            f->line = k;
            return 0;
        }
    }
    if (!f->stay)
        f->line = by < 0 ? top_of() : end_of();
    return say_x(2, "DMSXFD586E Not found");
}

int x_find(const char *operands)
{
    return find(operands, 1, true);
}

int x_findup(const char *operands)
{
    return find(operands, -1, true);
}

int x_nfind(const char *operands)
{
    return find(operands, 1, false);
}

int x_nfindup(const char *operands)
{
    return find(operands, -1, false);
}

/* LEFT and RIGHT move what the screen shows of the lines. */
static int sideways(const char *operands, int sign)
{
    struct xfile *f = x->file;
    int64_t n, to;
    int rc = count(operands, &n);

    if (rc != 0)
        return rc;
    to = n ? (int64_t)f->shift + sign * n : 0;
    f->shift = to < 0 ? 0 : to >= f->lrecl ? f->lrecl - 1 : (uint32_t)to;
    return 0;
}

int x_left(const char *operands)
{
    return sideways(operands, -1);
}

int x_right(const char *operands)
{
    return sideways(operands, 1);
}

/* One page of columns to the right, or back when that is where it is. */
int x_rgtleft(const char *operands)
{
    struct xfile *f = x->file;

    (void)operands;
    f->shift = f->shift ? 0 : data_width() * 3 / 4;
    return 0;
}

/* CLOCATE: a column, or the next place of a string. */
int x_clocate(const char *operands)
{
    struct xfile *f = x->file;
    const char *p = skip_blanks(operands), *string;
    struct xpattern pattern;
    struct xfound found;
    int32_t n;
    uint32_t len;

    bool absolute = *p == ':' && whole_number(p + 1, &n);
    if (absolute || whole_number(p, &n)) {
        int64_t to = absolute ? n : (int64_t)f->column + n;
        f->column = to < 1 ? 1 : to > f->trunc ? f->trunc : (uint32_t)to;
        return 0;
    }
    if (!delimited(&p, &string, &len) || !pattern_make(&pattern, string, len))
        return bad_operand(operands);
    for (uint32_t k = f->line, from = f->column; k < end_of(); k++, from = f->zone1 - 1) {
        if (k == top_of() || !in_scope(k))
            continue;
        const struct xline *l = line_at(k);
        if (pattern_find(&pattern, l->text, l->len, from, f->zone2, &found)) {
            f->line = k;
            f->column = found.at + 1;
            return 0;
        }
        if (!f->stream)
            break;
    }
    return say_x(2, "DMSXDC546E Target not found");
}

int x_cfirst(const char *operands)
{
    (void)operands;
    x->file->column = x->file->zone1;
    return 0;
}

int x_clast(const char *operands)
{
    (void)operands;
    x->file->column = x->file->zone2;
    return 0;
}

int x_cursor(const char *operands)
{
    char word[12], to[12];
    int32_t row, column = 1;

    next_word(&operands, word, sizeof(word));
    if (cms_is(word, "HOME", 1)) {
        x->cursor = CURSOR_HOME;
        return 0;
    }
    if (cms_is(word, "COLUMN", 3)) {
        cursor_to_file(x->file->line, x->file->column);
        return 0;
    }
    bool screen = cms_is(word, "SCREEN", 1), cmdline = cms_is(word, "CMDLINE", 2);
    if (!screen && !cmdline && !cms_is(word, "FILE", 1))
        return bad_operand(word);
    next_word(&operands, to, sizeof(to));
    if (!whole_number(to, &row)) {
        if (!cmdline)
            return bad_operand(to);
        row = 1;
    }
    next_word(&operands, to, sizeof(to));
    if (!cmdline && *to && is_digit(*to))
        whole_number(to, &column);
    x->cursor = cmdline ? CURSOR_COMMAND : screen ? CURSOR_SCREEN : CURSOR_FILE;
    x->cursor_line = (uint32_t)row;
    x->cursor_column = (uint32_t)(cmdline ? row : column);
    return 0;
}
