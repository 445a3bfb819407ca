/* SPDX-License-Identifier: MIT */
/* Symbols: every name of a program is kept once, in capitals, with what was found out about it. */
#include "rx.h"

uint32_t rx_hash(const char *s, uint32_t n)
{
    uint32_t h = 2166136261u; /* FNV-1a, Fowler, Noll and Vo */
    for (uint32_t k = 0; k < n; k++)
        h = (h ^ (unsigned char)s[k]) * 16777619u;
    return h ^ (h >> 15);
}

/* Characters of a symbol: letters, digits and . @ # $ ! ? _ (REXX/VM also has the cent sign). */
bool rx_symbol_char(int c)
{
    if (is_alnum(c))
        return true;
    switch ((char)c) {
    case '.': case '@': case '#': case '$': case '!': case '?': case '_':
        return true;
    }
    return false;
}

/* The kind S_... that a symbol has by its form. */
static int rx_symbol_kind(const char *s, uint32_t n)
{
    if (n == 0 || is_digit(s[0]) || s[0] == '.')
        return S_CONST;
    const char *dot = memchr(s, '.', n);
    if (!dot)
        return S_SIMPLE;
    return dot == s + n - 1 ? S_STEM : S_COMPOUND;
}

static void make_tail(struct rx *rx, struct rx_sym *sym)
{
    const char *dot = memchr(sym->name, '.', sym->len);
    uint32_t from = (uint32_t)(dot - sym->name) + 1, pieces = 1;
    for (uint32_t k = from; k < sym->len; k++)
        pieces += sym->name[k] == '.';
    struct rx_compound *c = rx_heap(rx, sizeof *c + pieces * sizeof c->piece[0]);
    c->stem = rx_intern(rx, sym->name, from, false);
    c->n = pieces;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t to = from;
        while (to < sym->len && sym->name[to] != '.')
            to++;
        c->piece[i] = rx_intern(rx, sym->name + from, to - from, false);
        from = to + 1;
    }
    sym->tail = c;
}

/*
 * The symbol of a name, made when it is new. fold: the name is as written, put it in capitals.
 * Raises Error 30 for a name longer than REXX_NAME.
 */
struct rx_sym *rx_intern(struct rx *rx, const char *s, uint32_t n, bool fold)
{
    char upper[REXX_NAME];
    if (n > REXX_NAME)
        rx_raise(rx, 30);
    if (fold) {
        for (uint32_t k = 0; k < n; k++)
            upper[k] = (char)to_upper(s[k]);
        s = upper;
    }
    uint32_t h = rx_hash(s, n);
    struct rx_sym **at = &rx->symbols[h % RX_BUCKETS];
    for (struct rx_sym *sym = *at; sym; sym = sym->next)
        if (sym->hash == h && sym->len == n && memcmp(sym->name, s, n) == 0)
            return sym;
    struct rx_sym *sym = rx_heap(rx, sizeof *sym + n);
    memset(sym, 0, sizeof *sym);
    memcpy(sym->name, s, n);
    sym->hash = h;
    sym->len = n;
    sym->ref.kind = (uint8_t)rx_symbol_kind(s, n);
    sym->ref.at = &sym->value;
    sym->value = rx_text(sym->name, n);
    int64_t i;
    if (sym->ref.kind == S_CONST && rx_plain_int(s, n, &i))
        sym->value = rx_int(i);
    sym->next = *at;
    *at = sym; /* a compound's pieces may be interned only after it is whole */
    if (sym->ref.kind == S_COMPOUND)
        make_tail(rx, sym);
    return sym;
}
