/* SPDX-License-Identifier: MIT */
/*
 * Conversions between characters, bits, hexadecimal and decimal, and DATATYPE. Decimal results
 * are limited to 63 bits (and to NUMERIC DIGITS, as REXX demands): Error 40 beyond.
 */
#include "bif.h"

/* Digits of a hexadecimal or binary text without its blanks; false for any other character. */
static bool plain_digits(struct rx *rx, rx_val v, int group, char **out, uint32_t *n)
{
    char *p = rx_temp(rx, v.len);
    uint32_t k, len = 0, in_group = 0;
    bool blank_seen = false;
    for (k = 0; k < v.len; k++) {
        if (v.s[k] == ' ') {
            if (k == 0 || k + 1 == v.len || (blank_seen && in_group % (uint32_t)group))
                return false;
            blank_seen = true;
            in_group = 0;
            continue;
        }
        int d = hex_value(v.s[k]);
        if (d < 0 || (group == 4 && d > 1))
            return false;
        in_group++;
        p[len++] = (char)d;
    }
    *out = p;
    *n = len;
    return !(blank_seen && in_group % (uint32_t)group);
}

static char hex_digit(unsigned v)
{
    return "0123456789ABCDEF"[v & 15];
}

rx_val bif_c2x(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    char *p = rx_temp(rx, 2 * (size_t)v.len);
    for (uint32_t k = 0; k < v.len; k++) {
        unsigned char c = (unsigned char)v.s[k];
        p[2 * k] = hex_digit(c >> 4);
        p[2 * k + 1] = hex_digit(c);
    }
    return rx_text(p, 2 * (size_t)v.len);
}

rx_val bif_x2c(struct rx *rx, const struct rx_args *a)
{
    char *d;
    uint32_t n;
    if (!plain_digits(rx, rx_arg_text(rx, a, 0), 2, &d, &n))
        rx_raise(rx, 40);
    uint32_t bytes = (n + 1) / 2, odd = n % 2;
    char *p = rx_temp(rx, bytes);
    for (uint32_t k = 0; k < bytes; k++) {
        int high = odd ? (k ? d[2 * k - 1] : 0) : d[2 * k];
        p[k] = (char)(high << 4 | d[2 * k + 1 - odd]);
    }
    return rx_text(p, bytes);
}

rx_val bif_x2b(struct rx *rx, const struct rx_args *a)
{
    char *d;
    uint32_t n;
    if (!plain_digits(rx, rx_arg_text(rx, a, 0), 2, &d, &n))
        rx_raise(rx, 40);
    char *p = rx_temp(rx, 4 * (size_t)n);
    for (uint32_t k = 0; k < 4 * n; k++)
        p[k] = d[k / 4] >> (3 - k % 4) & 1 ? '1' : '0';
    return rx_text(p, 4 * (size_t)n);
}

rx_val bif_b2x(struct rx *rx, const struct rx_args *a)
{
    char *d;
    uint32_t n;
    if (!plain_digits(rx, rx_arg_text(rx, a, 0), 4, &d, &n))
        rx_raise(rx, 40);
    uint32_t digits = (n + 3) / 4, missing = digits * 4 - n;
    char *p = rx_temp(rx, digits);
    for (uint32_t k = 0; k < digits; k++) {
        unsigned v = 0;
        for (uint32_t b = 4 * k; b < 4 * k + 4; b++)
            v = v << 1 | (b < missing ? 0 : (unsigned)d[b - missing]);
        p[k] = hex_digit(v);
    }
    return rx_text(p, digits);
}

static rx_val number_of(struct rx *rx, int64_t v)
{
    if (v >= rx->limit || v <= -rx->limit)
        rx_raise(rx, 40);
    return rx_int(v);
}

/* n: how many units (4 or 8 bits each) count, two's complement; -1: all, unsigned. */
static rx_val to_number(struct rx *rx, const unsigned char *unit, int64_t len, unsigned bits,
                        int64_t n)
{
    if (n == 0)
        return rx_int(0);
    bool as_signed = n > 0;
    int64_t from = n > 0 && len > n ? len - n : 0;
    bool negative = as_signed && len >= n && (unit[from] >> (bits - 1) & 1);
    uint64_t v = negative ? ~(uint64_t)0 : 0;
    for (int64_t k = from; k < len; k++) {
        uint64_t lost = v >> (63 - bits);
        if (lost != (negative ? ~(uint64_t)0 >> (63 - bits) : 0))
            rx_raise(rx, 40);
        v = v << bits | unit[k];
    }
    return number_of(rx, (int64_t)v);
}

rx_val bif_c2d(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    return to_number(rx, (const unsigned char *)v.s, v.len, 8, rx_arg_int(rx, a, 1, 0, -1));
}

rx_val bif_x2d(struct rx *rx, const struct rx_args *a)
{
    char *d;
    uint32_t n;
    if (!plain_digits(rx, rx_arg_text(rx, a, 0), 2, &d, &n))
        rx_raise(rx, 40);
    return to_number(rx, (const unsigned char *)d, n, 4, rx_arg_int(rx, a, 1, 0, -1));
}

/* D2C and D2X: the number's units, as many as asked for or as few as hold it. */
static rx_val from_number(struct rx *rx, const struct rx_args *a, unsigned bits)
{
    int64_t v, n = rx_arg_int(rx, a, 1, 0, -1);
    if (!rx_whole(rx, a->at[0], &v) || (v < 0 && n < 0))
        rx_raise(rx, 40);
    if (n < 0) {
        uint64_t u = (uint64_t)v;
        for (n = 1; (u >>= bits) != 0;)
            n++;
    }
    char *p = rx_temp(rx, (size_t)n);
    for (int64_t k = n; k > 0; k--) {
        p[k - 1] = bits == 4 ? hex_digit((unsigned)v) : (char)(v & 255);
        v >>= bits; /* the sign goes on to the left */
    }
    return rx_text(p, (size_t)n);
}

rx_val bif_d2c(struct rx *rx, const struct rx_args *a)
{
    return from_number(rx, a, 8);
}

rx_val bif_d2x(struct rx *rx, const struct rx_args *a)
{
    return from_number(rx, a, 4);
}

static rx_val bits(struct rx *rx, const struct rx_args *a, int op)
{
    rx_val x = rx_arg_text(rx, a, 0), y = rx_arg_text(rx, a, 1);
    bool pads = rx_arg_given(a, 2);
    char pad = rx_arg_char(rx, a, 2, 0);
    if (x.len < y.len) {
        rx_val t = x;
        x = y;
        y = t;
    }
    char *p = rx_temp(rx, x.len);
    for (uint32_t k = 0; k < x.len; k++) {
        char c = k < y.len ? y.s[k] : pad;
        if (k >= y.len && !pads)
            p[k] = x.s[k];
        else
            p[k] = (char)(op == OP_AND ? x.s[k] & c : op == OP_OR ? x.s[k] | c : x.s[k] ^ c);
    }
    return rx_text(p, x.len);
}

rx_val bif_bitand(struct rx *rx, const struct rx_args *a)
{
    return bits(rx, a, OP_AND);
}

rx_val bif_bitor(struct rx *rx, const struct rx_args *a)
{
    return bits(rx, a, OP_OR);
}

rx_val bif_bitxor(struct rx *rx, const struct rx_args *a)
{
    return bits(rx, a, OP_XOR);
}

static bool all_of(rx_val v, bool (*is)(int))
{
    for (uint32_t k = 0; k < v.len; k++)
        if (!is((unsigned char)v.s[k]))
            return false;
    return v.len > 0;
}

static bool is_binary_digit(int c)
{
    return c == '0' || c == '1';
}

static bool whole_number(struct rx *rx, rx_val v)
{
    struct rx_num x;
    if (!rx_num_parse(rx, v, &x))
        return false;
    rx_num_round(rx, &x, rx->lv.digits);
    rx_num_strip(&x);
    return x.sign == 0 || (x.exp >= 0 && x.n + x.exp <= rx->lv.digits);
}

rx_val bif_datatype(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);
    struct rx_num x;
    char *d;
    uint32_t n;
    if (!rx_arg_given(a, 1))
        return rx_num_parse(rx, v, &x) ? rx_z("NUM") : rx_z("CHAR");
    switch (rx_arg_option(rx, a, 1, ' ')) {
    case 'A': return rx_int(all_of(v, is_alnum));
    case 'B':
        for (uint32_t k = 0; k < v.len; k++)
            if (v.s[k] != ' ' && !is_binary_digit((unsigned char)v.s[k]))
                return rx_int(0);
        return rx_int(plain_digits(rx, v, 4, &d, &n));
    case 'L': return rx_int(all_of(v, is_lower));
    case 'M': return rx_int(all_of(v, is_alpha));
    case 'N': return rx_int(rx_num_parse(rx, v, &x));
    case 'S': return rx_int(all_of(v, rx_symbol_char) && v.len <= REXX_NAME);
    case 'U': return rx_int(all_of(v, is_upper));
    case 'W': return rx_int(whole_number(rx, v));
    case 'X': return rx_int(plain_digits(rx, v, 2, &d, &n));
    }
    rx_raise(rx, 40);
}
