/* SPDX-License-Identifier: MIT */
#include "lines.h"

enum { BS = 0x08, HT = 0x09, LF = 0x0a, CR = 0x0d, ESC = 0x1b };
enum { NO_ESCAPE, SEEN_ESC, IN_CONTROL, IN_STRING };

/* ESC x, ESC [ ... final, ESC ] ... BEL. */
static void escape(struct lines *l, uint8_t c)
{
    if (l->escape == SEEN_ESC)
        l->escape = c == 0x5b ? IN_CONTROL : c == 0x5d ? IN_STRING : NO_ESCAPE;
    else if (l->escape == IN_CONTROL && c >= 0x40)
        l->escape = NO_ESCAPE;
    else if (l->escape == IN_STRING && c == 0x07)
        l->escape = NO_ESCAPE;
}

static void character(struct lines *l, uint8_t c)
{
    if (l->overwrite && l->at == 0)
        l->len = 0;          /* a line written anew takes the place of the old one */
    l->overwrite = 0;
    if (l->at < LINES_MAX)
        l->text[l->at++] = c;
    if (l->len < l->at)
        l->len = l->at;
}

bool lines_put(struct lines *l, uint8_t c)
{
    if (c == LF) {
        bool shown = l->broken && l->len == 0; /* by its last part */
        l->escape = NO_ESCAPE;
        l->broken = 0;
        return !shown;
    }
    if (l->escape) {
        escape(l, c);
        return false;
    }
    switch (c) {
    case ESC: l->escape = SEEN_ESC; break;
    case CR:
        l->at = 0;
        l->overwrite = 1;
        break;
    case BS:
        if (l->at)
            l->at--;
        break;
    case HT:
        do
            character(l, 0x20);
        while (l->at % 8 && l->at < LINES_MAX);
        break;
    default:
        if (c >= 0x20 && (c < 0x7f || c >= 0xa0))
            character(l, c);
        break;
    }
    return l->at == LINES_MAX;
}

unsigned lines_run(struct lines *l, const uint8_t *p, unsigned n)
{
    unsigned k = 0;

    if (l->escape || l->overwrite || l->at != l->len)
        return 0;
    if (n > LINES_MAX - 1u - l->at)
        n = LINES_MAX - 1u - l->at;
    while (k < n && p[k] >= 0x20 && p[k] < 0x7f)
        k++;
    memcpy(l->text + l->at, p, k);
    l->len = l->at = (uint8_t)(l->at + k);
    return k;
}

void lines_next(struct lines *l)
{
    l->broken = l->at == LINES_MAX;
    l->len = l->at = l->overwrite = 0;
}

static unsigned without_blanks(const struct lines *l)
{
    unsigned n = l->len;

    while (n && l->text[n - 1] == 0x20)
        n--;
    return n;
}

bool lines_prompt(const struct lines *l)
{
    static const uint8_t ends[8] = {0x3a, 0x3e, 0x24, 0x25, 0x23, 0x3f, 0x29, 0x5d};

    unsigned n = without_blanks(l);

    return n && memchr(ends, l->text[n - 1], sizeof(ends));
}

bool lines_ask_secret(const struct lines *l)
{
    static const uint8_t word[4] = {0x70, 0x61, 0x73, 0x73}; /* pass */

    unsigned n = without_blanks(l);

    if (!n || l->text[n - 1] != 0x3a)
        return false;
    for (unsigned i = 0; i + sizeof(word) <= n; i++) {
        unsigned k = 0;
        while (k < sizeof(word) && (l->text[i + k] | 0x20) == word[k])
            k++;
        if (k == sizeof(word))
            return true;
    }
    return false;
}
