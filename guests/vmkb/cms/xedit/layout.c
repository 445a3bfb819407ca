/* SPDX-License-Identifier: MIT */
/* What stands in which row of the screen. */
#include "xedit.h"

int row_number(int row)
{
    int n = row >= X_MIDDLE / 2 ? (int)(x->rows + 1) / 2 + row - X_MIDDLE - 1
            : row < 0           ? (int)x->rows + row
                                : row - 1;

    return n >= 1 && n < (int)x->rows ? n : -1;
}

unsigned data_width(void)
{
    return x->cols - (x->file->prefix_on ? X_PREFIX + 2 : 1);
}

static bool take(int r, uint8_t kind)
{
    if (r < 0 || x->row[r].kind != ROW_BLANK)
        return false;
    x->row[r].kind = kind;
    x->free_rows--;
    return true;
}

static void fixed_rows(void)
{
    const struct xfile *f = x->file;
    int last = (int)x->rows - 1;

    memset(x->row, 0, sizeof(x->row));
    x->free_rows = x->rows;
    take(0, ROW_ID);
    if (f->cmdline == X_CMD_ON) {
        take(last - 1, ROW_COMMAND);
        take(last, ROW_STATUS);
    } else if (f->cmdline != X_CMD_OFF) {
        take(f->cmdline == X_CMD_TOP ? 1 : last, ROW_COMMAND);
    }
    for (unsigned i = 0; i < f->reserved; i++) {
        int r = row_number(f->reserve[i].row);
        if (take(r, ROW_RESERVED))
            x->row[r].count = i;
    }
    if (f->scale)
        take(row_number(f->scale_row), ROW_SCALE);
    if (f->tabline)
        take(row_number(f->tab_row), ROW_TABLINE);
}

/* The row of the current line: the nearest that is free for it. */
static unsigned current_row(void)
{
    int wanted = row_number(x->file->curline);
    unsigned r = wanted < 0 ? 1 : (unsigned)wanted;

    while (r < x->rows && x->row[r].kind != ROW_BLANK)
        r++;
    if (r == x->rows)
        for (r = x->rows - 1; r > 1 && x->row[r].kind != ROW_BLANK;)
            r--;
    return r;
}

/* Rows of a line: as many as its text needs. */
static unsigned pieces(const struct xline *l, uint32_t width, uint32_t *from)
{
    const struct xfile *f = x->file;
    uint32_t to = l->len < f->verify2 ? l->len : f->verify2;

    *from = f->verify1 - 1 + f->shift;
    return f->shift || to <= *from + width ? 1 : (to - *from + width - 1) / width;
}

static unsigned free_row(unsigned r, int by)
{
    while (r > 0 && r < x->rows && x->row[r].kind != ROW_BLANK)
        r += (unsigned)by;
    return r;
}

/* Line k from row r on, down or up. Returns the next free row; *k becomes the next line. */
static unsigned put_line(unsigned r, uint32_t *k, int by)
{
    uint32_t from, width = data_width();

    if (x->file->selects && is_line(*k) && !shown(*k)) {
        uint32_t n = 0, at = *k;
        for (; is_line(at) && !shown(at); at += (uint32_t)by)
            n++;
        if (x->file->shadow) {
            x->row[r] = (struct xrow){.kind = ROW_SHADOW, .first = true,
                                      .line = by > 0 ? *k : at + 1, .count = n};
            r = free_row(r + (unsigned)by, by);
        }
        *k = at;
        return r;
    }
    if (!is_line(*k)) {
        if (x->file->tofeof)
            x->row[r] = (struct xrow){.kind = *k == top_of() ? ROW_TOF : ROW_EOF, .first = true,
                                      .line = *k};
        *k += (uint32_t)by;
        return free_row(r + (unsigned)by, by);
    }
    const struct xline *l = line_at(*k);
    unsigned n = pieces(l, width, &from);
    for (unsigned i = 0; i < n && r > 0 && r < x->rows; i++) {
        unsigned piece = by > 0 ? i : n - 1 - i;
        x->row[r] = (struct xrow){.kind = ROW_LINE, .first = piece == 0, .line = *k,
                                  .from = from + piece * width, .text = l};
        r = free_row(r + (unsigned)by, by);
    }
    *k += (uint32_t)by;
    return r;
}

/* The usual case of put_line: all lines are shown, and this one needs one row. */
static inline bool put_usual(unsigned r, uint32_t k, uint32_t from, uint32_t width)
{
    const struct xfile *f = x->file;
    const struct xline *l = *text_at(&x->file->text, k);
    struct xrow *row = &x->row[r];

    if (l->len > from + width && f->verify2 > from + width)
        return false;
    row->kind = ROW_LINE;
    row->first = true;
    row->line = k;
    row->from = from;
    row->text = l;
    return true;
}

/* Messages lie over what is there. */
static void message_rows(void)
{
    int r = x->file->msgline_on ? row_number(x->file->msg_row) : -1;

    for (unsigned i = 0; r >= 0 && i < x->messages && (unsigned)r + i < x->rows - 2; i++)
        x->row[(unsigned)r + i] = (struct xrow){.kind = ROW_MESSAGE, .count = i};
}

void layout(void)
{
    uint32_t top = top_of(), end = end_of(), k = x->file->line;

    uint32_t from = x->file->verify1 - 1 + x->file->shift, width = data_width();
    bool usual = !x->file->selects && !x->inputting;

    fixed_rows();
    unsigned current = current_row(), r = current;
    while (r < x->rows && k <= end) {
        if (usual && k > top && k < end && put_usual(r, k, from, width)) {
            k++;
            r++;
            if (r < x->rows && x->row[r].kind != ROW_BLANK)
                r = free_row(r, 1);
            continue;
        }
        r = put_line(r, &k, 1);
        if (x->inputting)
            break;
    }
    for (; x->inputting && r < x->rows; r = free_row(r + 1, 1))
        x->row[r].kind = ROW_INPUT;
    k = x->file->line;
    r = free_row(current - 1, -1);
    while (r > 0 && k-- > top) {
        if (usual && k > top && put_usual(r, k, from, width)) {
            r--;
            if (x->row[r].kind != ROW_BLANK)
                r = free_row(r, -1);
            continue;
        }
        r = put_line(r, &k, -1);
        k++;
    }
    message_rows();
}

unsigned data_rows(void)
{
    if (x->depth || !x->free_rows) /* a macro may have changed what rows there are */
        fixed_rows();
    return x->free_rows;
}
