/* SPDX-License-Identifier: MIT */
/*
 * Data streams of the line-mode screen (3270 orders; layout as VM/370's model 2 console):
 *   rows 1-22   output; row 22 has 79 columns because its last cell is
 *   1759        the input field's attribute; 1760-1898 the input field
 *   1899        status attribute; 1900-1911 status word; 1912-1918 system name
 *   1919        blank, or the attribute of a high row 1
 * A larger screen has the same at its end, and more rows of output.
 * A row that comes up is always blank before it is written, so only its text is sent. A high row
 * takes the last cell of the row above for its attribute and its own last cell to end it; when
 * text is in the way the row is shown at normal intensity rather than losing a character.
 */
#include "display_internal.h"

enum {
    ORDER_SBA = 0x11, ORDER_SF = 0x1D, ORDER_IC = 0x13, ORDER_RA = 0x3C,
    WCC = 0xC0, WCC_RESTORE = 0x02, WCC_ALARM = 0x04,
    RA_PIECE = 480              /* what one Repeat to Address of a 3277 can do */
};

/* Worst case: every row with two attributes, the input field filled, everything repeated. */
_Static_assert(DISPLAY_ROWS_MAX * (DISPLAY_COLUMNS_MAX + 10) + 2 * DISPLAY_INPUT_MAX + 200
               + DISPLAY_LOGO_LINES * 4 < DISPLAY_IO_MAX, "a screen fits one channel program");

static const char status_word[][STATUS_WIDTH + 1] = {
    "RUNNING     ", "VM READ     ", "CP READ     ", "MORE...     ", "HOLDING     ", "NOT ACCEPTED",
};

static uint8_t *put_order(const struct display *d, uint8_t *p, uint8_t order, unsigned cell)
{
    bool large = last_cell(d) >= SIX_BIT_CELLS;

    p[0] = order;
    cell_put(p + 1, cell, large);
    return p + 3;
}

static uint8_t *put_attr(const struct display *d, uint8_t *p, unsigned cell, uint8_t attr)
{
    p = put_order(d, p, ORDER_SBA, cell);
    p[0] = ORDER_SF;
    p[1] = attr;
    return p + 2;
}

static uint8_t *put_text(uint8_t *p, const void *text, size_t len)
{
    memcpy(p, text, len);
    return p + len;
}

/* Nulls from cell to before end, in pieces. */
static uint8_t *put_nulls(const struct display *d, uint8_t *p, unsigned cell, unsigned end)
{
    if (cell >= end)
        return p;
    p = put_order(d, p, ORDER_SBA, cell);
    while (cell < end) {
        cell = cell + RA_PIECE < end ? cell + RA_PIECE : end;
        p = put_order(d, p, ORDER_RA, cell);
        *p++ = 0;
    }
    return p;
}

/* Can this row of text stand at row? The last row is one column shorter. */
static bool fits(const struct display *d, const struct display_line *l, unsigned row)
{
    unsigned last = output_rows(d) - 1;

    return row < last || (row == last && l->len < d->cols);
}

/* How many queued rows the page can still take, in order. */
unsigned display_lines_that_fit(const struct display *d)
{
    unsigned n = output_rows(d) - d->row;

    if (n > d->count)
        return d->count;
    if (n > 0 && !fits(d, &d->queue[(d->head + n - 1) & (DISPLAY_QUEUE - 1)], d->row + n - 1))
        n--;
    return n;
}

static uint8_t *put_row(struct display *d, uint8_t *p, const struct display_line *l)
{
    unsigned cell = d->row * d->cols, len = l->len < d->cols ? l->len : d->cols;
    bool high = (l->flags & DISPLAY_HIGH) && !d->last_full && len < d->cols;

    d->row++;
    d->last_full = len == d->cols;
    if (l->flags & DISPLAY_ALARM)
        d->alarm = true;
    if (len == 0)
        return p;
    if (high)
        p = put_attr(d, p, cell > 0 ? cell - 1 : last_cell(d), ATTR_HIGH);
    else
        p = put_order(d, p, ORDER_SBA, cell);
    p = put_text(p, l->text, len);
    if (high && cell + d->cols - 1 != input_attr_cell(d))
        p = put_attr(d, p, cell + d->cols - 1, ATTR_OUTPUT);
    return p;
}

/* The input field: its attribute if that changes, and its text if that must change. */
static uint8_t *put_input(struct display *d, uint8_t *p, bool whole)
{
    uint8_t attr = d->hidden ? ATTR_HIDDEN : ATTR_INPUT;
    bool fill = d->input_fill, empty = d->input_clear;

    d->input_fill = d->input_clear = false;
    if (!whole && !fill && !empty && attr == d->shown_attr)
        return p;
    p = put_attr(d, p, input_attr_cell(d), attr);
    d->shown_attr = attr;
    if (fill) {
        unsigned room = status_attr_cell(d) - input_cell(d);
        unsigned len = d->fill_len < room ? d->fill_len : room;
        p = put_text(p, d->fill, len);
        *p++ = ORDER_IC;
        return put_nulls(d, p, input_cell(d) + len, status_attr_cell(d));
    }
    if (whole || empty)
        *p++ = ORDER_IC;
    if (empty)
        p = put_nulls(d, p, input_cell(d), status_attr_cell(d));
    return p;
}

static uint8_t *put_status(struct display *d, uint8_t *p, bool whole)
{
    enum display_status status = display_status(d);
    size_t len;

    if (!whole && status == d->shown_status)
        return p;
    p = put_attr(d, p, status_attr_cell(d), ATTR_OUTPUT);
    p = put_text(p, status_word[status], STATUS_WIDTH);
    d->shown_status = (uint8_t)status;
    if (whole) {
        len = strlen(d->config->sysname);
        p = put_text(p, d->config->sysname,
                     len < DISPLAY_SYSNAME_MAX ? len : DISPLAY_SYSNAME_MAX);
    }
    return p;
}

static size_t finish(struct display *d, uint8_t *p, bool lines)
{
    bool unlocks = d->restore && d->locked;

    if (lines || unlocks)
        d->looks = unlocks;
    if (unlocks)
        d->locked = false;
    d->io[0] = (uint8_t)(WCC | (d->restore ? WCC_RESTORE : 0) | (d->alarm ? WCC_ALARM : 0));
    d->restore = d->alarm = false;
    return (size_t)(p - d->io);
}

/*
 * One write with everything that is due, the first `lines` queued rows included; erase: it is an
 * Erase/Write and the whole screen is formatted anew. Returns its length in d->io.
 * The caller has made sure that the rows fit.
 */
size_t display_build(struct display *d, unsigned lines, bool erase)
{
    uint8_t *p = d->io + 1;
    bool whole = erase || d->mend;
    unsigned i;

    if (d->mend) {      /* the user cleared the screen; rows that came after it must stay */
        p = put_nulls(d, p, 0, (d->row - d->wrote_rows) * d->cols);
        p = put_nulls(d, p, d->row * d->cols, input_attr_cell(d));
    } else if (d->clear && !erase) {
        p = put_nulls(d, p, 0, input_attr_cell(d));
        p = put_order(d, p, ORDER_SBA, last_cell(d));
        *p++ = 0;
    }
    for (i = 0; i < lines; i++)
        p = put_row(d, p, &d->queue[(d->head + i) & (DISPLAY_QUEUE - 1)]);
    p = put_input(d, p, whole);
    p = put_status(d, p, whole);
    d->paint = d->mend = d->clear = false;
    return finish(d, p, lines > 0);
}

/* The logo as an Erase/Write: logo rows, an input field and the status. Returns its length. */
size_t display_build_logo(struct display *d)
{
    const struct display_config *c = d->config;
    uint8_t *p = d->io + 1;
    unsigned i;

    for (i = 0; i < c->logo_lines && i < DISPLAY_LOGO_LINES; i++) {
        size_t len = strlen(c->logo[i]);

        if (!len)
            continue;
        if (len > DISPLAY_COLUMNS)
            len = DISPLAY_COLUMNS;
        p = put_order(d, p, ORDER_SBA, i * DISPLAY_COLUMNS);
        p = put_text(p, c->logo[i], len);
    }
    p = put_input(d, p, true);
    p = put_status(d, p, true);
    d->paint = false;
    return finish(d, p, false);
}
