/* SPDX-License-Identifier: MIT */
/* Built-in functions on numbers. An argument that is no number is Error 40. */
#include "bif.h"

static struct rx_num number(struct rx *rx, rx_val v)
{
    struct rx_num x;
    if (!rx_num_of(rx, v, &x))
        rx_raise(rx, 40);
    rx_num_round(rx, &x, rx->lv.digits);
    return x;
}

rx_val bif_abs(struct rx *rx, const struct rx_args *a)
{
    struct rx_num x = number(rx, a->at[0]);
    x.sign = x.sign ? 1 : 0;
    return rx_num_text(rx, &x, rx->lv.digits);
}

rx_val bif_sign(struct rx *rx, const struct rx_args *a)
{
    return rx_int(number(rx, a->at[0]).sign);
}

static rx_val extreme(struct rx *rx, const struct rx_args *a, int which)
{
    rx_val best = {.kind = V_OMIT};
    for (int k = 0; k < a->n; k++) {
        if (!rx_arg_given(a, k))
            rx_raise(rx, 40);
        struct rx_num x = number(rx, a->at[k]);
        rx_val v = rx_num_text(rx, &x, rx->lv.digits);
        if (best.kind == V_OMIT || rx_order(rx, v, best) * which > 0)
            best = v;
    }
    return best;
}

rx_val bif_max(struct rx *rx, const struct rx_args *a)
{
    return extreme(rx, a, 1);
}

rx_val bif_min(struct rx *rx, const struct rx_args *a)
{
    return extreme(rx, a, -1);
}

static int digit(const struct rx_num *x, int64_t power)
{
    int64_t k = x->n - 1 - (power - x->exp);
    return x->sign && k >= 0 && k < x->n ? x->d[k] : 0;
}

/* Writes digits of x from power high down to low, with a point after power 0. */
static char *write_digits(char *p, const struct rx_num *x, int64_t high, int64_t low)
{
    for (int64_t power = high; power >= low; power--) {
        if (power == -1)
            *p++ = '.';
        *p++ = (char)('0' + digit(x, power));
    }
    return p;
}

rx_val bif_trunc(struct rx *rx, const struct rx_args *a)
{
    struct rx_num x = number(rx, a->at[0]);
    int64_t places = rx_arg_int(rx, a, 1, 0, 0);
    int64_t high = x.sign && x.exp + x.n > 0 ? x.exp + x.n - 1 : 0;
    bool shows = false; /* a result of nothing but zeros has no sign */
    for (int k = 0; k < x.n; k++)
        shows |= x.sign && x.d[k] && x.exp + x.n - 1 - k >= -places;
    char *out = rx_temp(rx, (size_t)(high + places + 8)), *p = out;
    if (x.sign < 0 && shows)
        *p++ = '-';
    p = write_digits(p, &x, high, -places);
    return rx_text(out, (size_t)(p - out));
}

/* Rounds x to places after the decimal point (of x scaled by 10**-shift). */
static void round_places(struct rx *rx, struct rx_num *x, int64_t places, int64_t shift)
{
    int64_t low = shift - places; /* the last power kept */
    if (!x->sign || x->exp >= low)
        return;
    int64_t keep = x->exp + x->n - low;
    if (keep < 0 || (keep == 0 && x->d[0] < 5)) {
        x->sign = 0;
        x->n = 0;
        x->exp = 0;
        return;
    }
    if (keep == 0) {
        uint8_t *d = (uint8_t *)rx_temp(rx, 1);
        d[0] = 1;
        *x = (struct rx_num){.sign = x->sign, .n = 1, .exp = low, .d = d};
        return;
    }
    rx_num_round(rx, x, (int)keep);
}

struct layout {
    int64_t before, after, expp, expt; /* -1: not given */
};

static bool wants_exponent(const struct rx *rx, const struct rx_num *x, const struct layout *f)
{
    if (f->expp == 0)
        return false;
    int64_t whole = x->sign ? x->exp + x->n : 1, decimals = x->exp < 0 ? -x->exp : 0;
    int64_t trigger = f->expt >= 0 ? f->expt : rx->lv.digits;
    return whole > trigger || decimals > 2 * trigger;
}

static int64_t shift_of(const struct rx *rx, const struct rx_num *x)
{
    int64_t top = x->exp + x->n - 1;
    if (rx->lv.engineering)
        top -= top % 3 < 0 ? top % 3 + 3 : top % 3;
    return top;
}

/* FORMAT(number, before, after, expp, expt) */
rx_val bif_format(struct rx *rx, const struct rx_args *a)
{
    struct rx_num x = number(rx, a->at[0]);
    struct layout f = {rx_arg_int(rx, a, 1, 0, -1), rx_arg_int(rx, a, 2, 0, -1),
                       rx_arg_int(rx, a, 3, 0, -1), rx_arg_int(rx, a, 4, 0, -1)};
    if (f.expp > 9)
        rx_raise(rx, 40);
    bool exponent = wants_exponent(rx, &x, &f);
    int64_t shift = exponent && x.sign ? shift_of(rx, &x) : 0;
    if (f.after >= 0) {
        round_places(rx, &x, f.after, shift);
        if (exponent && x.sign)
            shift = shift_of(rx, &x); /* 9.99 may have become 10.0 */
    }
    int64_t high = x.sign && x.exp + x.n - shift > 0 ? x.exp + x.n - 1 - shift : 0;
    int64_t places = f.after >= 0 ? f.after : x.sign && x.exp - shift < 0 ? shift - x.exp : 0;
    int64_t width = high + 1 + (x.sign < 0), blanks = 0;
    if (f.before >= 0) {
        if (width > f.before)
            rx_raise(rx, 40);
        blanks = f.before - width;
    }
    int64_t room = blanks + width + places + 8 + (f.expp > 0 ? f.expp : 12);
    char *out = rx_temp(rx, (size_t)room), *p = out, text[24];
    memset(p, ' ', (size_t)blanks);
    p += blanks;
    if (x.sign < 0)
        *p++ = '-';
    x.exp -= shift;
    p = write_digits(p, &x, high, -places);
    if (exponent && shift) {
        int n = rx_int_text(shift < 0 ? -shift : shift, text);
        if (f.expp > 0 && n > f.expp)
            rx_raise(rx, 40);
        *p++ = 'E';
        *p++ = shift < 0 ? '-' : '+';
        for (int64_t k = n; k < f.expp; k++)
            *p++ = '0';
        memcpy(p, text, (size_t)n);
        p += n;
    } else if (f.expp > 0 && exponent) {
        memset(p, ' ', (size_t)f.expp + 2);
        p += f.expp + 2;
    }
    return rx_text(out, (size_t)(p - out));
}

/* RANDOM(min, max, seed): xorshift64* (Vigna); without a seed it starts from the clock. */
rx_val bif_random(struct rx *rx, const struct rx_args *a)
{
    int64_t low = rx_arg_int(rx, a, 0, 0, 0), high = rx_arg_int(rx, a, 1, 0, 999);
    if (a->n == 1 && rx_arg_given(a, 0)) {
        high = low;
        low = 0;
    }
    if (high < low || high - low > 100000)
        rx_raise(rx, 40);
    if (rx_arg_given(a, 2))
        rx->random = (uint64_t)rx_arg_int(rx, a, 2, 0, 0) * 2654435761u + 1;
    else if (!rx->random)
        rx->random = (rx->env->micros ? rx->env->micros(rx->env) : 0) * 2 + 1;
    uint64_t r = rx->random;
    r ^= r >> 12;
    r ^= r << 25;
    r ^= r >> 27;
    rx->random = r;
    return rx_int(low + (int64_t)((r * 2685821657736338717u >> 32) % (uint64_t)(high - low + 1)));
}
