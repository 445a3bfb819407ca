/* SPDX-License-Identifier: MIT */
#include "text.h"
#include "translate.h"

/* EBCDIC 1047 of LF and CR: lines are put together before the translation, and looked for after
 * it. */
#define E_LF 0x25
#define E_CR 0x0d
#define BLANK 0x40           /* EBCDIC, on the host build too: records are EBCDIC everywhere */

static const uint8_t crlf[2] = {E_CR, E_LF};

static void to_wire(uint8_t *p, uint32_t n)
{
    translate(p, n, latin1_of_ebcdic);
}

void text_out_start(struct text_out *t, struct fs_file *file, bool ascii, uint8_t recfm)
{
    *t = (struct text_out){.file = file, .ascii = ascii, .variable = recfm == FS_VARIABLE};
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* What is left of a record and its line end, as far as it fits. Returns the bytes put. */
static uint32_t rest(struct text_out *t, uint8_t *to, uint32_t max)
{
    uint32_t n = smaller(t->left, max);

    memcpy(to, t->record, n);
    t->record += n;
    t->left -= n;
    while (!t->left && t->newline && n < max)
        to[n++] = t->newline-- == 2 ? E_CR : E_LF;
    return n;
}

/* Whole records where they fit; all that is filled is translated at once. */
long text_out(struct text_out *t, uint8_t *to, uint32_t max)
{
    uint32_t n = 0;

    if (!t->ascii && !t->variable)
        return fs_read(t->file, to, max);
    for (;;) {
        if (t->left || t->newline)
            n += rest(t, to + n, max - n);
        if (t->ascii && !t->left && !t->newline && !t->ended)
            n += fs_next_lines(t->file, to + n, max - n, crlf);
        if (n == max || t->ended)
            break;
        int rc = fs_next(t->file, &t->record, &t->left);
        if (rc == FS_EOF) {
            t->ended = 1;
            t->left = 0;
            break;
        }
        if (rc != FS_OK)
            return rc;
        if (!t->ascii || t->left + 2 > max - n) {
            t->newline = t->ascii ? 2 : 0;
            continue;
        }
        memcpy(to + n, t->record, t->left);
        n += t->left;
        to[n++] = E_CR;
        to[n++] = E_LF;
        t->left = 0;
    }
    if (t->ascii)
        to_wire(to, n);
    return (long)n;
}

int text_out_skip(struct text_out *t, uint64_t n, uint8_t *to, uint32_t max)
{
    if (!t->ascii && !t->variable)
        return n > UINT32_MAX || fs_seek(t->file, (uint32_t)n) != FS_OK ? FS_EOF : FS_OK;
    while (n) {
        long got = text_out(t, to, n < max ? (uint32_t)n : max);
        if (got <= 0)
            return got == 0 ? FS_EOF : (int)got;
        n -= (uint64_t)got;
    }
    return FS_OK;
}

void text_in_start(struct text_in *t, struct fs_file *file, bool ascii, uint8_t recfm,
                   uint32_t lrecl, uint8_t *record, uint32_t limit)
{
    *t = (struct text_in){.file = file,
                          .ascii = ascii,
                          .variable = recfm == FS_VARIABLE,
                          .lrecl = lrecl,
                          .record = record,
                          .limit = limit};
    if (lrecl && lrecl < limit)
        t->limit = lrecl;
}

static int put(struct text_in *t, const uint8_t *record, uint32_t n)
{
    t->any = 1;
    if (t->variable || n == t->lrecl)
        return fs_write_record(t->file, record, n);
    if (t->lrecl > t->limit)
        return FS_E_BUFFER;  /* no room to fill up a record of that length */
    if (record != t->record)
        memcpy(t->record, record, n);
    memset(t->record + n, BLANK, t->lrecl - n);
    return fs_write_record(t->file, t->record, t->lrecl);
}

static int add(struct text_in *t, const uint8_t *from, uint32_t n)
{
    if (n > t->limit - t->used)
        return FS_E_RECORD;
    memcpy(t->record + t->used, from, n);
    t->used += n;
    return FS_OK;
}

/* One line whose end was found: text[0..n) and what was kept before it. */
static int line(struct text_in *t, const uint8_t *text, uint32_t n)
{
    int rc;

    if (!t->used && n <= t->limit)
        return put(t, text, n);
    rc = add(t, text, n);
    if (rc == FS_OK)
        rc = put(t, t->record, t->used);
    t->used = 0;
    return rc;
}

static int ascii_in(struct text_in *t, uint8_t *p, uint32_t n)
{
    uint8_t *end = p + n;
    int rc = FS_OK;

    translate(p, n, ebcdic_of_latin1);
    if (t->cr && n) {        /* the CR that ended the piece before */
        t->cr = 0;
        if (*p != E_LF) {
            static const uint8_t cr = E_CR;
            rc = add(t, &cr, 1);
        }
    }
    while (rc == FS_OK && p < end) {
        if (t->variable && !t->used) {
            uint32_t whole = fs_write_lines(t->file, p, (uint32_t)(end - p), t->limit, crlf);
            t->any |= whole != 0;
            p += whole;
            if (p == end)
                break;
        }
        uint8_t *lf = memchr(p, E_LF, (size_t)(end - p));
        if (!lf) {
            uint32_t k = (uint32_t)(end - p);
            if (p[k - 1] == E_CR) {
                t->cr = 1;
                k--;
            }
            return k ? add(t, p, k) : FS_OK;
        }
        uint32_t k = (uint32_t)(lf - p);
        if (k && p[k - 1] == E_CR)
            k--;
        rc = line(t, p, k);
        p = lf + 1;
    }
    return rc;
}

/* Binary to F is a stream of bytes; to V, records of the longest length. */
static int binary_in(struct text_in *t, const uint8_t *p, uint32_t n)
{
    int rc = FS_OK;

    t->any = 1;
    if (!t->variable)
        return fs_write(t->file, p, n);
    while (rc == FS_OK && n) {
        uint32_t k = smaller(n, t->limit - t->used);
        rc = add(t, p, k);
        p += k;
        n -= k;
        if (rc == FS_OK && t->used == t->limit) {
            rc = put(t, t->record, t->used);
            t->used = 0;
        }
    }
    return rc;
}

/* Where n ends within a record, that part of it begins the next line; its CR may be of that
 * part. */
int text_in_keep(struct text_in *t, struct fs_file *old, uint64_t n)
{
    bool bytes = !t->ascii && !t->variable;
    const uint8_t *record;
    uint32_t length;

    while (n) {
        int rc = fs_next(old, &record, &length);
        if (rc == FS_EOF && n == TEXT_ALL)
            return FS_OK;
        if (rc != FS_OK)
            return rc;
        uint32_t whole = t->ascii ? length + 2 : length;
        if (whole <= n) {
            rc = bytes ? fs_write(t->file, record, length) : put(t, record, length);
            n -= n == TEXT_ALL ? 0 : whole;
        } else {
            uint32_t some = n < length ? (uint32_t)n : length;
            rc = bytes ? fs_write(t->file, record, some) : add(t, record, some);
            t->cr = n > length;
            n = 0;
        }
        if (rc != FS_OK)
            return rc;
    }
    return FS_OK;
}

int text_in(struct text_in *t, uint8_t *from, uint32_t n)
{
    return t->ascii ? ascii_in(t, from, n) : binary_in(t, from, n);
}

int text_in_end(struct text_in *t)
{
    int rc = FS_OK;

    if (t->cr) {
        static const uint8_t cr = E_CR;
        t->cr = 0;
        rc = add(t, &cr, 1);
    }
    if (rc == FS_OK && t->used)
        rc = put(t, t->record, t->used);
    t->used = 0;
    return rc;
}
