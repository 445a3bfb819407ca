/* SPDX-License-Identifier: MIT */
/*
 * PARSE: splits a text by a template. A section of the text lies between two patterns; its
 * variables get its words, the last one what is left.
 */
#include "rx.h"

struct section {
    const char *s;
    uint32_t len;
    uint32_t match; /* where the last pattern matched */
    uint32_t start; /* where it ended */
};

static void give(struct rx *rx, const struct rx_item *it, rx_val v)
{
    if (it->kind == PT_VAR)
        rx_set(rx, it->sym, v);
    if ((rx->lv.trace == 'R' || rx->lv.trace == 'I') && rx_traces(rx))
        rx_trace_value(rx, it->kind == PT_VAR ? ">>>" : ">.>", v);
}

/* Gives the words of s to n targets. */
static void words(struct rx *rx, const struct rx_item *it, uint32_t n, const char *s, uint32_t len)
{
    for (; n > 1; n--, it++) {
        const char *end = s + len;
        while (s < end && *s == ' ')
            s++;
        uint32_t n_word = rx_word_length(s, end);
        give(rx, it, rx_text(n_word ? s : "", n_word));
        s += n_word;
        s += s < end; /* the one blank that ends the word */
        len = (uint32_t)(end - s);
    }
    if (n)
        give(rx, it, rx_text(len ? s : "", len));
}

static rx_val pattern(struct rx *rx, const struct rx_item *it)
{
    rx_val v = it->kind == PT_LITERAL ? *it->value : rx_value(rx, &it->sym->ref);
    return rx_as_text(rx, v);
}

static bool find(const struct section *x, rx_val p, uint32_t *where)
{
    *where = rx_position(p, rx_text(x->s, x->len), x->start);
    return *where < x->len;
}

static int64_t number(struct rx *rx, const struct rx_item *it)
{
    int64_t i = it->n;
    if (it->kind < PT_VABS)
        return i;
    if (!rx_whole(rx, rx_value(rx, &it->sym->ref), &i) || i < 0 || i > RX_EXPONENT)
        rx_raise(rx, 26);
    return i;
}

/* Handles one pattern: the section before it goes to the targets. */
static void match(struct rx *rx, struct section *x, const struct rx_item *target, uint32_t n,
                  const struct rx_item *it)
{
    uint32_t from = x->start, to = x->len, where;
    if (it->kind == PT_LITERAL || it->kind == PT_VARLIT) {
        rx_val p = pattern(rx, it);
        if (find(x, p, &where)) {
            to = where;
            x->match = where;
            x->start = where + p.len;
        } else {
            x->match = x->start = x->len;
        }
    } else {
        int64_t i = number(rx, it), pos;
        bool plus = it->kind == PT_PLUS || it->kind == PT_VPLUS;
        bool minus = it->kind == PT_MINUS || it->kind == PT_VMINUS;
        pos = plus ? x->match + i : minus ? x->match - i : i - 1;
        pos = pos < 0 ? 0 : pos > x->len ? x->len : pos;
        if (plus)
            from = x->match; /* a relative pattern sees the last match itself */
        if (!minus && pos > from)
            to = (uint32_t)pos;
        x->match = x->start = (uint32_t)pos;
    }
    words(rx, target, n, x->s + from, to - from);
}

static rx_val argument(struct rx *rx, uint32_t k)
{
    bool given = k < rx->lv.nargs && rx->lv.args[k].kind != V_OMIT;
    return given ? rx->lv.args[k] : rx_text("", 0);
}

static rx_val version(void)
{
    return rx_z("REXXVMKB 3.48 21 Nov 2026"); /* language level 3.48, as REXX/VM had it */
}

static rx_val numeric(struct rx *rx)
{
    char *p = rx_temp(rx, 48);
    int n = fmt(p, 48, "%d %d %s", rx->lv.digits, rx->lv.fuzz,
                rx->lv.engineering ? "ENGINEERING" : "SCIENTIFIC");
    return rx_text(p, (size_t)n);
}

static rx_val source(struct rx *rx, const struct rx_template *t, const rx_val *popped)
{
    switch (t->source) {
    case PS_ARG: return argument(rx, 0);
    case PS_VALUE: return *popped;
    case PS_VAR: return rx_value(rx, &t->var->ref);
    case PS_PULL: return rx_pull(rx, false);
    case PS_EXTERNAL: return rx_pull(rx, true);
    case PS_SOURCE: return rx_source_string(rx);
    case PS_VERSION: return version();
    }
    return numeric(rx);
}

/* Whether a text that is a whole number, v, goes to one variable, which the item at k is. */
static bool is_whole(const struct rx_template *t, uint32_t k, rx_val v)
{
    return v.kind == V_INT && k < t->n && t->item[k].kind == PT_VAR &&
           (k + 1 == t->n || t->item[k + 1].kind == PT_COMMA);
}

/* Splits a text by the items from k on; returns where they end, or where the next text begins. */
static uint32_t split(struct rx *rx, const struct rx_template *t, uint32_t k, rx_val v)
{
    v = rx_as_text(rx, v);
    v = t->upper ? rx_upper(rx, v) : rx_keep(rx, v); /* targets may be the source itself */
    struct section x = {.s = v.len ? v.s : "", .len = v.len};
    for (;;) {
        uint32_t first = k;
        while (k < t->n && (t->item[k].kind == PT_VAR || t->item[k].kind == PT_SKIP))
            k++;
        if (k == t->n || t->item[k].kind == PT_COMMA) {
            words(rx, &t->item[first], k - first, x.s + x.start, x.len - x.start);
            return k;
        }
        match(rx, &x, &t->item[first], k - first, &t->item[k]);
        k++;
    }
}

/* Does a PARSE, ARG or PULL; for PARSE VALUE the value is on the stack. */
void rx_parse(struct rx *rx, const struct rx_template *t)
{
    rx_val popped = {.kind = V_OMIT};
    if (t->source == PS_VALUE)
        popped = rx_pop(rx);
    rx_val v = source(rx, t, &popped);
    uint32_t k = 0;
    for (uint32_t arg = 1;; arg++) {
        if (is_whole(t, k, v))
            give(rx, &t->item[k++], v);
        else
            k = split(rx, t, k, v);
        if (k++ == t->n)
            return;
        v = t->source == PS_ARG ? argument(rx, arg) : rx_text("", 0);
    }
}
