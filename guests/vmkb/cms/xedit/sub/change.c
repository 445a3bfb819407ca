/* SPDX-License-Identifier: MIT */
/* CHANGE /old/new/ target n from; COUNT; SCHANGE, which asks before each. */
#include "subcommands.h"

struct change {
    struct xpattern old;
    char text[X_STRING]; /* what comes instead */
    uint32_t len;
    uint32_t count, skip; /* at most so many occurrences of a line, from that one on */
};

static int bad_string(const char *text, uint32_t len)
{
    return len > X_STRING
               ? say_x(5, "DMSXCG509E String of more than %d characters", X_STRING)
               : say_x(5, "DMSXDC520E Invalid operand : %.*s", (int)len, text);
}

static int change_parse(const char **text, struct change *c)
{
    const char *p = skip_blanks(*text), *old, *new;
    char mark = *p;
    uint32_t len;

    *c = (struct change){.count = 1, .skip = 1};
    if (!delimited(&p, &old, &len))
        return say_x(5, "DMSXCG545E Missing operand(s)");
    if (!pattern_make(&c->old, old, len))
        return bad_string(old, len);
    const char *end = strchr(p, mark);
    new = p;
    len = (uint32_t)(end ? (size_t)(end - p) : strlen(p));
    *text = p + len + (end != 0);
    int bytes = p[-1] == mark ? string_bytes(new, len, c->text) : 0;
    if (bytes < 0)
        return bad_string(new, len);
    c->len = (uint32_t)bytes;
    return 0;
}

/* The next one before end, or end. */
static inline char *next_character(char *from, char *end, uint8_t c)
{
    return from + (find_byte((const uint8_t *)from, (const uint8_t *)end, c) - (uint8_t *)from);
}

/* The new string; what SET ARBCHAR's character stood for comes for it. */
static uint32_t put_new(char *to, const struct change *c, const char *line,
                        const struct xfound *found)
{
    unsigned arb = 0;
    uint32_t n = 0;

    if (c->old.pieces < 2) {
        memcpy(to, c->text, c->len);
        return c->len;
    }
    for (uint32_t i = 0; i < c->len; i++) {
        if (c->text[i] != x->file->arb1 || arb + 1u >= c->old.pieces) {
            to[n++] = c->text[i];
            continue;
        }
        memcpy(to + n, line + found->arb[arb], found->arb_len[arb]);
        n += found->arb_len[arb++];
    }
    return n;
}

/* As put_new and memcpy, for the strings of one length that most changes have: in place. */
static int change_same(struct xline *l, const struct change *c, struct xfound *found)
{
    const struct xfile *f = x->file;
    uint32_t from;
    int done = 0;

    do {
        if (c->len == 1)
            l->text[found->at] = c->text[0];
        else
            memcpy(l->text + found->at, c->text, c->len);
        from = found->at + c->len;
    } while ((uint32_t)++done < c->count
             && pattern_find(&c->old, l->text, l->len, from, f->zone2, found));
    l->len = (uint16_t)blank_trim(l->text, l->len);
    altered();
    return done;
}

static inline bool is_character(const struct change *c)
{
    return c->old.plain && c->old.len == 1 && c->len == 1 && c->skip == 1
           && c->old.first[0] != ' ';
}

/* One character for another. */
static inline int change_character(struct xfile *f, struct xline *l, const struct change *c,
                                   uint32_t from)
{
    char *at = l->text + from, *end = l->text + (l->len < f->zone2 ? l->len : f->zone2);
    uint32_t done = 0;

    if (from >= l->len)
        return 0;
    while (done < c->count && (at = next_character(at, end, c->old.first[0])) != end) {
        *at++ = c->text[0];
        done++;
    }
    if (!done)
        return 0;
    if (c->text[0] == ' ')
        l->len = (uint16_t)blank_trim(l->text, l->len);
    f->changes++;
    f->saved_changes++;
    return (int)done;
}

/* From column FROM on, counted from 0. Occurrences changed, -1: no room. */
static int change_line(uint32_t k, const struct change *c, uint32_t from)
{
    const struct xfile *f = x->file;
    struct xline *l = line_at(k);
    struct xfound found;
    uint32_t copied = 0, n = 0, seen = 0;
    int done = 0;
    char *to = x->work;

    if (is_character(c))
        return change_character(x->file, l, c, from);
    if (!pattern_find(&c->old, l->text, l->len, from, f->zone2, &found))
        return 0;
    if (c->len == c->old.len && c->skip == 1 && c->old.pieces < 2 && c->len
        && found.at + c->len <= l->len)
        return change_same(l, c, &found);
    do {
        uint32_t end = found.at + found.len;
        if (++seen >= c->skip) {
            if (n + end - copied + 2 * X_STRING + c->old.pieces * l->len > X_WORK)
                break;
            if (found.at <= l->len && found.at > copied) {
                memcpy(to + n, l->text + copied, found.at - copied);
                n += found.at - copied;
                copied = found.at;
            }
            for (; copied < found.at; copied++) /* a match may lie behind the line's end */
                to[n++] = copied < l->len ? l->text[copied] : ' ';
            n += put_new(to + n, c, l->text, &found);
            copied = end;
            done++;
        }
        from = end > found.at ? end : found.at + 1;
        if (!c->old.len)
            break;
    } while ((uint32_t)done < c->count
             && pattern_find(&c->old, l->text, l->len, from, f->zone2, &found));
    if (!done)
        return 0;
    if (copied < l->len) {
        memcpy(to + n, l->text + copied, l->len - copied);
        n += l->len - copied;
    }
    n = (uint32_t)blank_trim(to, n);
    if (n > f->trunc) {
        say_x(3, "DMSXCG503E Truncated");
        n = f->trunc;
    }
    return line_replace(k, to, n) == 0 ? done : -1;
}

static int number(const char **p, uint32_t *n)
{
    char word[12];

    if (!*skip_blanks(*p))
        return 0;
    next_word(p, word, sizeof(word));
    if (strcmp(word, "*") == 0 || strcmp(word, "G") == 0) /* G: as the CMS editor has it */
        *n = ~0u;
    else if (!cms_number(word, n) || !*n)
        return bad_operand(word);
    return 0;
}

/* The lines that a target at P names, changed; behind it at most how many occurrences of a line,
 * from which on. */
static int change_lines(const char *p, struct change *c)
{
    uint32_t first, last, lines = 0, total = 0;
    int rc = target_range(&p, &first, &last);

    if (rc == 0)
        rc = number(&p, &c->count);
    if (rc == 0)
        rc = number(&p, &c->skip);
    if (rc != 0)
        return rc;
    bool all = !x->file->selects, character = is_character(c);
    uint32_t from = x->file->zone1 - 1;
    for (uint32_t k = first; k <= last; k++) {
        if (!all && !in_scope(k))
            continue;
        int n = character ? change_character(x->file, line_at(k), c, from)
                          : change_line(k, c, from);
        if (n < 0)
            return 4;
        lines += n > 0;
        total += (uint32_t)n;
        if (k % 1024 == 0 && cms_halted())
            break;
    }
    if (!x->file->stay)
        x->file->line = last;
    if (!total)
        return say_x(4, "DMSXCG585E No line(s) changed");
    say_x(0, "DMSXCG517I %u occurrence(s) changed on %u line(s)", total, lines);
    return 0;
}

int x_change(const char *operands)
{
    struct change c;
    const char *p = *skip_blanks(operands) ? operands : x->change;

    if (p == operands && strlen(p) < sizeof(x->change))
        fmt(x->change, sizeof(x->change), "%s", p);
    int rc = change_parse(&p, &c);
    return rc ? rc : change_lines(p, &c);
}

/* A character as it is or by its two hexadecimal digits. */
static int character(const char **p, char *c)
{
    const char *from = skip_blanks(*p);
    size_t n = 0;

    while (from[n] && from[n] != ' ')
        n++;
    *p = from + n;
    if (!n)
        return say_x(5, "DMSXAL545E Missing operand(s)");
    if (n == 2 && hex_value(from[0]) >= 0 && hex_value(from[1]) >= 0)
        *c = (char)(hex_value(from[0]) << 4 | hex_value(from[1]));
    else if (n == 1)
        *c = *from;
    else
        return say_x(5, "DMSXDC520E Invalid operand : %.*s", (int)n, from);
    return 0;
}

/* ALTER character character target n from: CHANGE of one character, none of them arbitrary. */
int x_alter(const char *operands)
{
    struct change c = {.len = 1, .count = 1, .skip = 1};
    bool arbitrary = x->file->arb_on;
    char old;
    int rc = character(&operands, &old);

    if (rc == 0)
        rc = character(&operands, c.text);
    if (rc != 0)
        return rc;
    x->file->arb_on = false;
    pattern_make(&c.old, &old, 1);
    x->file->arb_on = arbitrary;
    return change_lines(operands, &c);
}

int x_count(const char *operands)
{
    struct xpattern pattern;
    struct xfound found;
    const char *p = skip_blanks(operands), *string;
    uint32_t first, last, len, n = 0;

    if (!delimited(&p, &string, &len) || !len)
        return say_x(5, "DMSXCT545E Missing operand(s)");
    if (!pattern_make(&pattern, string, len))
        return bad_string(string, len);
    int rc = target_range(&p, &first, &last);
    if (rc != 0)
        return rc;
    for (uint32_t k = first; k <= last; k++) {
        const struct xline *l = line_at(k);
        uint32_t from = x->file->zone1 - 1;
        while (in_scope(k)
               && pattern_find(&pattern, l->text, l->len, from, x->file->zone2, &found)) {
            n++;
            from = found.at + found.len;
        }
    }
    return say_x(n ? 0 : 4, "DMSXCT522I %u occurrence(s)", n);
}

/* SCHANGE n, from a key: with CHANGE on the command line it goes to the next place, and key n
 * changes it there. */
int x_schange(const char *operands)
{
    struct change c;
    struct xfound found;
    const char *p = x->command;
    char name[9];
    unsigned n = 0;
    int rc;

    (void)operands;
    for (; is_alpha(*p); p++)
        if (n < 8)
            name[n++] = (char)to_upper(*p);
    name[n] = 0;
    if (!n || !cms_is(name, "CHANGE", 1))
        return say_x(3, "DMSXSC545E Missing operand(s)");
    rc = change_parse(&p, &c);
    if (rc != 0)
        return rc;
    uint32_t k = x->sc_on ? x->sc_line : x->file->line, from = x->sc_on ? x->sc_column : 0;
    for (; k < end_of(); k++, from = x->file->zone1 - 1) {
        if (k == top_of() || !in_scope(k))
            continue;
        const struct xline *l = line_at(k);
        if (!pattern_find(&c.old, l->text, l->len, from, x->file->zone2, &found))
            continue;
        x->sc_on = true;
        x->sc_line = x->file->line = k;
        x->sc_column = found.at + found.len;
        cursor_to_file(k, found.at + 1);
        return say_x(0, "DMSXSC525I PF6 changes this occurrence, PF5 goes on");
    }
    x->sc_on = false;
    return say_x(4, "DMSXSC586E Not found");
}

/* The key that SCHANGE named: changes what it found. False: there is nothing to change. */
bool schange_confirm(void)
{
    struct change c;
    const char *p = x->command;

    if (!x->sc_on)
        return false;
    x->sc_on = false;
    while (is_alpha(*p))
        p++;
    if (change_parse(&p, &c) != 0 || !is_line(x->sc_line))
        return true;
    uint32_t from = x->sc_column - c.old.len;
    int n = change_line(x->sc_line, &c, from);
    if (n > 0)
        say_x(0, "DMSXCG517I %d occurrence(s) changed on 1 line(s)", n);
    x->sc_column = from + c.len;
    x->sc_on = true;
    cursor_to_file(x->sc_line, from + 1);
    return true;
}
