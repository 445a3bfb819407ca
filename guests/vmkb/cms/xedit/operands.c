/* SPDX-License-Identifier: MIT */
/* Words of a subcommand's operands. */
#include "xedit.h"

const char *skip_blanks(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

const char *next_word(const char **p, char *word, size_t size)
{
    size_t n = 0;

    *p = skip_blanks(*p);
    while (**p && **p != ' ') {
        if (n < size - 1)
            word[n++] = (char)to_upper(**p);
        ++*p;
    }
    word[n] = 0;
    *p = skip_blanks(*p);
    return word;
}

bool whole_number(const char *word, int32_t *n)
{
    bool minus = *word == '-';
    uint32_t v;

    if (*word == '-' || *word == '+')
        word++;
    if (!cms_number(word, &v))
        return false;
    *n = minus ? -(int32_t)v : (int32_t)v;
    return true;
}
