/* SPDX-License-Identifier: MIT */
/* Stages that change each record by itself: CHANGE, STRIP, CHOP, PAD, XLATE, REVERSE, DUPLICATE,
 * SPLIT. */
#include "pipe.h"

struct change {
    struct pipe_ranges in;
    struct pipe_string old, new;
    bool anycase;
    int32_t count;           /* at most so many in a record */
};

/* /old/new/, or two strings. */
static int parse_change(struct pipe_stage *s)
{
    struct change *d = s->data = pipe_alloc(s->pipe, sizeof(*d));

    if (!d)
        return s->pipe->rc;
    *d = (struct change){.count = INT32_MAX};
    d->anycase = pipe_anycase(s);
    int rc = pipe_ranges(s, &d->in);
    if (rc == 0)
        rc = pipe_string(s, &d->old);
    if (rc != 0)
        return rc;
    bool apart = s->at == s->end || *s->at == ' ';
    s->at -= !apart;         /* the mark in the middle begins the second one too */
    if ((rc = pipe_string(s, &d->new)) != 0)
        return rc;
    pipe_number(s, &d->count);
    return pipe_nothing(s);
}

static bool room(struct pipe_stage *s, size_t size)
{
    return pipe_line(s, size) != 0;
}

/* What of a part is changed goes to the line, from *n on. */
static bool changed(struct pipe_stage *s, const char *text, uint32_t len, uint32_t *n,
                    int32_t *left)
{
    struct change *d = s->data;
    uint32_t at;

    while (*left && d->old.len && pipe_find(text, len, &d->old, d->anycase, &at)) {
        if (!room(s, *n + at + d->new.len))
            return false;
        memcpy(s->line + *n, text, at);
        memcpy(s->line + *n + at, d->new.text, d->new.len);
        *n += at + d->new.len;
        text += at + d->old.len;
        len -= at + d->old.len;
        *left -= *left != INT32_MAX;
    }
    if (*left && !d->old.len) { /* nothing is changed to something: it comes first */
        if (!room(s, *n + d->new.len))
            return false;
        memcpy(s->line + *n, d->new.text, d->new.len);
        *n += d->new.len;
        *left -= *left != INT32_MAX;
    }
    if (!room(s, *n + len))
        return false;
    memcpy(s->line + *n, text, len);
    *n += len;
    return true;
}

static bool put_change(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct change *d = s->data;
    uint32_t n = 0, done = 0, at;
    int32_t left = d->count;

    if (!d->in.n && !changed(s, text, len, &n, &left))
        return false;
    for (int i = 0; i < d->in.n; i++) {
        uint32_t part = pipe_cut(&d->in.range[i], text, len, &at);
        if (!part || at < done)
            continue;
        if (!room(s, n + at - done))
            return false;
        memcpy(s->line + n, text + done, at - done);
        n += at - done;
        done = at + part;
        if (!changed(s, text + at, part, &n, &left))
            return false;
    }
    if (d->in.n) {
        if (!room(s, n + len - done))
            return false;
        memcpy(s->line + n, text + done, len - done);
        n += len - done;
    }
    return pipe_give(s, s->line, n);
}

/* ---- characters by which records are stripped, chopped and split */
struct target {
    bool not, string;
    bool of[256];
    struct pipe_string what;
};

static int parse_target(struct pipe_stage *s, struct target *t)
{
    int rc = 0;
    char c;

    memset(t, 0, sizeof(*t));
    t->not = pipe_is(s, "NOT", 3);
    if (!pipe_more(s)) {
        t->of[(uint8_t)' '] = true;
    } else if (pipe_is(s, "STRING", 3)) {
        t->string = true;
        rc = pipe_string(s, &t->what);
    } else if (pipe_is(s, "ANYOF", 3)) {
        rc = pipe_string(s, &t->what);
        for (uint32_t i = 0; i < t->what.len; i++)
            t->of[(uint8_t)t->what.text[i]] = true;
    } else if (s->at < s->end && !is_alnum(*s->at) && s->end - s->at > 1 && s->at[1] != ' ') {
        t->string = true;
        rc = pipe_string(s, &t->what);
    } else {
        rc = pipe_character(s, &c);
        t->of[(uint8_t)c] = true;
    }
    return rc;
}

/* How much of the text at `at` is meant; 0: it is not. */
static uint32_t meant(const struct target *t, const char *text, uint32_t len, uint32_t at)
{
    if (!t->string)
        return t->of[(uint8_t)text[at]] != t->not;
    bool is = t->what.len && at + t->what.len <= len
              && memcmp(text + at, t->what.text, t->what.len) == 0;
    return is == t->not ? 0 : t->not ? 1 : t->what.len;
}

struct strip {
    bool leading, trailing;
    int32_t most;
    struct target what;
};

static int parse_strip(struct pipe_stage *s)
{
    struct strip *d = s->data = pipe_alloc(s->pipe, sizeof(*d));

    if (!d)
        return s->pipe->rc;
    *d = (struct strip){.most = INT32_MAX};
    d->leading = pipe_is(s, "LEADING", 4);
    d->trailing = !d->leading && pipe_is(s, "TRAILING", 5);
    if (!d->leading && !d->trailing) {
        pipe_is(s, "BOTH", 4);
        d->leading = d->trailing = true;
    }
    int rc = parse_target(s, &d->what);
    if (rc == 0)
        pipe_number(s, &d->most);
    return rc ? rc : pipe_nothing(s);
}

static bool put_strip(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct strip *d = s->data;
    uint32_t n, size = d->what.string ? d->what.what.len : 1;

    for (int32_t left = d->most; d->leading && left > 0 && len; left--) {
        if (!(n = meant(&d->what, text, len, 0)))
            break;
        text += n;
        len -= n;
    }
    for (int32_t left = d->most; d->trailing && left > 0 && size && len >= size; left--) {
        if (!(n = meant(&d->what, text, len, len - (d->what.not ? 1 : size))))
            break;
        len -= n;
    }
    return pipe_give(s, text, len);
}

struct chop {
    int32_t width;           /* -1: at the target */
    bool after;
    struct target what;
};

static int parse_chop(struct pipe_stage *s)
{
    struct chop *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    int rc = 0;

    if (!d)
        return s->pipe->rc;
    *d = (struct chop){.width = 80};
    if (pipe_more(s) && !pipe_number(s, &d->width)) {
        d->width = -1;
        d->after = pipe_is(s, "AFTER", 5);
        if (!d->after)
            pipe_is(s, "BEFORE", 6);
        rc = parse_target(s, &d->what);
    } else if (d->width < 0) {
        return pipe_error(s, 66, "FPLSCA066E Number cannot be negative");
    }
    return rc ? rc : pipe_nothing(s);
}

static bool put_chop(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct chop *d = s->data;
    uint32_t n = 0, at = 0;

    if (d->width >= 0)
        return pipe_give(s, text, len < (uint32_t)d->width ? len : (uint32_t)d->width);
    while (at < len && !(n = meant(&d->what, text, len, at)))
        at++;
    return pipe_give(s, text, at == len ? len : d->after ? at + n : at);
}

struct pad {
    bool left;
    int32_t width;
    char with;
};

static int parse_pad(struct pipe_stage *s)
{
    struct pad *d = s->data = pipe_alloc(s->pipe, sizeof(*d));

    if (!d)
        return s->pipe->rc;
    *d = (struct pad){.with = ' '};
    d->left = pipe_is(s, "LEFT", 4);
    if (!d->left)
        pipe_is(s, "RIGHT", 5);
    if (!pipe_number(s, &d->width) || d->width < 0 || d->width > PIPE_WIDEST)
        return pipe_error(s, 113, "FPLSCA113E Required operand missing: a width");
    int rc = pipe_more(s) ? pipe_character(s, &d->with) : 0;
    return rc ? rc : pipe_nothing(s);
}

static bool put_pad(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct pad *d = s->data;
    uint32_t width = (uint32_t)d->width;

    if (len >= width)
        return pipe_give(s, text, len);
    if (!room(s, width))
        return false;
    memset(s->line, d->with, width);
    memcpy(s->line + (d->left ? width - len : 0), text, len);
    return pipe_give(s, s->line, width);
}

struct translation {
    struct pipe_ranges in;
    char to[256];
};

static bool span_of(struct pipe_stage *s, uint8_t *from, uint8_t *to)
{
    struct pipe_stage part = *s;
    char a, b;

    if (!pipe_more(s))
        return false;
    const char *at = s->at, *end = at;
    while (end < s->end && *end != ' ')
        end++;
    const char *dash = end - at > 2 ? memchr(at + 1, '-', (size_t)(end - at - 2)) : 0;
    part.at = at;
    part.end = dash ? dash : end;
    if (pipe_character(&part, &a) != 0)
        return false;
    b = a;
    if (dash) {
        part.at = dash + 1;
        part.end = end;
        if (pipe_character(&part, &b) != 0)
            return false;
    }
    *from = (uint8_t)a;
    *to = (uint8_t)b;
    s->at = end;
    return true;
}

static int parse_xlate(struct pipe_stage *s)
{
    struct translation *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    uint8_t a, b, c, e;

    if (!d)
        return s->pipe->rc;
    int rc = pipe_ranges(s, &d->in);
    bool lower = pipe_is(s, "LOWER", 5), upper = pipe_is(s, "UPPER", 5);
    if (!lower && !upper)
        upper = !pipe_more(s);
    for (int i = 0; i < 256; i++)
        d->to[i] = lower ? to_lower((char)i) : upper ? to_upper((char)i) : (char)i;
    while (rc == 0 && pipe_more(s)) {
        if (!span_of(s, &a, &b) || !span_of(s, &c, &e))
            return s->pipe->rc ? s->pipe->rc
                               : pipe_error(s, 113, "FPLSCA113E Required operand missing");
        for (unsigned i = a; i <= b; i++)
            d->to[i] = (char)(c + (i - a < (unsigned)(e - c) ? i - a : (unsigned)(e - c)));
    }
    return rc;
}

static bool put_xlate(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct translation *d = s->data;
    uint32_t at;

    if (!room(s, len + 1))
        return false;
    memcpy(s->line, text, len);
    for (uint32_t i = 0; !d->in.n && i < len; i++)
        s->line[i] = d->to[(uint8_t)text[i]];
    for (int k = 0; k < d->in.n; k++) {
        uint32_t n = pipe_cut(&d->in.range[k], text, len, &at);
        for (uint32_t i = at; i < at + n; i++)
            s->line[i] = d->to[(uint8_t)text[i]];
    }
    return pipe_give(s, s->line, len);
}

static bool put_reverse(struct pipe_stage *s, const char *text, uint32_t len)
{
    if (!room(s, len + 1))
        return false;
    for (uint32_t i = 0; i < len; i++)
        s->line[i] = text[len - 1 - i];
    return pipe_give(s, s->line, len);
}

static int parse_duplicate(struct pipe_stage *s)
{
    int32_t *n = s->data = pipe_alloc(s->pipe, sizeof(*n));

    if (!n)
        return s->pipe->rc;
    *n = 1;
    if (pipe_more(s) && !pipe_number(s, n))
        return pipe_error(s, 58, "FPLSCA058E Number expected");
    return pipe_nothing(s);
}

/* -1: records go; * is for ever, until nobody wants more. */
static bool put_duplicate(struct pipe_stage *s, const char *text, uint32_t len)
{
    int32_t n = *(int32_t *)s->data;
    bool more = true;

    for (int32_t i = 0; more && (i <= n || n == INT32_MAX); i += n != INT32_MAX)
        more = pipe_give(s, text, len);
    return more;
}

struct split {
    char where;              /* 'A' at, 'B' before, 'F' after */
    uint32_t least;
    struct target what;
};

static int parse_split(struct pipe_stage *s)
{
    struct split *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    int32_t least = 0;

    if (!d)
        return s->pipe->rc;
    d->where = 'A';
    if (pipe_is(s, "MINIMUM", 3) && (!pipe_number(s, &least) || least < 0))
        return pipe_error(s, 58, "FPLSCA058E Number expected");
    d->least = (uint32_t)least;
    if (pipe_is(s, "BEFORE", 6))
        d->where = 'B';
    else if (pipe_is(s, "AFTER", 5))
        d->where = 'F';
    else
        pipe_is(s, "AT", 2);
    int rc = parse_target(s, &d->what);
    return rc ? rc : pipe_nothing(s);
}

static bool put_split(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct split *d = s->data;
    uint32_t from = 0, at = 0, n;

    while (at < len) {
        n = at - from >= d->least ? meant(&d->what, text, len, at) : 0;
        if (!n) {
            at++;
            continue;
        }
        uint32_t to = d->where == 'F' ? at + n : at;
        if (to > from && !pipe_give(s, text + from, to - from))
            return false;
        from = d->where == 'B' ? at : at + n;
        at += n;
    }
    return len > from || len == 0 ? pipe_give(s, text + from, len - from) : true;
}

const struct pipe_kind pipe_edits[] = {
    {"CHANGE", 6, PIPE_LATER, parse_change, put_change, 0},
    {"STRIP", 5, PIPE_LATER, parse_strip, put_strip, 0},
    {"CHOP", 4, PIPE_LATER, parse_chop, put_chop, 0},
    {"TRUNCATE", 5, PIPE_LATER, parse_chop, put_chop, 0},
    {"PAD", 3, PIPE_LATER, parse_pad, put_pad, 0},
    {"XLATE", 5, PIPE_LATER, parse_xlate, put_xlate, 0},
    {"TRANSLATE", 5, PIPE_LATER, parse_xlate, put_xlate, 0},
    {"REVERSE", 7, PIPE_LATER, 0, put_reverse, 0},
    {"DUPLICATE", 3, PIPE_LATER, parse_duplicate, put_duplicate, 0},
    {"SPLIT", 5, PIPE_LATER, parse_split, put_split, 0},
    {"COPY", 4, PIPE_LATER, 0, 0, 0},
    {0, 0, 0, 0, 0, 0},
};
