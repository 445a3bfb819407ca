/* SPDX-License-Identifier: MIT */
/*
 * Decimal arithmetic as REXX defines it: operands cut to DIGITS + 1 digits, the result rounded
 * half up to DIGITS. Numbers are arrays of digits in the temporaries; divide.c has the division.
 */
#include "rx.h"

/* A one-digit array; nothing ever writes into a number's digits after it was made. */
static uint8_t *constant(int digit)
{
    static const uint8_t digits[2] = {0, 1};
    return (uint8_t *)(uintptr_t)&digits[digit];
}

/* The number 0. */
struct rx_num rx_num_zero(void)
{
    return (struct rx_num){.sign = 0, .n = 1, .exp = 0, .d = constant(0)};
}

static uint8_t *digits_of(struct rx *rx, size_t n)
{
    return (uint8_t *)rx_temp(rx, n);
}

/* Takes leading zeros away; a number of nothing but zeros becomes zero. */
void rx_num_normalize(struct rx_num *x)
{
    while (x->n && x->d[0] == 0) {
        x->d++;
        x->n--;
    }
    if (x->n == 0)
        *x = rx_num_zero();
}

/* Takes trailing zeros away, after the decimal point or before. */
void rx_num_strip(struct rx_num *x)
{
    while (x->sign && x->n > 1 && x->d[x->n - 1] == 0) {
        x->n--;
        x->exp++;
    }
}

/*
 * Reads a REXX number: blanks around it and after its sign, a decimal point, an exponent.
 * False when the value is none (or its exponent has more than nine digits).
 */
bool rx_num_parse(struct rx *rx, rx_val v, struct rx_num *x)
{
    char buf[24];
    if (v.kind == V_INT)
        v = rx_text(buf, (size_t)rx_int_text(v.i, buf));
    v = rx_strip(v);
    const char *s = v.s, *end = v.s + v.len;
    if (v.len == 0)
        return false;
    x->sign = 1;
    if (*s == '-' || *s == '+') {
        x->sign = *s == '-' ? -1 : 1;
        for (s++; s < end && *s == ' ';)
            s++;
    }
    if (s == end || !(is_digit(*s) || *s == '.'))
        return false;
    const char *from = s;
    int digits = 0;
    bool point = false;
    for (; s < end && (is_digit(*s) || (*s == '.' && !point)); s++) {
        if (*s == '.')
            point = true;
        else
            digits++;
    }
    if (!digits)
        return false;
    const char *mantissa_end = s;
    int64_t exp = 0;
    if (s < end && to_upper(*s) == (unsigned char)'E') {
        s++;
        bool minus = s < end && *s == '-';
        if (s < end && (*s == '-' || *s == '+'))
            s++;
        const char *first = s;
        for (; s < end && is_digit(*s); s++)
            if ((exp = exp * 10 + (*s - '0')) > RX_EXPONENT)
                return false;
        if (s == first)
            return false;
        exp = minus ? -exp : exp;
    }
    if (s != end)
        return false;
    x->d = digits_of(rx, (size_t)digits);
    x->n = 0;
    point = false;
    for (s = from; s < mantissa_end; s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        x->d[x->n++] = (uint8_t)(*s - '0');
        exp -= point;
    }
    x->exp = exp;
    rx_num_normalize(x);
    return true;
}

/* Rounds half up to at most so many digits. */
void rx_num_round(struct rx *rx, struct rx_num *x, int digits)
{
    if (x->n <= digits)
        return;
    bool up = x->d[digits] >= 5;
    uint8_t *d = digits_of(rx, (size_t)digits + 1);
    memcpy(d, x->d, (size_t)digits);
    x->exp += x->n - digits;
    x->n = digits;
    x->d = d;
    if (!up)
        return;
    int k = digits - 1;
    while (k >= 0 && d[k] == 9)
        d[k--] = 0;
    if (k >= 0) {
        d[k]++;
        return;
    }
    memmove(d + 1, d, (size_t)digits); /* 99..9 went up to 100..0 */
    d[0] = 1;
    x->exp++;
    x->n = digits ? digits : 1;
}

/* The power of ten of the first digit; Error 42 when it is out of range. */
int rx_num_top(struct rx *rx, const struct rx_num *x)
{
    int64_t top = x->exp + x->n - 1;
    if (x->sign && (top > RX_EXPONENT || top < -RX_EXPONENT))
        rx_raise(rx, 42);
    return (int)top;
}

/* The text of a number (or its value, when it is a plain whole number). */
rx_val rx_num_text(struct rx *rx, const struct rx_num *x, int digits)
{
    if (!x->sign)
        return rx_int(0);
    int top = rx_num_top(rx, x);
    bool plain = x->exp >= 0 ? x->n + x->exp <= digits : top >= 0 || -x->exp <= 2 * (int64_t)digits;
    size_t zeros = plain ? (x->exp > 0 ? (size_t)x->exp : top < 0 ? (size_t)-top : 0) : 0;
    char *out = rx_temp(rx, (size_t)x->n + zeros + 24), *p = out;
    if (x->sign < 0)
        *p++ = '-';
    int whole = top + 1; /* digits before the point */
    if (!plain) {
        whole = 1;
        if (rx->lv.engineering) {
            int back = top % 3 < 0 ? top % 3 + 3 : top % 3;
            whole += back;
            top -= back;
        }
    }
    if (whole <= 0) {
        *p++ = '0';
        *p++ = '.';
        for (int k = whole; k < 0; k++)
            *p++ = '0';
    }
    for (int k = 0; k < x->n || k < whole; k++) {
        if (k == whole && whole > 0)
            *p++ = '.';
        *p++ = (char)('0' + (k < x->n ? x->d[k] : 0));
    }
    if (!plain && top) {
        *p++ = 'E';
        *p++ = top < 0 ? '-' : '+';
        p += rx_int_text(top < 0 ? -top : top, p);
    }
    int64_t i;
    if (rx_plain_int(out, (size_t)(p - out), &i))
        return rx_int(i);
    return rx_text(out, (size_t)(p - out));
}

static int compare_size(const struct rx_num *a, const struct rx_num *b)
{
    int64_t top_a = a->exp + a->n, top_b = b->exp + b->n;
    if (top_a != top_b)
        return top_a < top_b ? -1 : 1;
    for (int k = 0; k < a->n || k < b->n; k++) {
        int da = k < a->n ? a->d[k] : 0, db = k < b->n ? b->d[k] : 0;
        if (da != db)
            return da < db ? -1 : 1;
    }
    return 0;
}

/* Drops the digits of x below a power of ten; nothing may be left of it. */
static void drop_below(struct rx_num *x, int64_t low)
{
    if (x->exp >= low)
        return;
    x->n = x->exp + x->n > low ? (int)(x->exp + x->n - low) : 0;
    x->exp = low;
}

/*
 * a + b: both are extended with zeros, but to no more than DIGITS + 1 digits counted from the
 * first digit of the larger, so that the smaller may lose digits. The sum is rounded counting
 * from that same first digit (or from the carry before it), also when the terms cancel.
 */
struct rx_num rx_num_add(struct rx *rx, struct rx_num a, struct rx_num b, int digits)
{
    if (!a.sign || !b.sign) {
        struct rx_num r = a.sign ? a : b;
        rx_num_round(rx, &r, digits);
        return r;
    }
    if (compare_size(&a, &b) < 0) {
        struct rx_num t = a;
        a = b;
        b = t;
    }
    int64_t top = a.exp + a.n, low = a.exp < b.exp ? a.exp : b.exp;
    if (low < top - (digits + 1))
        low = top - (digits + 1);
    drop_below(&a, low);
    drop_below(&b, low);
    struct rx_num r = {.sign = a.sign, .exp = low, .n = (int)(top - low) + 1};
    r.d = digits_of(rx, (size_t)r.n);
    memset(r.d, 0, (size_t)r.n);
    memcpy(r.d + 1, a.d, (size_t)a.n);
    bool add = a.sign == b.sign;
    int carry = 0, at = r.n - 1 - (int)(b.n ? b.exp - low : 0);
    for (int k = b.n - 1; k >= 0 || carry; k--, at--) {
        int other = carry + (k >= 0 ? b.d[k] : 0);
        int s = add ? r.d[at] + other : r.d[at] - other;
        carry = s < 0 || s > 9;
        r.d[at] = (uint8_t)(s < 0 ? s + 10 : s > 9 ? s - 10 : s);
    }
    if (r.d[0] == 0) { /* no carry: the terms' first digit is where counting begins */
        r.d++;
        r.n--;
    }
    rx_num_round(rx, &r, digits);
    rx_num_normalize(&r);
    return r;
}

struct rx_num rx_num_mul(struct rx *rx, struct rx_num a, struct rx_num b, int digits)
{
    if (!a.sign || !b.sign)
        return rx_num_zero();
    struct rx_num r = {.sign = a.sign * b.sign, .n = a.n + b.n, .exp = a.exp + b.exp};
    r.d = digits_of(rx, (size_t)r.n);
    memset(r.d, 0, (size_t)r.n);
    for (int i = a.n - 1; i >= 0; i--) {
        int carry = 0;
        for (int j = b.n - 1; j >= 0; j--) {
            int s = r.d[i + j + 1] + a.d[i] * b.d[j] + carry;
            r.d[i + j + 1] = (uint8_t)(s % 10);
            carry = s / 10;
        }
        r.d[i] = (uint8_t)(r.d[i] + carry);
    }
    rx_num_normalize(&r);
    rx_num_round(rx, &r, digits);
    rx_num_top(rx, &r);
    return r;
}

/* Moves a result to room of its own so that the temporaries used on the way can go. */
static struct rx_num settle(struct rx *rx, struct rx_num x, uint8_t *room, char *mark)
{
    memmove(room, x.d, (size_t)x.n);
    x.d = room;
    rx->top = mark;
    return x;
}

/* a ** n by squaring, with DIGITS + (digits of n) + 1 digits on the way. */
struct rx_num rx_num_pow(struct rx *rx, struct rx_num a, int64_t n, int digits)
{
    struct rx_num one = {.sign = 1, .n = 1, .d = constant(1)};
    if (n == 0)
        return one;
    if (!a.sign) {
        if (n < 0)
            rx_raise(rx, 42);
        return a;
    }
    char buf[24];
    uint64_t m = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    int work = digits + rx_int_text((int64_t)m, buf) + 1;
    uint8_t *room = digits_of(rx, (size_t)work + 1);
    char *mark = rx->top;
    struct rx_num r = one;
    for (int bit = 63; bit >= 0; bit--) {
        if (r.n > 1 || r.exp || r.d[0] != 1 || r.sign < 0)
            r = settle(rx, rx_num_mul(rx, r, r, work), room, mark);
        if (m >> bit & 1)
            r = settle(rx, rx_num_mul(rx, r, a, work), room, mark);
    }
    if (n < 0)
        r = rx_num_div(rx, one, r, OP_DIV, work);
    rx_num_round(rx, &r, digits);
    rx_num_strip(&r);
    return r;
}
