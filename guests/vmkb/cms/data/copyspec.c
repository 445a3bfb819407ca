/* SPDX-License-Identifier: MIT */
#include "copyspec.h"
#include "ctype.h"

enum { LIST_LINE = 160 };

/* Lines of a list are one: each that ends with ++ goes on in the next. */
struct list {
    char line[LIST_LINE];
    const char *p, *end;
    bool more;
};

static void next_line(struct list *l)
{
    int n = cms_readline(l->line, sizeof(l->line));

    l->p = l->line;
    l->end = l->line + blank_trim(l->line, (size_t)n);
    l->more = l->end - l->p >= 2 && l->end[-1] == '+' && l->end[-2] == '+';
    if (l->more)
        l->end -= 2;
}

/* Whether a word is next. */
static bool any(struct list *l)
{
    for (;;) {
        while (l->p < l->end && *l->p == ' ')
            l->p++;
        if (l->p < l->end)
            return true;
        if (!l->more)
            return false;
        next_line(l);
    }
}

static size_t word_length(const struct list *l)
{
    size_t n = 0;

    while (l->p + n < l->end && l->p[n] != ' ')
        n++;
    return n;
}

static int bad(const struct list *l, const char *option)
{
    return cms_error(24, "DMSCPY029E Invalid parameter %.*s in the option %s field",
                     (int)(l->end - l->p), l->p, option);
}

static bool number(struct list *l, uint32_t *n)
{
    uint32_t v = 0;
    unsigned digits = 0;

    for (; l->p < l->end && is_digit(*l->p) && digits < 6; digits++)
        v = v * 10 + (uint32_t)(*l->p++ - '0');
    *n = v;
    return v > 0 && v <= FS_LRECL_MAX && !(l->p < l->end && is_digit(*l->p));
}

/* H and pairs of hexadecimal digits. */
static bool hexadecimal(struct list *l, struct copy_spec *s)
{
    size_t n = word_length(l);

    if (n < 3 || n % 2 == 0 || (n - 1) / 2 > COPY_STRING)
        return false;
    for (size_t i = 1; i < n; i += 2) {
        int high = hex_value(l->p[i]), low = hex_value(l->p[i + 1]);
        if (high < 0 || low < 0)
            return false;
        s->text[s->len++] = (char)(high << 4 | low);
    }
    l->p += n;
    return true;
}

/* A string between two of any character that is no letter or digit. */
static bool string(struct list *l, struct copy_spec *s)
{
    const char *from = l->p + 1, *end = from;

    while (end < l->end && *end != *l->p)
        end++;
    s->len = (uint32_t)(end - from);
    if (is_alnum(*l->p) || end == l->end || !s->len || s->len > COPY_STRING)
        return false;
    memcpy(s->text, from, s->len);
    l->p = end + 1;
    return true;
}

static bool source(struct list *l, struct copy_spec *s)
{
    *s = (struct copy_spec){0};
    if (!is_digit(*l->p))
        return to_upper(*l->p) == 'H' ? hexadecimal(l, s) : string(l, s);
    if (!number(l, &s->from))
        return false;
    s->to = s->from;
    if (l->p < l->end && *l->p == '-') {
        l->p++;
        return number(l, &s->to) && s->to >= s->from;
    }
    return true;
}

int copy_specs_ask(struct copy_specs *specs, bool prompt)
{
    struct list l;

    if (prompt)
        cms_say("DMSCPY601R Enter specification list:");
    next_line(&l);
    for (specs->n = 0; any(&l); specs->n++) {
        struct list was = l;
        struct copy_spec *s = &specs->spec[specs->n];
        if (specs->n == COPY_SPECS)
            return cms_error(24, "DMSCPY102E More than %d specifications", COPY_SPECS);
        if (!source(&l, s) || (l.p < l.end && *l.p != ' ') || !any(&l) || !number(&l, &s->target)
            || (l.p < l.end && *l.p != ' '))
            return bad(&was, "SPECS");
    }
    return specs->n ? 0 : cms_error(40, "DMSCPY063E No specification list entered");
}

bool copy_character(const char *word, size_t len, uint8_t *c)
{
    if (len == 1)
        *c = (uint8_t)*word;
    else if (len == 2 && hex_value(word[0]) >= 0 && hex_value(word[1]) >= 0)
        *c = (uint8_t)(hex_value(word[0]) << 4 | hex_value(word[1]));
    else
        return false;
    return true;
}

static bool character(struct list *l, uint8_t *c)
{
    size_t n = any(l) ? word_length(l) : 0;
    bool good = copy_character(l->p, n, c);

    l->p += n;
    return good;
}

int copy_trans_ask(uint8_t trans[256], bool prompt)
{
    struct list l;
    uint8_t from, to;
    int n = 0;

    if (prompt)
        cms_say("DMSCPY602R Enter translation list:");
    for (unsigned i = 0; i < 256; i++)
        trans[i] = (uint8_t)i;
    next_line(&l);
    for (; any(&l); n++) {
        struct list was = l;
        if (!character(&l, &from) || !character(&l, &to))
            return bad(&was, "TRANS");
        trans[from] = to;
    }
    return n ? 0 : cms_error(40, "DMSCPY063E No translation list entered");
}

uint32_t copy_specs_apply(const struct copy_specs *specs, const uint8_t *record,
                          uint32_t record_len, uint8_t *to, uint32_t len, uint32_t room,
                          uint8_t fill)
{
    for (int i = 0; i < specs->n; i++) {
        const struct copy_spec *s = &specs->spec[i];
        const uint8_t *from = s->from ? record + s->from - 1 : (const uint8_t *)s->text;
        uint32_t at = s->target - 1, n = s->len;
        if (s->from)
            n = s->from > record_len ? 0 : (s->to < record_len ? s->to : record_len) - s->from + 1;
        if (at >= room || !n)
            continue;
        n = n < room - at ? n : room - at;
        if (at > len)
            memset(to + len, fill, at - len);
        memcpy(to + at, from, n);
        len = at + n > len ? at + n : len;
    }
    return len;
}
