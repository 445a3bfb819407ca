/* SPDX-License-Identifier: MIT */
/* Operators on values: whole numbers take a short way, everything else goes through num.c. */
#include "rx.h"

/* Reads an operand cut to DIGITS + 1 digits; false when it is no number. */
bool rx_num_of(struct rx *rx, rx_val v, struct rx_num *x)
{
    if (!rx_num_parse(rx, v, x))
        return false;
    if (x->n > rx->lv.digits + 1) {
        x->exp += x->n - (rx->lv.digits + 1);
        x->n = rx->lv.digits + 1;
    }
    return true;
}

static bool in_range(const struct rx *rx, int64_t i)
{
    return i < rx->limit && i > -rx->limit;
}

/* A whole number of at most DIGITS digits, from either kind of value. */
static bool short_int(const struct rx *rx, rx_val v, int64_t *i)
{
    if (v.kind == V_INT)
        *i = v.i;
    else if (v.kind != V_STR || !rx_plain_int(v.s, v.len, i))
        return false;
    return in_range(rx, *i);
}

static bool int_arith(const struct rx *rx, int op, int64_t a, int64_t b, int64_t *r)
{
    switch (op) {
    case OP_ADD: *r = a + b; break;
    case OP_SUB: *r = a - b; break;
    case OP_MUL:
        if (__builtin_mul_overflow(a, b, r))
            return false;
        break;
    case OP_IDIV:
        if (!b)
            return false;
        *r = a / b;
        break;
    case OP_REM:
        if (!b)
            return false;
        *r = a % b;
        break;
    case OP_DIV:
        if (!b || a % b)
            return false;
        *r = a / b;
        break;
    default:
        return false;
    }
    return in_range(rx, *r);
}

/* a op b, false when there is more to it. */
bool rx_whole_arith(const struct rx *rx, int op, int64_t a, int64_t b, int64_t *r)
{
    return in_range(rx, a) && in_range(rx, b) && int_arith(rx, op, a, b, r);
}

/*
 * A number of at most nine digits, written plainly: [-]digits[.digits]. It is coefficient times
 * 10 to the power exp.
 */
struct short_num {
    uint64_t coefficient;
    int exp;
    bool minus;
};

enum { SHORT_DIGITS = 9, SHORT_LIMIT = 1000000000 };

static bool short_number(rx_val v, struct short_num *x)
{
    *x = (struct short_num){0};
    if (v.kind == V_INT) {
        x->minus = v.i < 0;
        x->coefficient = x->minus ? 0 - (uint64_t)v.i : (uint64_t)v.i;
        return x->coefficient < SHORT_LIMIT;
    }
    if (v.kind != V_STR || v.len < 1 || v.len > SHORT_DIGITS + 2)
        return false;
    const char *s = v.s, *end = v.s + v.len, *point = NULL;
    x->minus = *s == '-';
    s += x->minus;
    const char *first = s;
    for (; s < end; s++) {
        unsigned d = (unsigned char)*s - (unsigned)'0';
        if (d <= 9)
            x->coefficient = x->coefficient * 10 + d;
        else if (*s == '.' && !point)
            point = s;
        else
            return false;
    }
    x->exp = point ? -(int)(end - point - 1) : 0;
    return end - first > (point ? 1 : 0) && x->coefficient < SHORT_LIMIT;
}

/* Two short numbers below LIMIT, none of which is zero. */
static bool short_pair(rx_val a, rx_val b, uint64_t limit, struct short_num *x,
                       struct short_num *y)
{
    return short_number(a, x) && short_number(b, y) && x->coefficient && y->coefficient &&
           x->coefficient < limit && y->coefficient < limit;
}

/* The plain text of a number with 1 to 18 decimals, from its end. */
static rx_val short_text(struct rx *rx, const struct short_num *x)
{
    enum { ROOM = 2 * SHORT_DIGITS + SHORT_DIGITS + 2 }; /* decimals, digits, point and sign */
    char *end = rx_temp(rx, ROOM) + ROOM, *p = end;
    uint64_t rest = x->coefficient;
    for (int k = x->exp; k < 0; k++, rest /= 10)
        *--p = (char)('0' + rest % 10);
    *--p = '.';
    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (x->minus)
        *--p = '-';
    return rx_text(p, (size_t)(end - p));
}

static const uint64_t powers[SHORT_DIGITS + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, SHORT_LIMIT};

/*
 * a / b of short numbers under DIGITS of at most nine: the quotient to 18 digits in three 64-bit
 * divisions. False when the result is not written plainly, or for a zero: rx_num_div does these.
 */
static bool short_divide(struct rx *rx, rx_val a, rx_val b, rx_val *r)
{
    struct short_num x, y;
    int digits = rx->lv.digits;
    if (digits > SHORT_DIGITS)
        return false;
    uint64_t limit = powers[digits];
    if (!short_pair(a, b, limit, &x, &y))
        return false;
    uint64_t q = x.coefficient / y.coefficient, rest = x.coefficient % y.coefficient;
    struct short_num z = {.exp = x.exp - y.exp, .minus = x.minus != y.minus};
    for (int k = 0; k < 2 && rest && q < limit; k++) {
        q = q * SHORT_LIMIT + rest * SHORT_LIMIT / y.coefficient;
        rest = rest * SHORT_LIMIT % y.coefficient;
        z.exp -= SHORT_DIGITS;
    }
    if (q >= limit) { /* to DIGITS + 1 digits, which decide how it is rounded */
        int drop = 1;
        while (q / powers[drop] >= limit)
            drop++;
        q = (q / powers[drop - 1] + 5) / 10;
        z.exp += drop;
    }
    for (; q % 10 == 0; z.exp++)
        q /= 10;
    z.coefficient = q;
    if (z.exp >= 0) {
        if (z.exp > SHORT_DIGITS || q * powers[z.exp] >= limit)
            return false;
        int64_t whole = (int64_t)(q * powers[z.exp]);
        *r = rx_int(z.minus ? -whole : whole);
        return true;
    }
    if (-z.exp > 2 * digits)
        return false;
    *r = short_text(rx, &z);
    return true;
}

/*
 * a + b, a - b or a * b of short numbers whose result DIGITS holds without rounding. False when it
 * is not written plainly, or for a zero: num.c does these.
 */
static bool short_sum_or_product(struct rx *rx, int op, rx_val a, rx_val b, rx_val *r)
{
    struct short_num x, y, z;
    uint64_t limit = (uint64_t)rx->limit;
    if (!short_pair(a, b, limit, &x, &y))
        return false;
    if (op == OP_MUL) {
        z = (struct short_num){x.coefficient * y.coefficient, x.exp + y.exp, x.minus != y.minus};
    } else {
        struct short_num *longer = x.exp < y.exp ? &x : &y, *other = longer == &x ? &y : &x;
        if (other->exp - longer->exp > SHORT_DIGITS)
            return false;
        other->coefficient *= powers[other->exp - longer->exp];
        if (other->coefficient >= limit) /* it is cut before the sum is made */
            return false;
        int64_t sum = x.minus ? -(int64_t)x.coefficient : (int64_t)x.coefficient;
        sum += y.minus == (op == OP_ADD) ? -(int64_t)y.coefficient : (int64_t)y.coefficient;
        z = (struct short_num){(uint64_t)(sum < 0 ? -sum : sum), longer->exp, sum < 0};
    }
    if (!z.coefficient || z.coefficient >= limit || !z.exp || -z.exp > 2 * rx->lv.digits)
        return false;
    *r = short_text(rx, &z);
    return true;
}

/* What is not done with whole numbers alone; apart, so that those need no room for it. */
static __attribute__((noinline)) rx_val decimal(struct rx *rx, int op, rx_val a, rx_val b)
{
    rx_val quick;
    if (op == OP_DIV ? short_divide(rx, a, b, &quick)
                     : op <= OP_MUL && short_sum_or_product(rx, op, a, b, &quick))
        return quick;
    struct rx_num x, y, z;
    int64_t j;
    int digits = rx->lv.digits;
    if (!rx_num_of(rx, a, &x))
        rx_raise(rx, 41);
    if (op == OP_POW) {
        if (!rx_num_of(rx, b, &y))
            rx_raise(rx, 41);
        if (!rx_whole_rounded(rx, b, digits, &j) || j > RX_EXPONENT || j < -RX_EXPONENT)
            rx_raise(rx, 26);
        z = rx_num_pow(rx, x, j, digits);
        return rx_num_text(rx, &z, digits);
    }
    if (!rx_num_of(rx, b, &y))
        rx_raise(rx, 41);
    switch (op) {
    case OP_ADD:
        z = rx_num_add(rx, x, y, digits);
        break;
    case OP_SUB:
        y.sign = -y.sign;
        z = rx_num_add(rx, x, y, digits);
        break;
    case OP_MUL:
        z = rx_num_mul(rx, x, y, digits);
        break;
    default:
        z = rx_num_div(rx, x, y, op, digits);
    }
    return rx_num_text(rx, &z, digits);
}

/* a op b for + - * / % // **; raises 26, 41, 42. */
rx_val rx_arith(struct rx *rx, int op, rx_val a, rx_val b)
{
    int64_t i, j, r;
    if (short_int(rx, a, &i) && short_int(rx, b, &j) && int_arith(rx, op, i, j, &r))
        return rx_int(r);
    return decimal(rx, op, a, b);
}

/* Prefix + and -: the same as 0 + a and 0 - a. */
rx_val rx_negate(struct rx *rx, int op, rx_val a)
{
    return rx_arith(rx, op == OP_NEG ? OP_SUB : OP_ADD, rx_int(0), a);
}

static int text_order(rx_val a, rx_val b, bool strict)
{
    uint32_t n = a.len < b.len ? a.len : b.len;
    int c = n ? (unsigned char)a.s[0] - (unsigned char)b.s[0] : 0;
    if (!c && n > 1)
        c = memcmp(a.s, b.s, n);
    if (c || a.len == b.len)
        return c;
    if (strict)
        return a.len < b.len ? -1 : 1;
    bool longer_a = a.len > n;
    const rx_val *rest = longer_a ? &a : &b;
    for (uint32_t k = n; k < rest->len; k++) {
        int d = (unsigned char)rest->s[k] - (unsigned)' ';
        if (d)
            return longer_a ? d : -d;
    }
    return 0;
}

/* Whether a text, which has no blank in front, begins as a number does. */
static inline bool may_be_number(rx_val v)
{
    if (!v.len || is_alpha(v.s[0]))
        return false;
    return is_digit(v.s[0]) || v.s[0] == '-' || v.s[0] == '+' || v.s[0] == '.';
}

/* Less, equal or greater, as = and < see it: numbers by value, other text without end blanks. */
int rx_order(struct rx *rx, rx_val a, rx_val b)
{
    int64_t i, j;
    a = rx_strip(a);
    b = rx_strip(b);
    bool text = (a.kind == V_STR && !may_be_number(a)) || (b.kind == V_STR && !may_be_number(b));
    if (!text && !rx->lv.fuzz && short_int(rx, a, &i) && short_int(rx, b, &j))
        return i < j ? -1 : i > j;
    char *mark = rx->top;
    struct rx_num x, y;
    int order, digits = rx->lv.digits;
    rx->lv.digits -= rx->lv.fuzz;
    bool numbers = !text && rx_num_of(rx, a, &x) && rx_num_of(rx, b, &y);
    rx->lv.digits = digits;
    if (numbers) {
        y.sign = -y.sign;
        order = rx_num_add(rx, x, y, digits - rx->lv.fuzz).sign;
    } else {
        order = text_order(rx_as_text(rx, a), rx_as_text(rx, b), false);
    }
    rx->top = mark;
    return order;
}

/* Whether two texts begin with characters that differ, a letter one of them and none a blank. */
static inline bool begin_apart(const rx_val *a, const rx_val *b)
{
    if (a->kind != V_STR || b->kind != V_STR || !a->len || !b->len)
        return false;
    char c = a->s[0], d = b->s[0];
    return c != d && c != ' ' && d != ' ' && (is_alpha(c) || is_alpha(d));
}

/* Whether two texts are equal as = sees it; *known is false when both may be numbers. */
static bool same_text(const rx_val *a, const rx_val *b, bool *known)
{
    rx_val x = rx_strip(*a), y = rx_strip(*b);
    *known = x.kind == V_STR && y.kind == V_STR && !(may_be_number(x) && may_be_number(y));
    if (!*known || x.len != y.len)
        return false;
    return !x.len || (x.s[0] == y.s[0] && memcmp(x.s, y.s, x.len) == 0);
}

/* Whether = < >= ... or == << >>= ... holds. */
bool rx_compare(struct rx *rx, int op, const rx_val *a, const rx_val *b)
{
    int order;
    if (op <= OP_NE) {
        if (begin_apart(a, b))
            return op == OP_NE;
        bool known, same = same_text(a, b, &known);
        if (known)
            return same == (op == OP_EQ);
    }
    if (op < OP_SEQ) {
        order = rx_order(rx, *a, *b);
    } else {
        order = text_order(rx_as_text(rx, *a), rx_as_text(rx, *b), true);
        op += OP_EQ - OP_SEQ;
    }
    switch (op) {
    case OP_EQ: return order == 0;
    case OP_NE: return order != 0;
    case OP_LT: return order < 0;
    case OP_LE: return order <= 0;
    case OP_GT: return order > 0;
    }
    return order >= 0;
}

/* rx_logical for what is no whole number. */
bool rx_logical_text(struct rx *rx, rx_val v)
{
    if (v.kind == V_STR && v.len == 1 && (v.s[0] == '0' || v.s[0] == '1'))
        return v.s[0] == '1';
    rx_raise(rx, 34);
}
