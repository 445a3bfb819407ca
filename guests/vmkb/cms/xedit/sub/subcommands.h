/* SPDX-License-Identifier: MIT */
/* What the files of subcommands share. */
#ifndef VMKB_XEDIT_SUBCOMMANDS_H
#define VMKB_XEDIT_SUBCOMMANDS_H
#include "xedit.h"

/* blocks.c */
int lines_copy(uint32_t first, uint32_t last, uint32_t after);
void lines_move(uint32_t first, uint32_t last, uint32_t after);
void shift_line(uint32_t k, int by);

/* The text behind a subcommand's name: one blank parts them. */
static inline const char *text_operand(const char *operands)
{
    return *operands == ' ' ? operands + 1 : operands;
}
#endif
