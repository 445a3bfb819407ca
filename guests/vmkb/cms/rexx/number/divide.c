/* SPDX-License-Identifier: MIT */
/*
 * Division of decimal numbers: schoolbook long division, nine digits at a time. Digits become
 * limbs of base 10**9, highest first; a limb and a remainder fit one 64-bit division.
 */
#include "rx.h"

enum { BASE = 1000000000, LIMB_DIGITS = 9 };

struct limbs {
    uint32_t *at; /* highest first */
    int n;
};

static struct limbs limbs(struct rx *rx, int n)
{
    rx->top = (char *)((uintptr_t)rx->top & ~(uintptr_t)3);
    struct limbs x = {(uint32_t *)(void *)rx_temp(rx, (size_t)n * sizeof(uint32_t)), n};
    memset(x.at, 0, (size_t)n * sizeof x.at[0]);
    return x;
}

/* The digits of x with zeros behind them, size digits in all, in so many limbs or more. */
static struct limbs to_limbs(struct rx *rx, const struct rx_num *x, int64_t size, int least)
{
    int n = (int)((size + LIMB_DIGITS - 1) / LIMB_DIGITS);
    struct limbs r = limbs(rx, n < least ? least : n);
    int64_t place = (int64_t)r.n * LIMB_DIGITS - size; /* of the first digit, from the left */
    uint32_t *to = r.at + place / LIMB_DIGITS;
    int in_limb = (int)(place % LIMB_DIGITS);
    for (int64_t k = 0; k < size; k++) {
        *to = *to * 10 + (k < x->n ? x->d[k] : 0);
        if (++in_limb == LIMB_DIGITS) {
            in_limb = 0;
            to++;
        }
    }
    return r;
}

/* The limbs as digits in x, without leading zeros. */
static void to_digits(struct rx *rx, const struct limbs *from, struct rx_num *x)
{
    x->n = from->n * LIMB_DIGITS;
    x->d = (uint8_t *)rx_temp(rx, (size_t)x->n);
    for (int k = 0; k < from->n; k++) {
        uint32_t v = from->at[k];
        for (int d = LIMB_DIGITS - 1; d >= 0; d--, v /= 10)
            x->d[k * LIMB_DIGITS + d] = (uint8_t)(v % 10);
    }
    rx_num_normalize(x);
}

/* x = x * by; what goes over the highest limb is returned. */
static uint32_t scale(struct limbs *x, uint32_t by)
{
    uint64_t carry = 0;
    for (int k = x->n - 1; k >= 0; k--) {
        uint64_t v = (uint64_t)x->at[k] * by + carry;
        x->at[k] = (uint32_t)(v % BASE);
        carry = v / BASE;
    }
    return (uint32_t)carry;
}

/* x = x / by; the remainder is returned. */
static uint32_t divide_small(struct limbs *x, uint32_t by)
{
    uint64_t rest = 0;
    for (int k = 0; k < x->n; k++) {
        uint64_t v = rest * BASE + x->at[k];
        x->at[k] = (uint32_t)(v / by);
        rest = v % by;
    }
    return (uint32_t)rest;
}

/* part = part - b * q, where part has one limb more than b; true when that was too much. */
static bool subtract(uint32_t *part, const struct limbs *b, uint32_t q)
{
    uint64_t carry = 0;
    for (int k = b->n; k >= 0; k--) {
        uint64_t take = carry + (k ? (uint64_t)b->at[k - 1] * q : 0);
        uint32_t low = (uint32_t)(take % BASE);
        carry = take / BASE;
        if (part[k] < low) {
            part[k] += BASE;
            carry++;
        }
        part[k] -= low;
    }
    return carry != 0;
}

static void add_back(uint32_t *part, const struct limbs *b)
{
    uint32_t carry = 0;
    for (int k = b->n; k >= 0; k--) {
        uint32_t s = part[k] + carry + (k ? b->at[k - 1] : 0);
        carry = s >= BASE;
        part[k] = carry ? s - BASE : s;
    }
}

/*
 * a / b into q; a becomes the remainder. b has no leading zero limb. The first two limbs of b
 * guess each limb of the quotient; scaled so that b's first limb is large, a guess is at most
 * two too high (Knuth, The Art of Computer Programming, 4.3.1, algorithm D).
 */
static struct limbs divide(struct rx *rx, struct limbs *a, struct limbs *b)
{
    struct limbs q = limbs(rx, a->n + 1);
    if (b->n == 1) {
        memcpy(q.at + 1, a->at, (size_t)a->n * sizeof q.at[0]);
        uint32_t rest = divide_small(&q, b->at[0]);
        memset(a->at, 0, (size_t)a->n * sizeof a->at[0]);
        a->at[a->n - 1] = rest;
        return q;
    }
    uint32_t by = BASE / (b->at[0] + 1);
    struct limbs r = limbs(rx, a->n + 1);
    memcpy(r.at + 1, a->at, (size_t)a->n * sizeof r.at[0]);
    scale(b, by);
    scale(&r, by);
    for (int k = 0; k + b->n < r.n; k++) {
        uint32_t *part = r.at + k;
        uint64_t two = (uint64_t)part[0] * BASE + part[1];
        uint64_t guess = two / b->at[0], rest = two % b->at[0];
        while (rest < BASE && (guess >= BASE || guess * b->at[1] > rest * BASE + part[2])) {
            guess--;
            rest += b->at[0];
        }
        if (guess && subtract(part, b, (uint32_t)guess)) {
            guess--;
            add_back(part, b);
        }
        q.at[k + b->n] = (uint32_t)guess;
    }
    divide_small(&r, by);
    memcpy(a->at, r.at + 1, (size_t)a->n * sizeof r.at[0]);
    return q;
}

static struct rx_num quotient(struct rx *rx, const struct rx_num *a, const struct rx_num *b,
                              int digits)
{
    int64_t size = digits + 1 + b->n; /* of the dividend: DIGITS + 1 or + 2 digits come out */
    if (size < a->n)
        size = a->n;
    struct limbs y = to_limbs(rx, b, b->n, 1);
    struct limbs x = to_limbs(rx, a, size, y.n);
    struct limbs q = divide(rx, &x, &y);
    struct rx_num r = {.sign = a->sign * b->sign, .exp = a->exp - b->exp - (size - a->n)};
    to_digits(rx, &q, &r);
    rx_num_round(rx, &r, digits);
    rx_num_strip(&r);
    rx_num_top(rx, &r);
    return r;
}

/* OP_DIV, OP_IDIV or OP_REM; both last are Error 26 when a whole part needs too many digits. */
struct rx_num rx_num_div(struct rx *rx, struct rx_num a, struct rx_num b, int op, int digits)
{
    if (!b.sign)
        rx_raise(rx, 42);
    if (!a.sign)
        return rx_num_zero();
    if (op == OP_DIV)
        return quotient(rx, &a, &b, digits);
    int64_t exp = a.exp < b.exp ? a.exp : b.exp;
    int64_t size_a = a.n + a.exp - exp, size_b = b.n + b.exp - exp;
    if (size_a - size_b > digits)
        rx_raise(rx, 26);
    struct rx_num q = rx_num_zero(), r = {.sign = a.sign, .exp = exp};
    if (size_a >= size_b) {
        struct limbs y = to_limbs(rx, &b, size_b, 1), x = to_limbs(rx, &a, size_a, y.n);
        struct limbs whole = divide(rx, &x, &y);
        q.sign = a.sign * b.sign;
        to_digits(rx, &whole, &q);
        if (q.sign && q.n > digits)
            rx_raise(rx, 26);
        to_digits(rx, &x, &r);
    }
    if (op == OP_IDIV)
        return q;
    if (!q.sign)
        r = a; /* nothing was subtracted from it: its zeros stay as they are */
    rx_num_round(rx, &r, digits);
    return r;
}
