/* SPDX-License-Identifier: MIT */
/* Built-in functions on words: what stands between blanks. */
#include "bif.h"

/* Finds the next word at or after *at; false when there is none. */
static bool next_word(rx_val v, uint32_t *at, uint32_t *len)
{
    const char *p = v.s + *at, *end = v.s + v.len;
    while (p < end && *p == ' ')
        p++;
    *at = (uint32_t)(p - v.s);
    *len = rx_word_length(p, end);
    return *len;
}

/* Finds word number n; false when there are fewer. */
static bool nth_word(rx_val v, int64_t n, uint32_t *at, uint32_t *len)
{
    *at = 0;
    *len = 0;
    while (next_word(v, at, len)) {
        if (--n == 0)
            return true;
        *at += *len;
    }
    return false;
}

static int64_t count(rx_val v)
{
    int64_t n = 0;
    for (uint32_t at = 0, len; next_word(v, &at, &len); at += len)
        n++;
    return n;
}

rx_val bif_words(struct rx *rx, const struct rx_args *a)
{
    return rx_int(count(rx_arg_text(rx, a, 0)));
}

rx_val bif_word(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    uint32_t at, len;
    if (!nth_word(v, rx_arg_int(rx, a, 1, 1, 1), &at, &len))
        return rx_text("", 0);
    return rx_text(v.s + at, len);
}

rx_val bif_wordindex(struct rx *rx, const struct rx_args *a)
{
    uint32_t at, len;
    bool found = nth_word(rx_arg_text(rx, a, 0), rx_arg_int(rx, a, 1, 1, 1), &at, &len);
    return rx_int(found ? at + 1 : 0);
}

rx_val bif_wordlength(struct rx *rx, const struct rx_args *a)
{
    uint32_t at, len;
    bool found = nth_word(rx_arg_text(rx, a, 0), rx_arg_int(rx, a, 1, 1, 1), &at, &len);
    return rx_int(found ? len : 0);
}

/* Whether the words of phrase, from pa on, are those of v from va on. */
static bool same_words(rx_val phrase, uint32_t pa, rx_val v, uint32_t va)
{
    for (uint32_t pl, vl; next_word(phrase, &pa, &pl); pa += pl, va += vl)
        if (!next_word(v, &va, &vl) || pl != vl || memcmp(phrase.s + pa, v.s + va, pl) != 0)
            return false;
    return true;
}

/* The number of the word in v where the words of phrase begin, from word start on; 0: nowhere. */
static int64_t find_phrase(rx_val phrase, rx_val v, int64_t start)
{
    uint32_t first = 0, first_len;
    if (!next_word(phrase, &first, &first_len))
        return 0;
    const char begins = phrase.s[first], *end = v.s + v.len, *stop;
    int64_t n = 1;
    for (const char *p = v.s; p < end; p = stop) {
        if (*p == ' ') {
            stop = p + 1;
            continue;
        }
        stop = rx_find(p, end, ' ');
        if (stop - p == first_len && *p == begins && n >= start &&
            same_words(phrase, first, v, (uint32_t)(p - v.s)))
            return n;
        n++;
    }
    return 0;
}

rx_val bif_wordpos(struct rx *rx, const struct rx_args *a)
{
    return rx_int(find_phrase(rx_arg_text(rx, a, 0), rx_arg_text(rx, a, 1),
                              rx_arg_int(rx, a, 2, 1, 1)));
}

rx_val bif_find(struct rx *rx, const struct rx_args *a)
{
    return rx_int(find_phrase(rx_arg_text(rx, a, 1), rx_arg_text(rx, a, 0),
                              rx_arg_int(rx, a, 2, 1, 1)));
}

/* The place behind the last of n words that begin at from. */
static uint32_t behind(rx_val v, uint32_t from, int64_t n)
{
    uint32_t at = from, len, end = from;
    while (n-- > 0 && next_word(v, &at, &len))
        end = at += len;
    return end;
}

rx_val bif_subword(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    uint32_t at, len;
    int64_t n = rx_arg_int(rx, a, 2, 0, RX_EXPONENT);
    if (!nth_word(v, rx_arg_int(rx, a, 1, 1, 1), &at, &len) || !n)
        return rx_text("", 0);
    return rx_text(v.s + at, behind(v, at, n) - at);
}

rx_val bif_delword(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    uint32_t at, len;
    int64_t n = rx_arg_int(rx, a, 2, 0, RX_EXPONENT);
    if (!nth_word(v, rx_arg_int(rx, a, 1, 1, 1), &at, &len) || !n)
        return v;
    uint32_t end = behind(v, at, n);
    while (end < v.len && v.s[end] == ' ') /* the blanks behind go as well */
        end++;
    char *p = rx_temp(rx, v.len - (end - at));
    memcpy(p, v.s, at);
    memcpy(p + at, v.s + end, v.len - end);
    return rx_text(p, v.len - (end - at));
}
