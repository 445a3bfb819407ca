/* SPDX-License-Identifier: MIT */
/* The ring of output rows that wait for the device. */
#include "display_internal.h"

/* Rows that display_write() still takes (a line of 1 to 80 bytes is one row). */
int display_room(const struct display *d)
{
    int room = DISPLAY_QUEUE - DISPLAY_ECHO_RESERVE - d->count;
    return room > 0 ? room : 0;
}

/* True when one of the 8 bytes is below 40 or is FF; both tests work on all bytes at once. */
static bool has_control(uint64_t w)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t visible = (w | w << 1) & tops;     /* bit 0 or bit 1 of each byte: 40 and above */
    uint64_t ff = (~w - ones) & w & tops;

    return visible != tops || ff != 0;
}

/* Makes each byte that would be an order or a control in a 3270 data stream a blank. */
void display_blank_controls(uint8_t *text, size_t len)
{
    uint64_t w;
    size_t i = 0;

    while (i < len) {
        if (len >= sizeof w) {      /* the last word overlaps what was looked at before */
            size_t at = i + sizeof w <= len ? i : len - sizeof w;

            __builtin_memcpy(&w, text + at, sizeof w);
            if (!has_control(w)) {
                i = at + sizeof w;
                continue;
            }
        }
        if (text[i] < EBCDIC_BLANK || text[i] == 0xFF)
            text[i] = EBCDIC_BLANK;
        i++;
    }
}

/* Queues text folded to rows of the screen's width; room is how many rows the ring may hold. False:
 * not enough. */
bool display_enqueue(struct display *d, const uint8_t *text, size_t len, unsigned flags,
                     unsigned room)
{
    /* a high row ends with an attribute cell */
    size_t width = flags & DISPLAY_HIGH ? d->cols - 1u : d->cols;
    unsigned rows;

    while (len > 0 && text[len - 1] == EBCDIC_BLANK)
        len--;
    rows = len <= width ? 1 : (unsigned)((len + width - 1) / width);
    if (d->count + rows > room)
        return false;
    do {
        struct display_line *l = &d->queue[(d->head + d->count) & (DISPLAY_QUEUE - 1)];
        size_t part = len < width ? len : width;

        memcpy(l->text, text, part);
        display_blank_controls(l->text, part);
        l->len = (uint8_t)part;
        l->flags = (uint8_t)flags;
        flags &= ~(unsigned)DISPLAY_ALARM;
        text += part;
        len -= part;
        d->count++;
    } while (len > 0);
    return true;
}

/*
 * Queues one line. flags: DISPLAY_HIGH, DISPLAY_ALARM. Longer lines are folded to rows of 80
 * (79 when high), trailing blanks are dropped, control characters become blanks.
 * Returns 0; DISPLAY_FULL when it does not fit now (try again when output has gone out);
 * DISPLAY_TOO_LONG above DISPLAY_LINE_MAX.
 */
int display_write(struct display *d, const uint8_t *text, size_t len, unsigned flags)
{
    if (len > DISPLAY_LINE_MAX)
        return DISPLAY_TOO_LONG;
    return display_enqueue(d, text, len, flags, DISPLAY_QUEUE - DISPLAY_ECHO_RESERVE)
               ? 0 : DISPLAY_FULL;
}
