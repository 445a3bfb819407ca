/* SPDX-License-Identifier: MIT */
#ifndef VMKB_AMONG_H
#define VMKB_AMONG_H
#include "ctype.h"
#include "lib.h"

/* WORD, in upper case, is one of WORDS, which have blanks between them, or an abbreviation of one
 * that is at least as long as its capital letters. */
static inline bool among(const char *words, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = words; *p; p += *p == ' ') {
        size_t len = 0, least = 0, k = 0;
        for (; p[len] && p[len] != ' '; len++)
            if (to_upper(p[len]) == (uint8_t)p[len])
                least = len + 1;
        while (k < n && k < len && to_upper(p[k]) == (uint8_t)word[k])
            k++;
        if (n && k == n && n >= least)
            return true;
        p += len;
    }
    return false;
}
#endif
