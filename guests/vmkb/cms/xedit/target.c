/* SPDX-License-Identifier: MIT */
/* Targets: n, +n, -n, :n, *, .name, /string/, and strings joined by & and |, perhaps after ~. */
#include "xedit.h"

enum { TERMS = 6 };

struct term {
    struct xpattern pattern;
    bool negated, either; /* either: joined to what is before it by | */
};

static bool is_delimiter(char c)
{
    return c && c != ' ' && !is_alnum(c) && !strchr("+-.:*()=?", c);
}

bool delimited(const char **text, const char **string, uint32_t *len)
{
    const char *p = *text, mark = *p;

    if (!is_delimiter(mark))
        return false;
    const char *end = strchr(p + 1, mark);
    *string = p + 1;
    *len = (uint32_t)(end ? (size_t)(end - p - 1) : strlen(p + 1));
    *text = p + 1 + *len + (end != 0);
    return true;
}

static bool holds(const struct term *t, const struct xline *l)
{
    const struct xfile *f = x->file;
    struct xfound found;

    return pattern_find(&t->pattern, l->text, l->len, f->zone1 - 1, f->zone2, &found)
           != t->negated;
}

static bool matches(const struct term *term, unsigned n, uint32_t k)
{
    const struct xline *l = line_at(k);
    bool yes = holds(term, l);

    for (unsigned i = 1; i < n; i++)
        if (term[i].either)
            yes = yes || holds(&term[i], l);
        else
            yes = yes && holds(&term[i], l);
    return yes;
}

/* The terms of a string target; how many, 0: a string is too long. */
static unsigned terms(const char **text, struct term *term)
{
    const char *p = *text, *string;
    unsigned n = 0;
    uint32_t len;

    for (;;) {
        term[n].negated = *p == '~' || *p == '\x5f';
        if (term[n].negated)
            p = skip_blanks(p + 1);
        if (!delimited(&p, &string, &len) || !pattern_make(&term[n].pattern, string, len))
            return 0;
        n++;
        *text = p;
        p = skip_blanks(p);
        if (n == TERMS || (*p != '&' && *p != '|'))
            return n;
        term[n].either = *p == '|';
        p = skip_blanks(p + 1);
        if (!is_delimiter(*p) || *p == '&')
            return n;
    }
}

static bool search(const struct term *term, unsigned n, bool up, uint32_t from, struct xtarget *t)
{
    uint32_t top = top_of(), end = end_of(), k = from;
    bool all = !x->file->selects;

    for (;;) {
        if (up ? k <= top + 1 : k >= end - 1)
            break;
        k += up ? (uint32_t)-1 : 1u;
        if ((all || in_scope(k)) && matches(term, n, k)) {
            t->line = k;
            return true;
        }
    }
    return false;
}

static bool wrap_search(const struct term *term, unsigned n, bool up, uint32_t from,
                        struct xtarget *t)
{
    if (search(term, n, up, from, t))
        return true;
    if (!x->file->wrap)
        return false;
    if (!search(term, n, up, up ? end_of() : top_of(), t) || (up ? t->line < from : t->line > from))
        return false;
    say_x(0, "DMSXDC592W Wrapped ...");
    return true;
}

static int string_target(const char **text, struct xtarget *t, uint32_t from)
{
    static struct term term[TERMS];
    unsigned n = terms(text, term);

    if (!n)
        return 5;
    t->found = wrap_search(term, n, t->up, from, t);
    if (t->found)
        return 0;
    t->line = t->up ? top_of() : end_of();
    return say_x(2, "DMSXDC546E Target not found");
}

static int name_target(const char **text, struct xtarget *t, uint32_t from)
{
    const char *p = *text;
    char name[9];
    unsigned n = 0;

    for (; *p && *p != ' ' && n < 8; p++)
        name[n++] = (char)to_upper(*p);
    name[n] = 0;
    *text = p;
    const struct xmark *m = mark_find(name);
    if (!m || !is_line(m->line))
        return say_x(2, "DMSXDC546E Target not found");
    t->line = m->line;
    t->up = m->line < from;
    t->found = true;
    return 0;
}

int target_parse(const char **text, struct xtarget *t, uint32_t from)
{
    const char *p = skip_blanks(*text);
    char sign = *p == '+' || *p == '-' ? *p : 0;
    int rc = 0;

    *t = (struct xtarget){.up = sign == '-'};
    if (sign)
        p = skip_blanks(p + 1);
    if (*p == '*') {
        p++;
        t->found = true;
        t->line = t->up ? top_of() : end_of();
    } else if (is_digit(*p) || (*p == ':' && !sign && is_digit(p[1]))) {
        bool absolute = *p == ':';
        uint32_t n = 0;
        for (p += absolute; is_digit(*p); p++)
            n = n < 100000000 ? n * 10 + (uint32_t)(*p - '0') : n;
        t->found = true;
        if (absolute) {
            t->line = n < top_of() ? top_of() : n < end_of() ? n : end_of();
            t->up = t->line < from;
        } else {
            t->number = true;
            t->line = scope_move(from, t->up ? -(int64_t)n : (int64_t)n);
        }
    } else if (*p == '.' && !sign && p[1] && p[1] != ' ') {
        rc = name_target(&p, t, from);
    } else if (is_delimiter(*p)) {
        rc = string_target(&p, t, from);
    } else {
        return 5;
    }
    *text = p;
    return rc;
}

int target_range(const char **text, uint32_t *first, uint32_t *last)
{
    struct xtarget t;
    uint32_t from = x->file->line;
    const char *p = skip_blanks(*text);

    if (!*p) {
        *first = *last = from;
    } else {
        int rc = target_parse(&p, &t, from);
        if (rc != 0)
            return rc == 5 ? bad_operand(skip_blanks(*text)) : rc;
        if (t.number) {
            *first = t.up ? t.line + 1 : from;
            *last = t.up ? from : t.line - 1;
            if (t.line == from)
                *last = from - 1;
        } else {
            *first = t.up ? t.line + 1 : from;
            *last = t.up ? from : t.line - 1;
        }
        *text = p;
    }
    if (*first == top_of())
        *first = top_of() + 1;
    if (*last >= end_of() && *last != ~0u)
        *last = end_of() - 1;
    return *first > *last || *last == ~0u ? 1 : 0;
}
