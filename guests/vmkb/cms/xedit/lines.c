/* SPDX-License-Identifier: MIT */
/* Changes of the current file's lines, and the marks that go with them. */
#include "xedit.h"

uint32_t size_of(void)
{
    return x->file->text.size;
}

uint32_t top_of(void)
{
    return x->file->above;
}

uint32_t end_of(void)
{
    return size_of() + 1 - x->file->below;
}

bool is_line(uint32_t k)
{
    return k > top_of() && k < end_of();
}

unsigned edge_text(uint32_t k, char *to, size_t size)
{
    bool top = k == top_of(), file = k == 0 || k > size_of();

    return (unsigned)fmt(to, size, "* * * %s of %s * * *", top ? "Top" : "End",
                         file ? "File" : "Range");
}

struct xline *line_at(uint32_t k)
{
    return *text_at(&x->file->text, k);
}

bool shown(uint32_t k)
{
    const struct xfile *f = x->file;

    if (!f->selects)
        return true;
    uint32_t select = line_at(k)->select;
    return select >= f->display1 && select <= f->display2;
}

bool in_scope(uint32_t k)
{
    return x->file->scope_all || shown(k);
}

uint32_t scope_from(uint32_t k, int by)
{
    if (x->file->selects)
        while (is_line(k) && !in_scope(k))
            k += (uint32_t)by;
    return k;
}

/* So many lines on or back, to Top or End of File at most. */
uint32_t scope_move(uint32_t k, int64_t by)
{
    int step = by < 0 ? -1 : 1;
    int64_t to = (int64_t)k + by, top = top_of(), end = end_of();

    if (!x->file->selects)
        return (uint32_t)(to < top ? top : to > end ? end : to);
    for (; by && (step > 0 ? k < end : k > top); by -= step)
        k = scope_from(k + (uint32_t)step, step);
    return k;
}

void altered(void)
{
    x->file->changes++;
    x->file->saved_changes++;
}

void upper_text(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        text[i] = (char)to_upper(text[i]);
}

/* Also the current lines of other views. */
static void shift_marks(uint32_t from, int by)
{
    struct xfile *f = x->file;

    for (unsigned i = 0; i < f->marks; i++)
        if (f->mark[i].line >= from)
            f->mark[i].line += (uint32_t)by;
    for (unsigned i = 0; i < x->view_count; i++) {
        uint32_t *line = view_line(i);
        if (line && *line >= from)
            *line += (uint32_t)by;
    }
}

struct xmark *mark_add(uint32_t line, const char *name, uint32_t count)
{
    struct xfile *f = x->file;
    struct xmark *m = f->marks < X_MARKS ? &f->mark[f->marks++] : 0;

    if (!m)
        return 0;
    m->line = line;
    m->count = count;
    fmt(m->name, sizeof(m->name), "%s", name);
    return m;
}

void mark_drop(struct xmark *m)
{
    struct xfile *f = x->file;
    size_t behind = (size_t)(f->mark + --f->marks - m);

    memmove(m, m + 1, behind * sizeof(*m));
}

struct xmark *mark_find(const char *name)
{
    struct xfile *f = x->file;

    for (unsigned i = 0; i < f->marks; i++)
        if (strcmp(f->mark[i].name, name) == 0)
            return &f->mark[i];
    return 0;
}

/* What goes into the file: no blanks at its end, nothing behind the truncation column. */
static uint32_t fitting(const char *text, uint32_t len)
{
    len = (uint32_t)blank_trim(text, len);
    if (len <= x->file->trunc)
        return len;
    say_x(3, "DMSXSU503E Truncated");
    return (uint32_t)blank_trim(text, x->file->trunc);
}

int line_insert(uint32_t after, const char *text, uint32_t len)
{
    struct xfile *f = x->file;
    struct xline *l = line_new(text, fitting(text, len));

    if (!l || !text_insert(&f->text, after, l)) {
        pool_give(l);
        return say_x(4, "DMSXSU557S No more storage to insert lines");
    }
    l->select = (uint16_t)f->display1;
    if (f->marks || x->views)
        shift_marks(after + 1, 1);
    altered();
    return 0;
}

/* No fitting: for who has looked at the length itself. */
int line_replace(uint32_t k, const char *text, uint32_t len)
{
    struct xline **at = text_at(&x->file->text, k), *old = *at;

    len = (uint32_t)blank_trim(text, len);
    if (sizeof(*old) + len <= pool_room(old)) {
        memmove(old->text, text, len);
        old->len = (uint16_t)len;
    } else {
        struct xline *l = line_new(text, len);
        if (!l)
            return say_x(4, "DMSXSU557S No more storage to insert lines");
        l->select = old->select;
        *at = l;
        pool_give(old);
    }
    altered();
    return 0;
}

void line_delete(uint32_t k, bool recoverable)
{
    struct xfile *f = x->file;
    struct xline *old = text_remove(&f->text, k);

    if (f->marks || x->views) {
        for (unsigned i = f->marks; i-- > 0;)
            if (f->mark[i].line == k)
                mark_drop(&f->mark[i]);
        shift_marks(k + 1, -1);
    }
    if (recoverable) {
        if (f->recover == X_RECOVER) {
            pool_give(f->deleted[0]);
            memmove(f->deleted, f->deleted + 1, (X_RECOVER - 1) * sizeof(*f->deleted));
            f->recover--;
        }
        f->deleted[f->recover++] = old;
    } else {
        pool_give(old);
    }
    altered();
}

uint32_t lines_delete(uint32_t first, uint32_t last)
{
    uint32_t k = first ? first : 1, n = 0;

    for (uint32_t left = last < k ? 0 : last - k + 1; left; left--)
        if (in_scope(k)) {
            line_delete(k, true);
            n++;
        } else {
            k++;
        }
    return n;
}

uint32_t expand_tabs(char *to, uint32_t room, const char *text, uint32_t len)
{
    const struct xfile *f = x->file;
    uint32_t n = 0;

    for (uint32_t i = 0; i < len && n < room; i++) {
        if (text[i] != '\t') {
            to[n++] = text[i];
            continue;
        }
        unsigned t = 0;
        while (t < f->tab_count && f->tabs[t] <= n + 1)
            t++;
        uint32_t stop = t < f->tab_count ? f->tabs[t] - 1 : n + 1;
        while (n < stop && n < room)
            to[n++] = ' ';
    }
    return n;
}
