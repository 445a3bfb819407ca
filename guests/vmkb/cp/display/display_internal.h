/* SPDX-License-Identifier: MIT */
/* What the display*.c files share. Nothing outside them includes this. */
#ifndef VMKB_DISPLAY_INTERNAL_H
#define VMKB_DISPLAY_INTERNAL_H

#include "cell.h"
#include "display.h"
#include "lib.h"

enum display_screen { SCREEN_OFF, SCREEN_LOGO, SCREEN_LINE, SCREEN_FULL };
enum display_page { PAGE_OPEN, PAGE_MORE, PAGE_HOLDING };

/* The status words; the first three equal enum display_mode. */
enum display_status {
    STATUS_RUNNING, STATUS_VM_READ, STATUS_CP_READ, STATUS_MORE, STATUS_HOLDING, STATUS_REFUSED,
    STATUS_UNKNOWN      /* nothing on the device yet */
};

enum display_asking { ASK_NOT, ASK_NOW, ASK_SENDING, ASK_SENT };

enum {
    STATUS_WIDTH = 12,
    STATUS_CELLS = 21,          /* at the end of the last row, its attribute first */
    ATTR_INPUT = 0xC1,          /* unprotected, MDT: Enter always returns the field */
    ATTR_HIDDEN = 0x4D,         /* the same, not shown */
    ATTR_OUTPUT = 0x60,         /* protected */
    ATTR_HIGH = 0xE8,           /* protected, high intensity */
    EBCDIC_BLANK = 0x40
};

static inline unsigned output_rows(const struct display *d)
{
    return d->rows - DISPLAY_BELOW;
}

static inline unsigned last_cell(const struct display *d)
{
    return (unsigned)d->rows * d->cols - 1;
}

static inline unsigned status_attr_cell(const struct display *d)
{
    return last_cell(d) + 1 - STATUS_CELLS;
}

/* Of 24 by 80: row 23 column 1, its attribute in row 22 column 80. */
static inline unsigned input_cell(const struct display *d)
{
    unsigned room = DISPLAY_BELOW * d->cols - STATUS_CELLS;

    return status_attr_cell(d) - (room < DISPLAY_INPUT_MAX ? room : DISPLAY_INPUT_MAX);
}

static inline unsigned input_attr_cell(const struct display *d)
{
    return input_cell(d) - 1;
}

/* display_size.c */
void display_small(struct display *d);
void display_large(struct display *d);
bool display_ask(struct display *d, struct display_io *io);
void display_asked(struct display *d, bool ok, uint64_t now);
void display_told(struct display *d, const uint8_t *reply, size_t len);

/* display_page.c */
void display_new_page(struct display *d);
void display_page_seen(struct display *d);
void display_to_logo(struct display *d);
enum display_status display_status(const struct display *d);

/* display_queue.c */
bool display_enqueue(struct display *d, const uint8_t *text, size_t len, unsigned flags,
                     unsigned room);
void display_blank_controls(uint8_t *text, size_t len);

/* display_build.c */
size_t display_build(struct display *d, unsigned lines, bool erase);
size_t display_build_logo(struct display *d);
unsigned display_lines_that_fit(const struct display *d);

/* display_rest.c */
void display_unlock(struct display *d);
void display_settle(struct display *d, uint64_t now);
bool display_rests(struct display *d, uint64_t now, bool wanted);

/* display_pf.c */
void display_default_pf(struct display *d);
void display_recall_add(struct display *d, const uint8_t *text, size_t len);
bool display_recall_older(struct display *d);
void display_fill(struct display *d, const uint8_t *text, size_t len);

#endif
