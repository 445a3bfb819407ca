/* SPDX-License-Identifier: MIT */
#include "words.h"
#include "ctype.h"

unsigned words_split(const char *text, unsigned len, char words[][WORD_MAX], unsigned max)
{
    unsigned n = 0, k = 0;

    for (unsigned i = 0; i <= len; i++) {
        char c = i < len ? text[i] : ' ';
        if (c == ';')
            i = len;         /* the rest is a comment; falls through as a blank */
        if (c == ' ' || c == ';') {
            if (k && n < max) {
                words[n++][k] = 0;
            }
            k = 0;
        } else if (n < max && k < WORD_MAX - 1) {
            words[n][k++] = (char)to_upper(c);
        }
    }
    return n;
}

bool words_number(const char *w, uint32_t *value)
{
    uint64_t v = 0;

    if (!*w)
        return false;
    for (; *w; w++) {
        if (!is_digit(*w) || v > 0xffffffffUL / 10)
            return false;
        v = v * 10 + (unsigned)(*w - '0');
    }
    *value = (uint32_t)v;
    return v <= 0xffffffffUL;
}

bool words_ip(const char *w, uint32_t *ip)
{
    uint32_t v = 0;

    for (int i = 0; i < 4; i++) {
        unsigned part = 0, digits = 0;
        while (is_digit(*w) && digits < 4) {
            part = part * 10 + (unsigned)(*w++ - '0');
            digits++;
        }
        if (!digits || part > 255 || *w != (i < 3 ? '.' : 0))
            return false;
        w++;
        v = v << 8 | part;
    }
    *ip = v;
    return true;
}
