/* SPDX-License-Identifier: MIT */
/* SET SCREEN: views of files, below each other. The session is always at one of them, x->view: what
 * it shows and where is in *x and its file. The others wait here, so that nothing else has to know
 * how many there are. */
#include "xedit.h"

struct xview {
    struct xfile *file;
    uint32_t line, column;
    unsigned rows, free_rows, messages;
    bool inputting;
    bool typed; /* a subcommand that is to be done is in its command line */
    uint8_t cursor;
    uint32_t cursor_line, cursor_column;
    char message[X_MESSAGES][X_COLUMNS + 1];
    char command[X_COMMAND + 1];
    struct xrow row[X_ROWS];
};

unsigned screen_rows(void)
{
    return x->cells / x->cols;
}

unsigned view_rows(unsigned i)
{
    return x->views ? x->views[i].rows : screen_rows();
}

uint32_t *view_line(unsigned i)
{
    return i != x->view && x->views[i].file == x->file ? &x->views[i].line : 0;
}

static void place(unsigned rows, unsigned above)
{
    x->rows = rows;
    x->base = above * x->cols;
    x->starts_rows = 0;
}

static void keep(struct xview *v)
{
    v->file = x->file;
    v->line = x->file->line;
    v->column = x->file->column;
    v->free_rows = x->free_rows;
    v->messages = x->messages;
    v->inputting = x->inputting;
    v->cursor = x->cursor;
    v->cursor_line = x->cursor_line;
    v->cursor_column = x->cursor_column;
    memcpy(v->message, x->message, x->messages * sizeof(*x->message));
    memcpy(v->command, x->command, sizeof(v->command));
    memcpy(v->row, x->row, sizeof(v->row));
}

static void take(unsigned i)
{
    const struct xview *v = &x->views[i];
    unsigned above = 0;

    for (unsigned k = 0; k < i; k++)
        above += x->views[k].rows;
    place(v->rows, above);
    x->view = i;
    x->file = v->file;
    x->file->line = v->line < top_of() ? top_of() : v->line > end_of() ? end_of() : v->line;
    x->file->column = v->column;
    x->free_rows = v->free_rows;
    x->messages = v->messages;
    x->inputting = v->inputting;
    x->cursor = v->cursor;
    x->cursor_line = v->cursor_line;
    x->cursor_column = v->cursor_column;
    memcpy(x->message, v->message, v->messages * sizeof(*v->message));
    memcpy(x->command, v->command, sizeof(v->command));
    memcpy(x->row, v->row, sizeof(v->row));
}

void view_to(unsigned i)
{
    if (i == x->view)
        return;
    keep(&x->views[x->view]);
    take(i);
}

unsigned view_at(unsigned row)
{
    for (unsigned i = 0; i < x->view_count; i++) {
        if (row < x->views[i].rows) {
            view_to(i);
            return row;
        }
        row -= x->views[i].rows;
    }
    return X_ROWS;
}

void views_each(void (*run)(void))
{
    unsigned back = x->view;

    for (unsigned i = 0; i < x->view_count; i++) {
        view_to(i);
        run();
    }
    view_to(back);
}

void view_typed(void)
{
    x->views[x->view].typed = true;
}

/* What they run may change which views there are. The cursor is in none of these. */
void views_run(void (*run)(void))
{
    unsigned key_row = x->key_row;

    x->home = x->view;
    x->key_row = X_ROWS;
    for (unsigned i = 0; i < x->view_count && x->file;) {
        bool typed = x->views[i].typed;
        x->views[i].typed = false;
        if (typed) {
            view_to(i);
            run();
        }
        i = typed ? 0 : i + 1;
    }
    x->key_row = key_row;
    if (x->file && x->home < x->view_count)
        view_to(x->home);
}

void views_end(void)
{
    pool_give(x->views);
    x->views = 0;
    x->view_count = x->view = 0;
    x->free_rows = 0;
    place(screen_rows(), 0);
}

/* The rows of all are parted anew: each has as many, the first ones those that are left over. */
static void spread(void)
{
    unsigned n = x->view_count, all = screen_rows();

    for (unsigned i = 0; i < n; i++) {
        x->views[i].rows = all / n + (i < all % n);
        x->views[i].free_rows = 0;
    }
}

/* The session goes on at view x->view of those that were changed. */
static void resume(void)
{
    x->split_cells = x->cells;
    take(x->view);
    if (x->view_count == 1 && x->views->rows == screen_rows())
        views_end();
}

static unsigned without(unsigned at, unsigned i)
{
    return at > i || (at == i && i == x->view_count) ? at - 1 : at;
}

static void drop(unsigned i)
{
    x->view_count--;
    memmove(&x->views[i], &x->views[i + 1], (x->view_count - i) * sizeof(*x->views));
    x->view = without(x->view, i);
    x->home = without(x->home, i);
}

static void give(struct xview *v, struct xfile *f)
{
    v->file = f;
    v->line = f->line;
    v->column = f->column;
}

static bool seen(const struct xfile *f)
{
    for (unsigned i = 0; i < x->view_count; i++)
        if (x->views[i].file == f)
            return true;
    return false;
}

void views_leave(struct xfile *f)
{
    unsigned before = x->view_count;

    if (!x->files)
        return;
    keep(&x->views[x->view]);
    for (unsigned i = before; i-- > 0;) {
        if (x->views[i].file != f)
            continue;
        struct xfile *other = f->prev;
        for (unsigned n = x->files; n > 1 && seen(other); n--)
            other = other->prev;
        if (seen(other))
            drop(i);
        else
            give(&x->views[i], other);
    }
    if (x->view_count != before)
        spread();
    resume();
}

/* The terminal may be another one than before. */
void views_fit(void)
{
    if (x->split_cells == x->cells) {
        x->rows = x->views[x->view].rows;
        return;
    }
    keep(&x->views[x->view]);
    while (x->view_count * X_LEAST_ROWS > screen_rows())
        drop(x->view_count - 1 - (x->view == x->view_count - 1));
    spread();
    resume();
}

bool views_make(unsigned n, const unsigned *rows)
{
    struct xview *made = pool_take(n * sizeof(*made));
    unsigned had = x->view_count < n ? x->view_count : n;

    if (!made)
        return false;
    memset(made, 0, n * sizeof(*made));
    if (!x->views) {
        keep(&made[0]);
        had = 1;
    } else {
        keep(&x->views[x->view]);
        memcpy(made, x->views, had * sizeof(*made));
        if (x->view >= n)
            memcpy(&made[n - 1], &x->views[x->view], sizeof(*made));
    }
    for (unsigned i = had; i < n; i++)
        give(&made[i], made[i - 1].file->next);
    pool_give(x->views);
    x->views = made;
    x->view_count = n;
    x->view = x->view < n ? x->view : n - 1;
    x->home = x->view;
    spread();
    for (unsigned i = 0; rows && i < n; i++)
        made[i].rows = rows[i];
    resume();
    return true;
}
