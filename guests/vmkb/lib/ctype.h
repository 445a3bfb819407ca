/* SPDX-License-Identifier: MIT */
/*
 * Character classes in the execution character set, whichever it is (EBCDIC 1047 in the guest,
 * ASCII in host tests). The argument is a byte; a negative char is taken as its unsigned value.
 */
#ifndef VMKB_CTYPE_H
#define VMKB_CTYPE_H

#include <stdbool.h>

enum { CT_UPPER = 1, CT_LOWER = 2, CT_DIGIT = 4, CT_SPACE = 8, CT_HEX = 16, CT_PRINT = 32 };

extern const unsigned char ctype_class[256];
extern const unsigned char ctype_fold_up[256];   /* zero where the byte stays as it is */
extern const unsigned char ctype_fold_down[256]; /* zero where the byte stays as it is */

static inline bool is_upper(int c) { return ctype_class[c & 0xff] & CT_UPPER; }
static inline bool is_lower(int c) { return ctype_class[c & 0xff] & CT_LOWER; }
static inline bool is_alpha(int c) { return ctype_class[c & 0xff] & (CT_UPPER | CT_LOWER); }
static inline bool is_digit(int c) { return ctype_class[c & 0xff] & CT_DIGIT; }
static inline bool is_alnum(int c)
{
    return ctype_class[c & 0xff] & (CT_UPPER | CT_LOWER | CT_DIGIT);
}

static inline bool is_space(int c) { return ctype_class[c & 0xff] & CT_SPACE; }
static inline bool is_xdigit(int c) { return ctype_class[c & 0xff] & CT_HEX; }
static inline bool is_print(int c) { return ctype_class[c & 0xff] & CT_PRINT; }

static inline int to_upper(int c)
{
    int up = ctype_fold_up[c & 0xff];
    return up ? up : (c & 0xff);
}

static inline int to_lower(int c)
{
    int down = ctype_fold_down[c & 0xff];
    return down ? down : (c & 0xff);
}

/* Value 0 to 15 of a hexadecimal digit, -1 for any other byte. */
int hex_value(int c);

#endif
