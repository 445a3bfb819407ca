/* SPDX-License-Identifier: MIT */
/* The screen as one 3270 data stream (3270 Data Stream Programmer's Reference, GA23-0059). Rows
 * follow each other, so that only the first one and the cursor need an address of their own. */
#include "cell.h"
#include "translate.h"
#include "xedit.h"

enum {
    ORDER_SBA = 0x11, ORDER_SF = 0x1d, ORDER_SFE = 0x29, ORDER_IC = 0x13, ORDER_RA = 0x3c,
    ATTRIBUTE = 0xc0, HIGHLIGHT = 0x41, COLOR = 0x42,
    WCC_UNLOCK = 0xc3, WCC_ALARM = 0x04,
    FIELD_SKIP = 0xf0, FIELD_SKIP_HIGH = 0xf8, FIELD_INPUT = 0x40, FIELD_INPUT_HIGH = 0xc8,
    FIELD_TYPED = 0xc1, /* brought by the next key as if it had been typed over */
    STATUS_WIDTH = 20
};

static uint8_t shows[256];

static uint8_t *put_address(uint8_t *p, uint8_t order, unsigned cell)
{
    unsigned cells = x->cells;

    cell += x->base;
    if (cell >= cells)
        cell -= cells;
    p[0] = order;
    cell_put(p + 1, cell, cells > SIX_BIT_CELLS);
    return p + 3;
}

static uint8_t *put_field(uint8_t *p, uint8_t attribute)
{
    p[0] = ORDER_SF;
    p[1] = attribute;
    return p + 2;
}

/* Bytes that the terminal would not show are shown as SET NONDISP's ". */
static void make_shows(void)
{
    for (unsigned c = 0; c < sizeof(shows); c++)
        shows[c] = c < ' ' || c == 0xff ? '"' : (uint8_t)c;
}

static inline unsigned shown_text(const struct xrow *r, const struct xline *l, unsigned width,
                                  char *text)
{
    const struct xfile *f = x->file;
    uint32_t to = l->len < f->verify2 ? l->len : f->verify2;
    uint32_t n = to > r->from ? to - r->from : 0;

    if (n > width)
        n = width;
    if (n) {
        memcpy(text, l->text + r->from, n);
        translate(text, n, shows);
    }
    return n;
}

unsigned row_data(const struct xrow *r, char *text)
{
    return shown_text(r, line_at(r->line), data_width(), text);
}

static uint8_t *put_text(uint8_t *p, const char *text, size_t len, size_t room)
{
    if (len > room)
        len = room;
    memcpy(p, text, len);
    translate(p, len, shows);
    return p + len;
}

static uint8_t *put_rest(uint8_t *p, unsigned cell, unsigned end, uint8_t with)
{
    if (cell >= end)
        return p;
    p = put_address(p, ORDER_RA, end);
    *p = with;
    return p + 1;
}

/* A protected row from its attribute on. */
static uint8_t *put_words(uint8_t *p, unsigned row, uint8_t attribute, const char *text)
{
    size_t n = strlen(text);

    if (n > x->cols - 1)
        n = x->cols - 1;
    p = put_field(p, attribute);
    p = put_text(p, text, n, x->cols - 1);
    return put_rest(p, row * x->cols + 1 + (unsigned)n, (row + 1) * x->cols, 0);
}

void prefix_text(const struct xrow *r, char text[X_PREFIX + 1])
{
    const struct xfile *f = x->file;

    if (f->number && r->kind != ROW_SHADOW)
        fmt(text, X_PREFIX + 1, "%05u", r->line % 100000);
    else
        memcpy(text, f->prefix_nulls ? "     " : "=====", X_PREFIX + 1);
    for (unsigned i = 0; i < f->marks; i++) {
        const struct xmark *m = &f->mark[i];
        if (m->line != r->line || m->name[0] == '.')
            continue;
        char shown[16];
        int n = fmt(shown, sizeof(shown), m->count > 1 ? "%s%u" : "%s", m->name, m->count);
        memcpy(text, shown, (size_t)(n > X_PREFIX ? X_PREFIX : n));
        break;
    }
}

static uint8_t *put_prefix(uint8_t *p, const struct xrow *r)
{
    char text[X_PREFIX + 1];

    if (!r->first) {
        p = put_field(p, FIELD_SKIP);
        memset(p, 0, X_PREFIX);
        return p + X_PREFIX;
    }
    p = put_field(p, FIELD_INPUT);
    if (x->file->marks) {
        prefix_text(r, text);
        memcpy(p, text, X_PREFIX);
    } else if (x->file->number && r->kind != ROW_SHADOW) {
        uint32_t n = r->line;
        for (int i = X_PREFIX - 1; i >= 0; i--, n /= 10)
            p[i] = (uint8_t)('0' + n % 10);
    } else {
        memcpy(p, x->file->prefix_nulls ? "     " : "=====", X_PREFIX);
    }
    return p + X_PREFIX;
}

/* What most rows are: the prefix area as it is, a line, and nothing behind it. */
static inline uint8_t *put_usual(uint8_t *p, const struct xrow *r, const uint8_t *end)
{
    static const uint8_t head[9] = {ORDER_SF, FIELD_INPUT, '=', '=', '=', '=', '=', ORDER_SF,
                                    FIELD_INPUT};
    const struct xfile *f = x->file;
    unsigned width = x->cols - X_PREFIX - 2;

    memcpy(p, head, sizeof(head));
    if (r->line == f->line)
        p[8] = FIELD_INPUT_HIGH;
    unsigned n = shown_text(r, r->text, width, (char *)p + sizeof(head));
    p += sizeof(head) + n;
    if (n == width)
        return p;
    p[0] = ORDER_RA;
    p[1] = end[0];
    p[2] = end[1];
    p[3] = f->nulls ? 0 : ' ';
    return p + 4;
}

static uint8_t *put_line(uint8_t *p, unsigned row)
{
    const struct xfile *f = x->file;
    const struct xrow *r = &x->row[row];
    unsigned start = row * x->cols, width = data_width(), n;
    bool current = r->line == f->line;
    char hidden[X_COLUMNS];

    if (f->prefix_on && !f->prefix_right) {
        p = put_prefix(p, r);
        start += 1 + X_PREFIX;
    }
    if (r->kind == ROW_LINE) {
        p = put_field(p, current ? FIELD_INPUT_HIGH : FIELD_INPUT);
        n = shown_text(r, r->text, width, (char *)p);
        p += n;
    } else {
        if (r->kind == ROW_SHADOW)
            n = (unsigned)fmt(hidden, sizeof(hidden),
                              "-------------------- %u line(s) not displayed --------------------",
                              r->count);
        else
            n = edge_text(r->line, hidden, sizeof(hidden));
        p = put_field(p, current ? FIELD_SKIP_HIGH : FIELD_SKIP);
        p = put_text(p, hidden, n, width);
        n = n > width ? width : n;
    }
    p = put_rest(p, start + 1 + n, start + 1 + width,
                 r->kind == ROW_LINE && !f->nulls ? ' ' : 0);
    if (f->prefix_on && f->prefix_right)
        p = put_prefix(p, r);
    return p;
}

/* |...+....1 with the zones, the truncation column and the column pointer in it. */
static void scale_text(char *text, unsigned width)
{
    const struct xfile *f = x->file;
    uint32_t from = f->verify1 - 1 + f->shift;

    for (unsigned i = 0; i < width; i++) {
        uint32_t c = from + i + 1;
        text[i] = c % 10 == 0 ? (char)('0' + c / 10 % 10) : c % 5 == 0 ? '+' : '.';
        if (c == f->zone1)
            text[i] = '<';
        if (c == f->zone2)
            text[i] = '>';
        if (c == f->trunc && c != f->zone2)
            text[i] = 'T';
        if (c == f->column)
            text[i] = '|';
    }
}

static void tab_text(char *text, unsigned width)
{
    const struct xfile *f = x->file;
    uint32_t from = f->verify1 - 1 + f->shift;

    memset(text, ' ', width);
    for (unsigned t = 0; t < f->tab_count; t++)
        if (f->tabs[t] > from && f->tabs[t] <= from + width)
            text[f->tabs[t] - from - 1] = 'T';
}

/* The scale is made anew when something in it has changed. */
static uint8_t *put_scale(uint8_t *p, unsigned row)
{
    const struct xfile *f = x->file;
    unsigned width = data_width(), left = f->prefix_on && !f->prefix_right ? X_PREFIX + 1 : 0;
    uint32_t of[6] = {width, f->verify1 + f->shift, f->zone1, f->zone2, f->trunc, f->column};
    char tabs[X_COLUMNS];

    p = put_field(p, FIELD_SKIP);
    memset(p, ' ', X_PREFIX + 1);
    p += left;
    if (x->row[row].kind == ROW_TABLINE) {
        tab_text(tabs, width);
        p = put_text(p, tabs, width, width);
    } else {
        if (memcmp(of, x->scale_of, sizeof(of)) != 0) {
            memcpy(x->scale_of, of, sizeof(of));
            scale_text(x->scale, width);
        }
        memcpy(p, x->scale, width);
        p += width;
    }
    return put_rest(p, row * x->cols + 1 + left + width, (row + 1) * x->cols, 0);
}

static uint8_t *put_reserved(uint8_t *p, unsigned row)
{
    const struct xreserved *r = &x->file->reserve[x->row[row].count];
    uint8_t attribute = r->high ? FIELD_SKIP_HIGH : FIELD_SKIP, *start = p;

    p = put_words(p, row, attribute, r->text);
    if (!x->extended || (!r->color && !r->highlight))
        return p;
    uint8_t fields[8] = {ORDER_SFE, 1, ATTRIBUTE, attribute};
    unsigned n = 4;
    if (r->highlight) {
        fields[n++] = HIGHLIGHT;
        fields[n++] = r->highlight;
        fields[1]++;
    }
    if (r->color) {
        fields[n++] = COLOR;
        fields[n++] = r->color;
        fields[1]++;
    }
    memmove(start + n, start + 2, (size_t)(p - start - 2));
    memcpy(start, fields, n);
    return p + n - 2;
}

static char *put_number(char *p, const char *before, uint32_t n)
{
    char digits[10];
    unsigned k = 0, len = (unsigned)strlen(before);

    memcpy(p, before, len);
    p += len;
    do
        digits[k++] = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    while (k)
        *p++ = digits[--k];
    return p;
}

/* By hand: it is on every screen. */
static uint8_t *put_id(uint8_t *p)
{
    const struct xfile *f = x->file;
    char text[2 * X_COLUMNS], *t = text;
    size_t fn = strlen(f->id.fn), ft = strlen(f->id.ft);

    memset(text, ' ', 32);
    memcpy(text, f->id.fn, fn);
    memcpy(text + 9, f->id.ft, ft);
    text[18] = f->id.letter;
    text[19] = (char)('0' + f->id.number);
    text[22] = (char)f->recfm;
    t = put_number(text + 23, " ", f->lrecl);
    t = put_number(t, "  Trunc=", f->trunc);
    t = put_number(t, " Size=", size_of());
    t = put_number(t, " Line=", f->line < end_of() ? f->line : end_of() - 1);
    t = put_number(t, " Col=", f->column);
    t = put_number(t, " Alt=", f->changes);
    *t = 0;
    return put_words(p, 0, FIELD_SKIP_HIGH, text);
}

static void strcpy_to(char *to, const char *from)
{
    memcpy(to, from, strlen(from) + 1);
}

static const char *pending(void)
{
    for (unsigned i = 0; i < x->file->marks; i++)
        if (x->file->mark[i].name[0] != '.')
            return x->file->mark[i].name;
    return 0;
}

static uint8_t *put_status(uint8_t *p)
{
    char text[STATUS_WIDTH + 16];
    const char *waits = x->file->marks ? pending() : 0;

    if (waits)
        fmt(text, sizeof(text), "'%s' pending...", waits);
    else
        strcpy_to(put_number(text, x->inputting ? "Input-mode " : x->depth ? "Macro-read "
                                                                           : "X E D I T  ",
                             x->files), x->files == 1 ? " File" : " Files");
    p = put_field(p, FIELD_SKIP);
    size_t n = strlen(text) < STATUS_WIDTH - 1 ? strlen(text) : STATUS_WIDTH - 1;
    p = put_text(p, text, n, n);
    return put_rest(p, (x->rows - 1) * x->cols + x->cols - STATUS_WIDTH + 1 + (unsigned)n,
                    x->rows * x->cols, 0);
}

static uint8_t *put_command(uint8_t *p, unsigned row)
{
    bool two = x->file->cmdline == X_CMD_ON;
    unsigned cell = row * x->cols + X_PREFIX + 2;
    unsigned end = two ? (row + 2) * x->cols - STATUS_WIDTH : (row + 1) * x->cols;
    const char *text = x->inputting ? "* * * Input Zone * * *" : x->command;
    size_t n = strlen(text) < end - cell ? strlen(text) : end - cell;

    p = put_field(p, FIELD_SKIP);
    p = put_text(p, "====>", X_PREFIX, X_PREFIX);
    p = put_field(p, x->command[0] && !x->inputting ? FIELD_TYPED : FIELD_INPUT);
    p = put_text(p, text, n, n);
    p = put_rest(p, cell + (unsigned)n, end, 0);
    return two ? put_status(p) : p;
}

static uint8_t *put_row(uint8_t *p, unsigned row)
{
    const struct xrow *r = &x->row[row];

    switch (r->kind) {
    case ROW_ID: return put_id(p);
    case ROW_LINE: case ROW_TOF: case ROW_EOF: case ROW_SHADOW: return put_line(p, row);
    case ROW_SCALE: case ROW_TABLINE: return put_scale(p, row);
    case ROW_RESERVED: return put_reserved(p, row);
    case ROW_MESSAGE: return put_words(p, row, FIELD_SKIP_HIGH, x->message[r->count]);
    case ROW_COMMAND: return put_command(p, row);
    case ROW_STATUS: return p; /* the command line's second row */
    case ROW_INPUT:
        p = put_field(p, FIELD_INPUT);
        return put_rest(p, row * x->cols + 1, (row + 1) * x->cols, 0);
    default: return put_words(p, row, FIELD_SKIP, "");
    }
}

static unsigned left_of_data(void)
{
    return x->file->prefix_on && !x->file->prefix_right ? X_PREFIX + 2 : 1;
}

/* The cell of the file's line and column; -1: not on the screen. */
static int file_cell(uint32_t line, uint32_t column)
{
    unsigned width = data_width();

    for (unsigned r = 0; r < x->rows; r++) {
        const struct xrow *row = &x->row[r];
        if (row->kind == ROW_LINE && row->line == line && column > row->from
            && column <= row->from + width)
            return (int)(r * x->cols + left_of_data() + column - row->from - 1);
    }
    return -1;
}

static int command_cell(void)
{
    for (unsigned r = 0; r < x->rows; r++)
        if (x->row[r].kind == ROW_COMMAND)
            return (int)(r * x->cols + X_PREFIX + 2);
    return -1;
}

static int cursor_cell(void)
{
    int cell = -1, command = command_cell();

    for (unsigned r = 0; x->inputting && r < x->rows; r++)
        if (x->row[r].kind == ROW_INPUT)
            return (int)(r * x->cols + 1);
    if (x->cursor == CURSOR_FILE)
        cell = file_cell(x->cursor_line, x->cursor_column);
    else if (x->cursor == CURSOR_SCREEN && x->cursor_line >= 1 && x->cursor_line <= x->rows)
        cell = (int)((x->cursor_line - 1) * x->cols + x->cursor_column - 1);
    else if (x->cursor == CURSOR_COMMAND && command >= 0 && x->cursor_column > 1)
        cell = command + (int)x->cursor_column - 1;
    if (cell < 0 || cell >= (int)(x->rows * x->cols))
        cell = command >= 0 ? command : file_cell(x->file->line, x->file->column);
    return cell < 0 ? 0 : cell;
}

/* The addresses where rows begin, as they stand in the stream. */
static void note_starts(void)
{
    uint8_t order[3];

    for (unsigned r = 0; r <= x->rows; r++) {
        put_address(order, ORDER_RA, r * x->cols);
        memcpy(x->starts[r], order + 1, 2);
    }
    x->starts_rows = x->rows;
    x->starts_cols = x->cols;
}

static uint8_t *put_view(uint8_t *p)
{
    const struct xfile *f = x->file;

    layout();
    bool usual = f->prefix_on && !f->prefix_right && !f->prefix_nulls && !f->number && !f->marks;
    if (x->starts_cols != x->cols || x->starts_rows != x->rows)
        note_starts();
    for (unsigned r = 0; r < x->rows; r++)
        if (usual && x->row[r].kind == ROW_LINE && x->row[r].first)
            p = put_usual(p, &x->row[r], x->starts[r + 1]);
        else
            p = put_row(p, r);
    return p;
}

/* The rows below the last view. */
static uint8_t *put_below(uint8_t *p)
{
    if (x->base + x->rows * x->cols == x->cells)
        return p;
    p = put_field(p, FIELD_SKIP);
    return put_rest(p, x->rows * x->cols + 1, x->cells - x->base, 0);
}

unsigned stream_build(uint8_t *to)
{
    unsigned at = x->view, i = 0;
    uint8_t *p = to;

    if (!shows['A'])
        make_shows();
    *p++ = (uint8_t)(WCC_UNLOCK | (x->alarm ? WCC_ALARM : 0));
    p = put_address(p, ORDER_SBA, x->cells - x->base);
    do {
        if (x->views)
            view_to(i);
        p = put_view(p);
    } while (++i < x->view_count);
    if (x->views) {
        p = put_below(p);
        view_to(at);
    }
    p = put_address(p, ORDER_SBA, (unsigned)cursor_cell());
    *p++ = ORDER_IC;
    return (unsigned)(p - to);
}
