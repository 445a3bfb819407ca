/* SPDX-License-Identifier: MIT */
#include "replies.h"
#include "ctype.h"

#define LF 0x0a
#define CR 0x0d
#define DIGIT_0 0x30         /* ISO 8859-1, on every machine */
#define BLANK 0x20
#define HYPHEN 0x2d

void reply_init(struct reply_reader *r)
{
    *r = (struct reply_reader){.len = 0};
}

/* Three digits, the first 1 to 5, and what follows them: a blank, a hyphen or nothing. Else 0. */
static int code_of(const uint8_t *p, unsigned len)
{
    int code = 0;

    if (len < 3 || p[0] < DIGIT_0 + 1 || p[0] > DIGIT_0 + 5)
        return 0;
    for (int i = 0; i < 3; i++) {
        if (p[i] < DIGIT_0 || p[i] > DIGIT_0 + 9)
            return 0;
        code = code * 10 + p[i] - DIGIT_0;
    }
    return len == 3 || p[3] == BLANK || p[3] == HYPHEN ? code : 0;
}

static void line_end(struct reply_reader *r)
{
    if (r->len && r->line[r->len - 1] == CR)
        r->len--;
    int code = code_of(r->line, r->len);
    bool hyphen = code && r->len > 3 && r->line[3] == HYPHEN;

    r->whole = true;
    if (r->more) {           /* any text, up to the same code without a hyphen */
        r->final = code == r->code && !hyphen;
        r->more = !r->final;
        return;
    }
    if (!code) {
        r->bad = true;
        return;
    }
    r->code = code;
    r->more = hyphen;
    r->final = !hyphen;
}

unsigned reply_feed(struct reply_reader *r, const uint8_t *p, unsigned n)
{
    if (r->whole) {
        r->whole = r->final = r->bad = false;
        r->len = 0;
    }
    const uint8_t *lf = n ? memchr(p, LF, n) : 0;
    unsigned k = lf ? (unsigned)(lf - p) : n, room = REPLY_LINE - r->len;

    memcpy(r->line + r->len, p, k < room ? k : room);
    r->len += k < room ? k : room;
    if (!lf)
        return n;
    line_end(r);
    return k + 1;
}

static const char *number(const char *p, unsigned max, unsigned *value)
{
    unsigned v = 0, digits = 0;

    for (; is_digit(*p) && digits < 6; p++, digits++)
        v = v * 10 + (unsigned)(*p - '0');
    *value = v;
    return digits && v <= max && !is_digit(*p) ? p : 0;
}

/* RFC 1123 section 4.1.2.6: look for the digits, whatever is around them. */
bool reply_passive(const char *text, uint32_t *ip, uint16_t *port)
{
    unsigned v[6];

    if (strlen(text) < 4)
        return false;
    for (const char *p = text + 4; *p; p++) {
        const char *q = p;
        if (!is_digit(*p) || is_digit(p[-1]))
            continue;
        for (int i = 0; q && i < 6; i++) {
            q = number(q, 255, &v[i]);
            if (q && i < 5)
                q = *q == ',' ? q + 1 : 0;
        }
        if (!q)
            continue;
        *ip = v[0] << 24 | v[1] << 16 | v[2] << 8 | v[3];
        *port = (uint16_t)(v[4] << 8 | v[5]);
        return *port != 0;
    }
    return false;
}

/* RFC 2428: (|||port|), any character for the bars. */
bool reply_extended_passive(const char *text, uint16_t *port)
{
    const char *p = strchr(text, '(');
    unsigned v;

    if (!p || !p[1] || p[2] != p[1] || p[3] != p[1])
        return false;
    const char *end = number(p + 4, 65535, &v);
    if (!end || *end != p[1] || v == 0)
        return false;
    *port = (uint16_t)v;
    return true;
}

bool reply_size(const char *text, uint64_t *size)
{
    for (const char *p = strchr(text, '('); p; p = strchr(p + 1, '(')) {
        uint64_t v = 0;
        unsigned digits = 0;
        const char *q = p + 1;
        for (; is_digit(*q) && digits < 18; q++, digits++)
            v = v * 10 + (uint64_t)(*q - '0');
        if (!digits || strncmp(q, " bytes", 6) != 0)
            continue;
        *size = v;
        return true;
    }
    return false;
}
