/* SPDX-License-Identifier: MIT */
/* Values: text and whole numbers, and the ways between them. */
#include "rx.h"

rx_val rx_z(const char *s)
{
    return rx_text(s, strlen(s));
}

/* Writes i in decimal at buf (20 bytes are enough); returns the length. */
int rx_int_text(int64_t i, char *buf)
{
    char tmp[20];
    uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    int n = 0, len = 0;
    do {
        tmp[n++] = (char)('0' + u % 10);
        u /= 10;
    } while (u);
    if (i < 0)
        buf[len++] = '-';
    while (n)
        buf[len++] = tmp[--n];
    return len;
}

/* i in decimal, in the temporaries. */
rx_val rx_digits_text(struct rx *rx, int64_t i)
{
    enum { ROOM = 20 };
    char *end = rx_temp(rx, ROOM) + ROOM, *p = end;
    uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    for (; u >= 10; u /= 10)
        *--p = (char)('0' + u % 10);
    *--p = (char)('0' + u);
    if (i < 0)
        *--p = '-';
    rx->top = p;
    return rx_text(p, (size_t)(end - p));
}

/* A copy of a text in the temporaries, safe from later assignments. */
rx_val rx_keep(struct rx *rx, rx_val v)
{
    if (v.kind != V_STR || v.len == 0)
        return v;
    char *p = rx_temp(rx, v.len);
    memcpy(p, v.s, v.len);
    v.s = p;
    return v;
}

/*
 * True when the text is a whole number in the one form REXX would write it (no sign but '-', no
 * leading zero, 1 to 18 digits): such text may be kept as a V_INT without changing what SAY shows.
 */
bool rx_plain_int(const char *s, size_t n, int64_t *i)
{
    size_t k = n && s[0] == '-';
    if (n - k == 0 || n - k > 18 || (s[k] == '0' && n > 1))
        return false;
    int64_t v = 0;
    for (size_t j = k; j < n; j++) {
        unsigned d = (unsigned char)s[j] - (unsigned)'0';
        if (d > 9)
            return false;
        v = v * 10 + (int)d;
    }
    *i = k ? -v : v;
    return true;
}

/*
 * Reads a number in any form REXX allows (" +5.0 ", 1E3), rounded to so many digits; false when
 * it is no whole number, or has more than those digits or 18.
 */
bool rx_whole_rounded(struct rx *rx, rx_val v, int digits, int64_t *i)
{
    char *mark = rx->top;
    struct rx_num x;
    bool ok = rx_num_parse(rx, v, &x);
    if (ok) {
        rx_num_round(rx, &x, digits);
        rx_num_strip(&x);
        ok = x.sign == 0 || (x.exp >= 0 && x.n + x.exp <= (digits < 18 ? digits : 18));
    }
    if (ok) {
        int64_t r = 0;
        for (int k = 0; k < x.n; k++)
            r = r * 10 + x.d[k];
        for (int64_t k = 0; x.sign && k < x.exp; k++)
            r *= 10;
        *i = x.sign < 0 ? -r : r;
    }
    rx->top = mark;
    return ok;
}

/* Reads a whole number of at most 18 digits, whatever DIGITS is; false when it is none. */
bool rx_whole(struct rx *rx, rx_val v, int64_t *i)
{
    if (v.kind == V_INT) {
        *i = v.i;
        return true;
    }
    if (v.kind == V_STR && rx_plain_int(v.s, v.len, i))
        return true;
    return rx_whole_rounded(rx, v, INT32_MAX, i);
}

/* Where what stands in a text from a place on; the text's length when it does not, or is empty. */
uint32_t rx_position(rx_val what, rx_val in, uint32_t from)
{
    const char *p = in.s + from, *end = in.s + in.len;
    if (!what.len || what.len > in.len)
        return in.len;
    const char *last = end - what.len + 1; /* it begins before that, if at all */
    for (; p < last && (p = rx_find(p, last, what.s[0])) < last; p++)
        if (memcmp(p, what.s, what.len) == 0)
            return (uint32_t)(p - in.s);
    return in.len;
}

rx_val rx_upper(struct rx *rx, rx_val v)
{
    if (v.kind != V_STR)
        return v;
    char *p = rx_temp(rx, v.len);
    for (uint32_t k = 0; k < v.len; k++)
        p[k] = (char)to_upper(v.s[k]);
    return rx_text(p, v.len);
}

/* Whether a text is z, in any case. */
bool rx_same(rx_val v, const char *z)
{
    size_t n = strlen(z);
    if (v.kind != V_STR || v.len != n)
        return false;
    for (size_t k = 0; k < n; k++)
        if (to_upper(v.s[k]) != to_upper(z[k]))
            return false;
    return true;
}
