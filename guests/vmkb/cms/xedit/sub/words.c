/* SPDX-License-Identifier: MIT */
/* Subcommands that change how lines are written: case, place, tabs. */
#include "subcommands.h"

/* Each line of the range; made: the new text of a line in x->work, returns its length. */
static int each(const char *operands, uint32_t (*made)(const struct xline *l))
{
    uint32_t first, last;
    int rc = target_range(&operands, &first, &last);

    if (rc != 0)
        return rc;
    for (uint32_t k = first; k <= last && rc == 0; k++) {
        if (!in_scope(k))
            continue;
        const struct xline *l = line_at(k);
        uint32_t n = made(l);
        if (n > x->file->trunc)
            n = x->file->trunc;
        if (n != l->len || memcmp(x->work, l->text, n) != 0)
            rc = line_replace(k, x->work, n);
    }
    if (!x->file->stay)
        x->file->line = last;
    return rc;
}

static uint32_t cased(const struct xline *l, int (*turn)(int c))
{
    uint32_t to = l->len < x->file->zone2 ? l->len : x->file->zone2;

    memcpy(x->work, l->text, l->len);
    for (uint32_t i = x->file->zone1 - 1; i < to; i++)
        x->work[i] = (char)turn(l->text[i]);
    return l->len;
}

static int turn_up(int c)
{
    return to_upper(c);
}

static int turn_down(int c)
{
    return to_lower(c);
}

static uint32_t upper_line(const struct xline *l)
{
    return cased(l, turn_up);
}

static uint32_t lower_line(const struct xline *l)
{
    return cased(l, turn_down);
}

int x_uppercas(const char *operands)
{
    return each(operands, upper_line);
}

int x_lowercas(const char *operands)
{
    return each(operands, lower_line);
}

static uint32_t expanded(const struct xline *l)
{
    return expand_tabs(x->work, X_WORK, l->text, l->len);
}

int x_expand(const char *operands)
{
    return each(operands, expanded);
}

/* Blanks before a column of SET TABS become one tab: what EXPAND makes blanks of again. */
static uint32_t compressed(const struct xline *l)
{
    const struct xfile *f = x->file;
    uint32_t n = 0, at = 0;

    for (unsigned t = 0; t < f->tab_count && f->tabs[t] <= l->len; t++) {
        uint32_t stop = f->tabs[t] - 1, text = stop;
        while (text > at && l->text[text - 1] == ' ')
            text--;
        memcpy(x->work + n, l->text + at, text - at);
        n += text - at;
        if (text < stop)
            x->work[n++] = '\t';
        at = stop;
    }
    memcpy(x->work + n, l->text + at, l->len - at);
    return n + l->len - at;
}

int x_compress(const char *operands)
{
    return each(operands, compressed);
}

/* The line's text at its place between the zones: centred, or at the right or left zone. */
static uint32_t placed(const struct xline *l, int half)
{
    uint32_t from = 0, width = x->file->zone2 - x->file->zone1 + 1, left = x->file->zone1 - 1;

    while (from < l->len && l->text[from] == ' ')
        from++;
    uint32_t n = l->len - from;
    if (n < width)
        left += (width - n) * (uint32_t)half / 2;
    if (left + n > X_WORK)
        left = 0;
    memset(x->work, ' ', left);
    memcpy(x->work + left, l->text + from, n);
    return n ? left + n : 0;
}

static uint32_t centred(const struct xline *l)
{
    return placed(l, 1);
}

static uint32_t to_right(const struct xline *l)
{
    return placed(l, 2);
}

static uint32_t to_left(const struct xline *l)
{
    return placed(l, 0);
}

int x_center(const char *operands)
{
    return each(operands, centred);
}

int x_rightadj(const char *operands)
{
    return each(operands, to_right);
}

int x_leftadj(const char *operands)
{
    return each(operands, to_left);
}

/* The text between the zones so many columns to the right, or below 0 to the left. */
void shift_line(uint32_t k, int by)
{
    const struct xfile *f = x->file;
    const struct xline *l = line_at(k);
    uint32_t left = f->zone1 - 1, n = l->len > left ? l->len - left : 0;

    if (!n)
        return;
    memcpy(x->work, l->text, left);
    if (by < 0) {
        uint32_t cut = (uint32_t)-by < n ? (uint32_t)-by : n;
        memcpy(x->work + left, l->text + left + cut, n - cut);
        line_replace(k, x->work, left + n - cut);
        return;
    }
    memset(x->work + left, ' ', (size_t)by);
    memcpy(x->work + left + by, l->text + left, n);
    n += left + (uint32_t)by;
    if (n > f->trunc)
        say_x(3, "DMSXSH503E Truncated");
    line_replace(k, x->work, n < f->trunc ? n : f->trunc);
}

int x_shift(const char *operands)
{
    char way[9], word[12];
    uint32_t columns = 1, first, last;

    next_word(&operands, way, sizeof(way));
    if (!cms_is(way, "LEFT", 1) && !cms_is(way, "RIGHT", 1))
        return bad_operand(way);
    next_word(&operands, word, sizeof(word));
    if (*word && (!cms_number(word, &columns) || columns > X_COMMAND))
        return bad_operand(word);
    int rc = target_range(&operands, &first, &last);
    if (rc != 0)
        return rc;
    for (uint32_t k = first; k <= last; k++)
        if (in_scope(k))
            shift_line(k, *way == 'L' ? -(int)columns : (int)columns);
    if (!x->file->stay)
        x->file->line = last;
    return 0;
}

/* ALL target: only the lines that it finds are shown; without a target all are again. */
int x_all(const char *operands)
{
    struct xfile *f = x->file;
    const char *p = skip_blanks(operands);
    struct xtarget t;
    uint32_t found = 0;

    f->selects = false;
    f->display1 = f->display2 = 0;
    for (uint32_t k = 1; k <= size_of(); k++)
        line_at(k)->select = 0;
    if (!*p)
        return 0;
    bool wraps = f->wrap;
    f->wrap = false;
    for (uint32_t k = top_of(); k + 1 < end_of();) {
        const char *at = p;
        x->quiet = true;
        int rc = target_parse(&at, &t, k);
        x->quiet = false;
        if (rc == 5) {
            f->wrap = wraps;
            return bad_operand(p);
        }
        if (rc != 0 || t.line >= end_of() || t.line <= k)
            break;
        line_at(k = t.line)->select = 1;
        found++;
    }
    f->wrap = wraps;
    if (!found)
        return say_x(2, "DMSXAL546E Target not found");
    f->selects = true;
    f->display1 = f->display2 = 1;
    f->line = scope_from(f->line > top_of() ? f->line : top_of() + 1, 1);
    return 0;
}

/* SOS LINEADD, LINEDEL...: what keys do at the cursor. */
int x_sos(const char *operands)
{
    char word[12];
    uint32_t line, column;

    next_word(&operands, word, sizeof(word));
    bool in = cursor_in_file(&line, &column);
    if (cms_is(word, "LINEADD", 5)) {
        if (!in)
            line = x->file->line;
        int rc = line_insert(line < end_of() ? line : end_of() - 1, "", 0);
        cursor_to_file(line + 1, x->file->zone1);
        return rc;
    }
    if (cms_is(word, "LINEDEL", 5)) {
        if (!in || !is_line(line))
            return say_x(1, "DMSXSO561E Cursor is not on a valid data field");
        line_delete(line, true);
        cursor_to_file(line, column);
        return 0;
    }
    if (cms_is(word, "ALARM", 5)) {
        x->alarm = true;
        return 0;
    }
    return bad_operand(word);
}

/* TABKEY: the cursor goes to the next column of SET TABS. */
int x_tabkey(const char *operands)
{
    const struct xfile *f = x->file;
    uint32_t line, column;

    (void)operands;
    if (!cursor_in_file(&line, &column))
        return 0;
    unsigned t = 0;
    while (t < f->tab_count && f->tabs[t] <= column)
        t++;
    cursor_to_file(line, t < f->tab_count ? f->tabs[t] : 1);
    return 0;
}
