/* SPDX-License-Identifier: MIT */
/*
 * How large the terminal's screen is. The first key on the logo has CP ask it: Read Partition
 * (Query), whose reply comes as if by a key (3270 Data Stream Programmer's Reference, GA23-0059).
 * A device without structured fields refuses that at once, and one that does not answer in time is
 * taken for 24 by 80.
 */
#include "display_internal.h"

enum {
    QUERY_REPLY = 0x81, USABLE_AREA = 0x81, COLOR = 0x86, IMPLICIT_PARTITION = 0xa6,
    SELF_DEFINING = 4, SIZES = 1
};

void display_set_asks(struct display *d)
{
    d->can_ask = d->asks = true;
}

void display_size(const struct display *d, unsigned *rows, unsigned *cols, bool *extended)
{
    *rows = d->most_rows;
    *cols = d->most_cols;
    *extended = d->extended;
}

void display_small(struct display *d)
{
    d->rows = DISPLAY_ROWS;
    d->cols = DISPLAY_COLUMNS;
}

void display_large(struct display *d)
{
    d->rows = d->most_rows;
    d->cols = d->most_cols;
}

bool display_ask(struct display *d, struct display_io *io)
{
    static const uint8_t query[5] = {0x00, 0x05, 0x01, 0xff, 0x02};

    memcpy(d->io, query, sizeof query);
    io->ccw = DISPLAY_CCW_STRUCTURED;
    io->data = d->io;
    io->len = sizeof query;
    d->asking = ASK_SENDING;
    d->busy = true;
    return true;
}

void display_asked(struct display *d, bool ok, uint64_t now)
{
    d->asking = ok ? ASK_SENT : ASK_NOT;
    d->ask_until = now + DISPLAY_ASK_US;
    if (!ok)
        d->asks = false;
}

static unsigned two_bytes(const uint8_t *p)
{
    return p[0] * 256u + p[1];
}

static void take(struct display *d, unsigned rows, unsigned cols)
{
    if (rows >= DISPLAY_ROWS && rows <= DISPLAY_ROWS_MAX && cols >= DISPLAY_COLUMNS
        && cols <= DISPLAY_COLUMNS_MAX) {
        d->most_rows = (uint8_t)rows;
        d->most_cols = (uint8_t)cols;
    }
}

/* A screen larger than CP knows stays as it is at the logo, and so does any reply that is cut. */
void display_told(struct display *d, const uint8_t *reply, size_t len)
{
    size_t at = 1;

    d->asking = ASK_NOT;
    d->asks = false;
    while (at + SELF_DEFINING <= len) {
        const uint8_t *p = reply + at;
        size_t n = two_bytes(p);
        if (n < SELF_DEFINING || n > len - at)
            break;
        if (p[2] == QUERY_REPLY && p[3] == USABLE_AREA && n >= 10)
            take(d, two_bytes(p + 8), two_bytes(p + 6));
        else if (p[2] == QUERY_REPLY && p[3] == IMPLICIT_PARTITION && n >= 17 && p[7] == SIZES)
            take(d, two_bytes(p + 15), two_bytes(p + 13));
        d->extended |= p[2] == QUERY_REPLY && p[3] == COLOR;
        at += n;
    }
    if (d->screen == SCREEN_LINE) {
        display_large(d);
        d->paint = true;
    }
}
