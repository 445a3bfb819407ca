/* SPDX-License-Identifier: MIT */
/* Strings that are looked for in lines: as typed, in either case, with arbitrary characters. */
#include "xedit.h"

static uint8_t other_case(uint8_t c)
{
    uint8_t up = (uint8_t)to_upper(c);

    return up != c ? up : (uint8_t)to_lower(c);
}

static bool is_hex(const char *text, uint32_t len)
{
    return x->file->hex && len > 2 && to_upper(*text) == 'X' && text[1] == '\''
           && text[len - 1] == '\'';
}

int string_bytes(const char *text, uint32_t len, char *to)
{
    if (!is_hex(text, len)) {
        if (len > X_STRING)
            return -1;
        memcpy(to, text, len);
        return (int)len;
    }
    uint32_t digits = len - 3, n = 0;
    if (digits % 2 != 0 || digits > 2 * X_STRING)
        return -1;
    for (const char *p = text + 2; n < digits / 2; p += 2, n++) {
        int high = hex_value(p[0]), low = hex_value(p[1]);
        if (high < 0 || low < 0)
            return -1;
        to[n] = (char)(high << 4 | low);
    }
    return (int)n;
}

bool pattern_make(struct xpattern *p, const char *text, uint32_t len)
{
    const struct xfile *f = x->file;
    bool arbitrary = f->arb_on && !is_hex(text, len);
    uint32_t at = 0;
    int bytes = string_bytes(text, len, p->text);

    if (bytes < 0)
        return false;
    len = (uint32_t)bytes;
    p->len = (uint16_t)len;
    p->ignore = f->ignore;
    p->pieces = 0;
    while (p->pieces < 8) {
        const char *arb = arbitrary ? memchr(p->text + at, f->arb1, len - at) : 0;
        p->start[p->pieces] = (uint16_t)at;
        p->end[p->pieces++] = (uint16_t)(arb ? (uint32_t)(arb - p->text) : len);
        if (!arb)
            break;
        at = (uint32_t)(arb - p->text) + 1;
    }
    if (p->ignore)
        for (uint32_t i = 0; i < len; i++)
            p->text[i] = (char)to_upper(p->text[i]);
    p->first[0] = (uint8_t)p->text[0];
    p->first[1] = p->ignore ? other_case(p->first[0]) : p->first[0];
    p->plain = len && !p->ignore && p->pieces == 1;
    return true;
}

static bool same(const struct xpattern *p, const char *piece, const char *text, uint32_t n)
{
    if (!p->ignore)
        return memcmp(piece, text, n) == 0;
    for (uint32_t i = 0; i < n; i++)
        if ((uint8_t)piece[i] != to_upper(text[i]))
            return false;
    return true;
}

static const char *either(const char *text, const uint8_t first[2], uint32_t n)
{
    const char *a = memchr(text, first[0], n);

    if (first[0] == first[1])
        return a;
    const char *b = memchr(text, first[1], a ? (size_t)(a - text) : n);
    return b ? b : a;
}

/* A piece of n bytes, in text[from..to); its place, or -1. */
static int64_t find_piece(const struct xpattern *p, unsigned k, const char *text, uint32_t from,
                          uint32_t to)
{
    uint32_t n = p->end[k] - p->start[k];
    const char *piece = p->text + p->start[k];
    uint8_t first[2];

    if (!n)
        return from <= to ? (int64_t)from : -1;
    first[0] = (uint8_t)piece[0];
    first[1] = p->ignore ? other_case(first[0]) : first[0];
    while (from + n <= to) {
        const char *at = either(text + from, first, to - n + 1 - from);
        if (!at)
            return -1;
        if (n == 1 || same(p, piece, at, n))
            return at - text;
        from = (uint32_t)(at - text) + 1;
    }
    return -1;
}

/* One piece, as it is: what most strings are. */
static bool find_plain(const struct xpattern *p, const char *text, uint32_t from, uint32_t to,
                       struct xfound *found)
{
    const char *at = text + from, *end = text + to - (p->len - 1);

    while (at < end && (at = memchr(at, p->first[0], (size_t)(end - at))) != 0) {
        if (p->len == 1 || memcmp(at, p->text, p->len) == 0) {
            found->at = (uint32_t)(at - text);
            found->len = p->len;
            return true;
        }
        at++;
    }
    return false;
}

bool pattern_find(const struct xpattern *p, const char *text, uint32_t len, uint32_t from,
                  uint32_t to, struct xfound *found)
{
    char padded[X_STRING * 2];

    if (to > len) {
        /* blanks at the end of the string may stand for what the line does not have */
        bool blank = p->len && p->text[p->len - 1] == ' ';
        if (blank && len + p->len <= sizeof(padded)) {
            memcpy(padded, text, len);
            memset(padded + len, ' ', p->len);
            to = to < len + p->len ? to : len + p->len;
            text = padded;
        } else {
            to = len;
        }
    }
    if (p->plain)
        return from + p->len <= to && find_plain(p, text, from, to, found);
    int64_t at = find_piece(p, 0, text, from, to);
    if (at < 0)
        return false;
    found->at = (uint32_t)at;
    uint32_t end = (uint32_t)at + p->end[0] - p->start[0];
    for (unsigned k = 1; k < p->pieces; k++) {
        bool rest = k + 1u == p->pieces && p->end[k] == p->start[k];
        at = rest ? (int64_t)to : find_piece(p, k, text, end, to);
        if (at < 0)
            return false;
        found->arb[k - 1] = end;
        found->arb_len[k - 1] = (uint32_t)at - end;
        end = (uint32_t)at + p->end[k] - p->start[k];
    }
    found->len = end - found->at;
    return true;
}
