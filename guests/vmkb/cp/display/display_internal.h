/* SPDX-License-Identifier: MIT */
/* What the display*.c files share. Nothing outside them includes this. */
#ifndef VMKB_DISPLAY_INTERNAL_H
#define VMKB_DISPLAY_INTERNAL_H

#include "display.h"
#include "lib.h"

enum display_screen { SCREEN_OFF, SCREEN_LOGO, SCREEN_LINE, SCREEN_FULL };
enum display_page { PAGE_OPEN, PAGE_MORE, PAGE_HOLDING };

/* The status words; the first three equal enum display_mode. */
enum display_status {
    STATUS_RUNNING, STATUS_VM_READ, STATUS_CP_READ, STATUS_MORE, STATUS_HOLDING, STATUS_REFUSED,
    STATUS_UNKNOWN      /* nothing on the device yet */
};

enum {
    INPUT_ATTR_CELL = 1759,     /* row 22 column 80: so row 22 has one text column less */
    INPUT_CELL = 1760,
    STATUS_ATTR_CELL = 1899,
    LAST_CELL = 1919,
    STATUS_WIDTH = 12,
    ATTR_INPUT = 0xC1,          /* unprotected, MDT: Enter always returns the field */
    ATTR_HIDDEN = 0x4D,         /* the same, not shown */
    ATTR_OUTPUT = 0x60,         /* protected */
    ATTR_HIGH = 0xE8,           /* protected, high intensity */
    EBCDIC_BLANK = 0x40
};

/* display.c */
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
