/* SPDX-License-Identifier: MIT */
/* Words of a configuration line: blank-delimited, folded to upper case, `;` begins a comment. */
#ifndef VMKB_WORDS_H
#define VMKB_WORDS_H
#include "lib.h"

#define WORD_MAX 49
unsigned words_split(const char *text, unsigned len, char words[][WORD_MAX], unsigned max);
bool words_number(const char *w, uint32_t *value);
bool words_ip(const char *w, uint32_t *ip);   /* dotted decimal, big-endian number */
#endif
