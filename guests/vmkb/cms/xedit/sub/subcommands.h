/* SPDX-License-Identifier: MIT */
/* What the files of subcommands share. */
#ifndef VMKB_XEDIT_SUBCOMMANDS_H
#define VMKB_XEDIT_SUBCOMMANDS_H
#include "xedit.h"

/* blocks.c */
int lines_copy(uint32_t first, uint32_t last, uint32_t after);
void lines_move(uint32_t first, uint32_t last, uint32_t after);
void shift_line(uint32_t k, int by);

/* change.c: one line; from column `from` on (from 0). Occurrences changed, -1: no room. */
struct change {
    struct xpattern old;
    char text[X_STRING]; /* what comes instead */
    uint32_t len;
    uint32_t count, skip; /* at most so many occurrences of a line, from that one on */
};
int change_line(uint32_t k, const struct change *c, uint32_t from);
int change_parse(const char **text, struct change *c);

/* insert.c */
void split_at(uint32_t line, uint32_t column, bool aligned);
int join_at(uint32_t line, uint32_t column, bool aligned);

/* The text behind a subcommand's name: one blank parts them. */
static inline const char *text_operand(const char *operands)
{
    return *operands == ' ' ? operands + 1 : operands;
}
#endif
