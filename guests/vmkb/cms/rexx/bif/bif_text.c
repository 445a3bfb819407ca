/* SPDX-License-Identifier: MIT */
/* Built-in functions on texts. Positions count from 1; Error 40 for arguments out of range. */
#include "bif.h"

static rx_val padded(struct rx *rx, rx_val v, int64_t from, int64_t n, char pad)
{
    if (n <= 0)
        return rx_text("", 0);
    if (from >= 0 && from + n <= v.len)
        return rx_text(v.s + from, (size_t)n); /* no copy: a part of the argument */
    char *p = rx_temp(rx, (size_t)n);
    int64_t have = from < v.len ? v.len - from : 0;
    if (have > n)
        have = n;
    if (have)
        memcpy(p, v.s + from, (size_t)have);
    memset(p + have, (unsigned char)pad, (size_t)(n - have));
    return rx_text(p, (size_t)n);
}

rx_val bif_abbrev(struct rx *rx, const struct rx_args *a)
{
    rx_val full = rx_arg_text(rx, a, 0), part = rx_arg_text(rx, a, 1);
    int64_t least = rx_arg_int(rx, a, 2, 0, part.len);
    return rx_int(part.len >= least && part.len <= full.len &&
                  (!part.len || memcmp(full.s, part.s, part.len) == 0));
}

rx_val bif_center(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    int64_t n = rx_arg_int(rx, a, 1, 0, 0);
    char pad = rx_arg_char(rx, a, 2, ' ');
    if (n <= v.len)
        return rx_text(v.s + (v.len - n) / 2, (size_t)n);
    char *p = rx_temp(rx, (size_t)n);
    memset(p, (unsigned char)pad, (size_t)n);
    if (v.len)
        memcpy(p + (n - v.len) / 2, v.s, v.len);
    return rx_text(p, (size_t)n);
}

rx_val bif_compare(struct rx *rx, const struct rx_args *a)
{
    rx_val x = rx_arg_text(rx, a, 0), y = rx_arg_text(rx, a, 1);
    char pad = rx_arg_char(rx, a, 2, ' ');
    for (uint32_t k = 0; k < x.len || k < y.len; k++)
        if ((k < x.len ? x.s[k] : pad) != (k < y.len ? y.s[k] : pad))
            return rx_int(k + 1);
    return rx_int(0);
}

rx_val bif_copies(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    int64_t n = rx_arg_int(rx, a, 1, 0, 0);
    if (!v.len || !n)
        return rx_text("", 0);
    char *p = rx_temp(rx, v.len * (size_t)n);
    for (int64_t k = 0; k < n; k++)
        memcpy(p + k * v.len, v.s, v.len);
    return rx_text(p, v.len * (size_t)n);
}

static rx_val cut_out(struct rx *rx, rx_val v, int64_t from, int64_t n)
{
    if (from >= v.len || n == 0)
        return v;
    if (n > v.len - from)
        n = v.len - from;
    char *p = rx_temp(rx, v.len - (size_t)n);
    memcpy(p, v.s, (size_t)from);
    memcpy(p + from, v.s + from + n, (size_t)(v.len - from - n));
    return rx_text(p, v.len - (size_t)n);
}

rx_val bif_delstr(struct rx *rx, const struct rx_args *a)
{
    int64_t n = rx_arg_int(rx, a, 1, 1, 1);
    return cut_out(rx, rx_arg_text(rx, a, 0), n - 1, rx_arg_int(rx, a, 2, 0, RX_EXPONENT));
}

static rx_val position(rx_val what, rx_val in, int64_t from)
{
    uint32_t where = from > in.len ? in.len : rx_position(what, in, (uint32_t)from - 1);
    return rx_int(where < in.len ? where + 1 : 0);
}

rx_val bif_pos(struct rx *rx, const struct rx_args *a)
{
    return position(rx_arg_text(rx, a, 0), rx_arg_text(rx, a, 1), rx_arg_int(rx, a, 2, 1, 1));
}

rx_val bif_index(struct rx *rx, const struct rx_args *a)
{
    return position(rx_arg_text(rx, a, 1), rx_arg_text(rx, a, 0), rx_arg_int(rx, a, 2, 1, 1));
}

rx_val bif_lastpos(struct rx *rx, const struct rx_args *a)
{
    rx_val what = rx_arg_text(rx, a, 0), in = rx_arg_text(rx, a, 1);
    int64_t from = rx_arg_int(rx, a, 2, 1, in.len);
    if (from > in.len)
        from = in.len;
    if (!what.len)
        return rx_int(0);
    for (int64_t k = from - what.len; k >= 0; k--)
        if (memcmp(in.s + k, what.s, what.len) == 0)
            return rx_int(k + 1);
    return rx_int(0);
}

rx_val bif_insert(struct rx *rx, const struct rx_args *a)
{
    rx_val what = rx_arg_text(rx, a, 0), in = rx_arg_text(rx, a, 1);
    int64_t after = rx_arg_int(rx, a, 2, 0, 0), n = rx_arg_int(rx, a, 3, 0, what.len);
    char pad = rx_arg_char(rx, a, 4, ' ');
    rx_val head = padded(rx, in, 0, after, pad);
    what = padded(rx, what, 0, n, pad);
    size_t tail = in.len > after ? in.len - (size_t)after : 0;
    char *p = rx_temp(rx, head.len + what.len + tail);
    memcpy(p, head.s, head.len);
    memcpy(p + head.len, what.s, what.len);
    if (tail)
        memcpy(p + head.len + what.len, in.s + after, tail);
    return rx_text(p, head.len + what.len + tail);
}

rx_val bif_overlay(struct rx *rx, const struct rx_args *a)
{
    rx_val what = rx_arg_text(rx, a, 0), in = rx_arg_text(rx, a, 1);
    int64_t from = rx_arg_int(rx, a, 2, 1, 1) - 1, n = rx_arg_int(rx, a, 3, 0, what.len);
    char pad = rx_arg_char(rx, a, 4, ' ');
    rx_val head = padded(rx, in, 0, from, pad);
    what = padded(rx, what, 0, n, pad);
    size_t tail = in.len > from + n ? in.len - (size_t)(from + n) : 0;
    char *p = rx_temp(rx, head.len + what.len + tail);
    memcpy(p, head.s, head.len);
    memcpy(p + head.len, what.s, what.len);
    if (tail)
        memcpy(p + head.len + what.len, in.s + from + n, tail);
    return rx_text(p, head.len + what.len + tail);
}

rx_val bif_left(struct rx *rx, const struct rx_args *a)
{
    int64_t n = rx_arg_int(rx, a, 1, 0, 0);
    return padded(rx, rx_arg_text(rx, a, 0), 0, n, rx_arg_char(rx, a, 2, ' '));
}

rx_val bif_right(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    int64_t n = rx_arg_int(rx, a, 1, 0, 0);
    char pad = rx_arg_char(rx, a, 2, ' ');
    if (n <= v.len)
        return rx_text(v.s + (v.len - n), (size_t)n);
    char *p = rx_temp(rx, (size_t)n);
    memset(p, (unsigned char)pad, (size_t)n - v.len);
    if (v.len)
        memcpy(p + n - v.len, v.s, v.len);
    return rx_text(p, (size_t)n);
}

rx_val bif_length(struct rx *rx, const struct rx_args *a)
{
    return rx_int(rx_arg_text(rx, a, 0).len);
}

rx_val bif_reverse(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    char *p = rx_temp(rx, v.len);
    for (uint32_t k = 0; k < v.len; k++)
        p[k] = v.s[v.len - 1 - k];
    return rx_text(p, v.len);
}

rx_val bif_space(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_strip(rx_arg_text(rx, a, 0));
    int64_t n = rx_arg_int(rx, a, 1, 0, 1);
    char pad = rx_arg_char(rx, a, 2, ' ');
    size_t gaps = 0, chars = 0;
    for (uint32_t k = 0; k < v.len; k++) {
        chars += v.s[k] != ' ';
        gaps += v.s[k] != ' ' && k + 1 < v.len && v.s[k + 1] == ' ';
    }
    char *p = rx_temp(rx, chars + gaps * (size_t)n), *to = p;
    for (uint32_t k = 0; k < v.len; k++) {
        if (v.s[k] != ' ') {
            *to++ = v.s[k];
        } else if (v.s[k - 1] != ' ') {
            memset(to, (unsigned char)pad, (size_t)n);
            to += n;
        }
    }
    return rx_text(p, (size_t)(to - p));
}

/*
 * JUSTIFY(string, length, pad): the words with one blank between them, cut to length, then
 * with pads between them to both margins; gaps on the left get one more where they differ.
 */
rx_val bif_justify(struct rx *rx, const struct rx_args *a)
{
    struct rx_args words = {a->at, 1};
    rx_val v = bif_space(rx, &words);
    int64_t n = rx_arg_int(rx, a, 1, 0, 0);
    char pad = rx_arg_char(rx, a, 2, ' ');
    if (n < v.len)
        v.len = (uint32_t)n;
    v = rx_strip(v);
    int64_t gaps = 0, gap = 0, extra = n - v.len;
    for (uint32_t k = 0; k < v.len; k++)
        gaps += v.s[k] == ' ';
    char *p = rx_temp(rx, (size_t)n), *to = p;
    memset(p, (unsigned char)pad, (size_t)n);
    for (uint32_t k = 0; k < v.len; k++) {
        if (v.s[k] == ' ')
            to += 1 + extra / gaps + (gap++ < extra % gaps);
        else
            *to++ = v.s[k];
    }
    return rx_text(p, (size_t)n);
}

rx_val bif_strip(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    char which = rx_arg_option(rx, a, 1, 'B'), pad = rx_arg_char(rx, a, 2, ' ');
    if (which != 'B' && which != 'L' && which != 'T')
        rx_raise(rx, 40);
    while (which != 'T' && v.len && v.s[0] == pad) {
        v.s++;
        v.len--;
    }
    while (which != 'L' && v.len && v.s[v.len - 1] == pad)
        v.len--;
    return v;
}

rx_val bif_substr(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    int64_t from = rx_arg_int(rx, a, 1, 1, 1) - 1;
    int64_t n = rx_arg_int(rx, a, 2, 0, from < v.len ? v.len - from : 0);
    return padded(rx, v, from, n, rx_arg_char(rx, a, 3, ' '));
}

rx_val bif_translate(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    if (!rx_arg_given(a, 1) && !rx_arg_given(a, 2))
        return rx_upper(rx, v);
    rx_val to = rx_arg_text(rx, a, 1), from = rx_arg_text(rx, a, 2);
    bool all = !rx_arg_given(a, 2); /* no input table: every character, in order */
    char pad = rx_arg_char(rx, a, 3, ' ');
    char *p = rx_temp(rx, v.len);
    for (uint32_t k = 0; k < v.len; k++) {
        unsigned char c = (unsigned char)v.s[k];
        uint32_t where = c;
        if (!all) {
            const char *found = from.len ? memchr(from.s, c, from.len) : NULL;
            if (!found) {
                p[k] = v.s[k];
                continue;
            }
            where = (uint32_t)(found - from.s);
        }
        p[k] = where < to.len ? to.s[where] : pad;
    }
    return rx_text(p, v.len);
}

rx_val bif_verify(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0), set = rx_arg_text(rx, a, 1);
    char which = rx_arg_option(rx, a, 2, 'N');
    if (which != 'N' && which != 'M')
        rx_raise(rx, 40);
    for (int64_t k = rx_arg_int(rx, a, 3, 1, 1) - 1; k < v.len; k++) {
        bool in = set.len && memchr(set.s, (unsigned char)v.s[k], set.len);
        if (in == (which == 'M'))
            return rx_int(k + 1);
    }
    return rx_int(0);
}

rx_val bif_xrange(struct rx *rx, const struct rx_args *a)
{
    unsigned char from = (unsigned char)rx_arg_char(rx, a, 0, 0);
    unsigned char to = (unsigned char)rx_arg_char(rx, a, 1, (char)0xff);
    unsigned n = ((unsigned)to - from) % 256 + 1;
    char *p = rx_temp(rx, n);
    for (unsigned k = 0; k < n; k++)
        p[k] = (char)(from + k);
    return rx_text(p, n);
}
