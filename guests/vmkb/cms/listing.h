/* SPDX-License-Identifier: MIT */
/* How LISTFILE shows a file. Pure: text from numbers. */
#ifndef VMKB_CMS_LISTING_H
#define VMKB_CMS_LISTING_H
#include "fs.h"
#include "lib.h"

enum listing { LIST_FNAME, LIST_FTYPE, LIST_FMODE, LIST_FORMAT, LIST_ALLOC, LIST_DATE, LIST_LABEL };
enum { LISTING_LINE = 96 };

/* One line of that much detail, in z/VM's columns. label is 8 bytes, blank-padded. Returns its
 * length. */
unsigned listing_line(char buf[LISTING_LINE], enum listing detail, const struct fs_stat *st,
                      char letter, const uint8_t label[8]);
/* The heading over such lines, "" for the short ones. */
const char *listing_heading(enum listing detail);
#endif
