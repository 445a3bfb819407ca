/* SPDX-License-Identifier: MIT */
/* Prefix subcommands. Each that was typed becomes a mark at its line; then the marks whose partners
 * are there are done, and the others wait. */
#include "subcommands.h"

/* What of it is typed and not what the prefix area showed: = and the digits of its number. */
static void clean(uint32_t line, const char *typed, char *to)
{
    char was[X_PREFIX + 1];
    unsigned from = 0, end = (unsigned)strlen(typed), n = 0;

    if (x->file->number) {
        fmt(was, sizeof(was), "%05u", line % 100000);
        while (from < end && typed[from] == was[from])
            from++;
        while (end > from && end <= X_PREFIX && typed[end - 1] == was[end - 1])
            end--;
    }
    for (; from < end; from++)
        if (typed[from] != '=' && typed[from] != ' ')
            to[n++] = (char)to_upper(typed[from]);
    to[n] = 0;
}

/* 3A, A3: the letters and the number, 0 if there is none. */
static void parse(const char *text, char *name, uint32_t *count)
{
    unsigned n = 0;

    *count = 0;
    for (; *text; text++)
        if (is_digit(*text) && name[0] != '.')
            *count = *count * 10 + (uint32_t)(*text - '0');
        else
            name[n++] = *text, name[n] = 0;
}

static bool known(const char *name)
{
    static const char *const names[] = {"A",  "I",  "D", "DD", "C",  "CC", "M",  "MM", "F", "P",
                                        "\"", "\"\"", "/", ">",  ">>", "<",  "<<", "X",  "XX", "S",
                                        "S*", "S-"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* SCALE and TABL stand in the row of the line at which they were typed. */
static void stand_at(uint32_t line, bool *on, int *row)
{
    unsigned r = 0;

    while (r < x->rows && (x->row[r].kind != ROW_LINE || x->row[r].line != line))
        r++;
    *on = true;
    if (r < x->rows)
        *row = (int)r + 1;
}

void prefix_enter(uint32_t line, const char *typed)
{
    struct xfile *f = x->file;
    char text[X_PREFIX + 1], name[X_PREFIX + 1] = "";
    uint32_t count;

    for (unsigned i = f->marks; i-- > 0;)
        if (f->mark[i].line == line && f->mark[i].name[0] != '.')
            mark_drop(&f->mark[i]);
    clean(line, typed, text);
    if (text[0] == '.' && text[1]) {
        struct xmark *m = mark_find(text);
        if (m)
            mark_drop(m);
        mark_add(line, text, 0);
        return;
    }
    parse(text, name, &count);
    if (!*name)
        return;
    if (strcmp(name, "SCALE") == 0)
        stand_at(line, &f->scale, &f->scale_row);
    else if (strcmp(name, "TABL") == 0)
        stand_at(line, &f->tabline, &f->tab_row);
    else if (!known(name))
        say_x(5, "DMSXPX659E Invalid prefix subcommand: %s", text);
    else if (!mark_add(line, name, count))
        say_x(4, "DMSXPX557S No more storage for prefix subcommands");
}

static struct xmark *next_of(const char *name, const struct xmark *not)
{
    struct xfile *f = x->file;

    for (unsigned i = 0; i < f->marks; i++)
        if (&f->mark[i] != not && strcmp(f->mark[i].name, name) == 0)
            return &f->mark[i];
    return 0;
}

static void hide(uint32_t first, uint32_t last)
{
    struct xfile *f = x->file;

    for (uint32_t k = first; k <= last; k++)
        line_at(k)->select = (uint16_t)(f->display2 + 1);
    f->selects = true;
    if (f->line >= first && f->line <= last)
        f->line = scope_from(last + 1, 1);
}

/* S at a shadow line: the lines that it stands for are shown again; Sn the first n, S-n the last
 * n. */
static void show(uint32_t k, bool last, uint32_t count)
{
    uint32_t end = k;

    while (is_line(end) && !shown(end))
        end++;
    if (end == k) {
        say_x(5, "DMSXPX661E Prefix S is invalid for the line on which it was entered");
        return;
    }
    if (count && count < end - k) {
        k = last ? end - count : k;
        end = k + count;
    }
    for (; k < end; k++)
        line_at(k)->select = (uint16_t)x->file->display1;
}

static void erase(uint32_t first, uint32_t last)
{
    struct xfile *f = x->file;

    uint32_t n = lines_delete(first, last);

    if (f->line >= first && f->line <= last)
        f->line = scope_from(first, 1);
    else if (f->line > last)
        f->line -= n;
}

static void add(uint32_t k, uint32_t n)
{
    struct xfile *f = x->file;
    uint32_t after = k < end_of() ? k : end_of() - 1, at = f->line;

    for (uint32_t i = 0; i < n; i++)
        if (line_insert(after, "", 0) != 0)
            return;
    if (at > after && at < end_of() - n)
        f->line += n;
    cursor_to_file(after + 1, 1);
}

/* A subcommand for one line and those behind it. */
static void single(char what, uint32_t k, uint32_t count)
{
    uint32_t n = count ? count : 1, last = k + n - 1;
    bool line = is_line(k);

    if (last >= end_of())
        last = end_of() - 1;
    if (what == 'A' || what == 'I') {
        add(k, n);
    } else if (what == '/') {
        x->file->line = k;
    } else if (!line) {
        say_x(5, "DMSXPX661E Prefix %c is invalid for the line on which it was entered", what);
    } else if (what == 'D') {
        erase(k, last);
    } else if (what == 'X') {
        hide(k, last);
    } else if (what == '"') {
        for (uint32_t i = 0; i < n; i++)
            lines_copy(k, k, k);
    } else {
        shift_line(k, what == '<' ? -(int)n : (int)n);
    }
}

static void block(char what, uint32_t first, uint32_t last, uint32_t count)
{
    uint32_t n = count ? count : 1;

    if (what == 'D')
        erase(first, last);
    else if (what == 'X')
        hide(first, last);
    else if (what == '"')
        for (uint32_t i = 0; i < n; i++)
            lines_copy(first, last, last);
    else
        for (uint32_t k = first; k <= last; k++)
            shift_line(k, what == '<' ? -(int)n : (int)n);
}

/* C and M go behind the line of F or before that of P. False: one of them is not there yet. */
static bool transfer(struct xmark *m)
{
    bool doubled = m->name[1] != 0, copies = *m->name == 'C';
    struct xmark *other = doubled ? next_of(m->name, m) : m, *to = next_of("F", 0);
    bool before = !to;

    if (!to)
        to = next_of("P", 0);
    if (!to || !other)
        return false;
    uint32_t a = m->line, b = other->line, after = to->line;
    if (!doubled && m->count)
        b = a + m->count - 1;
    uint32_t first = a < b ? a : b, last = a < b ? b : a;
    mark_drop(to);
    if ((m = next_of(copies ? doubled ? "CC" : "C" : doubled ? "MM" : "M", 0)) != 0)
        mark_drop(m);
    if (doubled && (m = next_of(copies ? "CC" : "MM", 0)) != 0)
        mark_drop(m);
    if (before && after > top_of())
        after--;
    if (after >= end_of())
        after = end_of() - 1;
    if (last >= end_of())
        last = end_of() - 1;
    if (!is_line(first)) {
        say_x(5, "DMSXPX661E Prefix is invalid for the line on which it was entered");
        return true;
    }
    if (after >= first && after < last) {
        say_x(1, "DMSXPX505E Not executed -- the target line (%u) is within the lines to move",
              after);
        return true;
    }
    if (copies)
        lines_copy(first, last, after);
    else if (after != last && after + 1 != first)
        lines_move(first, last, after);
    return true;
}

/* Does what one mark asks for, if it can be done now; then marks may have moved. */
static bool run(struct xmark *m)
{
    const char *name = m->name;
    char what = *name;
    uint32_t k = m->line, count = m->count;

    if (what == '.' || what == 'F' || what == 'P')
        return false;
    if (what == 'C' || what == 'M')
        return transfer(m);
    if (what == 'S') {
        bool last = name[1] == '-';
        mark_drop(m);
        show(k, last, count);
        return true;
    }
    if (!name[1]) {
        mark_drop(m);
        single(what, k, count);
        return true;
    }
    struct xmark *other = next_of(name, m);
    if (!other)
        return false;
    uint32_t to = other->line;
    if (!count)
        count = other->count;
    mark_drop(other > m ? other : m);
    mark_drop(other > m ? m : other);
    if (is_line(k) && is_line(to))
        block(what, k < to ? k : to, k < to ? to : k, count);
    return true;
}

void prefix_run(void)
{
    bool done = true;

    while (done) {
        done = false;
        for (unsigned i = 0; i < x->file->marks && !done; i++)
            done = run(&x->file->mark[i]);
    }
}
