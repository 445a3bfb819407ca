/* SPDX-License-Identifier: MIT */
/* Stages that look at several records: COUNT, SORT, UNIQUE, JOIN, BUFFER. */
#include "pipe.h"

struct record {
    const char *text;
    uint32_t len;
};

/* ---- COUNT: what is counted, in this order, as one record */
struct count {
    bool chars, words, lines, least, most;
    uint64_t n_chars, n_words, n_lines;
    uint32_t shortest, longest;
};

static int parse_count(struct pipe_stage *s)
{
    struct count *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    char word[16];
    bool any = false;

    if (!d)
        return s->pipe->rc;
    *d = (struct count){.shortest = UINT32_MAX};
    for (; pipe_word(s, word, sizeof(word)); any = true) {
        bool *what = cms_is(word, "CHARACTERS", 4) || cms_is(word, "CHARS", 4)
                             || cms_is(word, "BYTES", 4)
                         ? &d->chars
                     : cms_is(word, "WORDS", 4)   ? &d->words
                     : cms_is(word, "LINES", 4)   ? &d->lines
                     : cms_is(word, "MINLINE", 3) ? &d->least
                     : cms_is(word, "MAXLINE", 3) ? &d->most
                                                  : 0;
        if (!what)
            return pipe_error(s, 111, "FPLSCA111E Operand %s is not valid", word);
        *what = true;
    }
    return any ? 0 : pipe_error(s, 113, "FPLSCA113E Required operand missing");
}

static bool put_count(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct count *d = s->data;

    for (uint32_t i = 0; i < len; i++)
        d->n_words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    d->n_chars += len;
    d->n_lines++;
    d->shortest = len < d->shortest ? len : d->shortest;
    d->longest = len > d->longest ? len : d->longest;
    return true;
}

static void end_count(struct pipe_stage *s)
{
    struct count *d = s->data;
    const struct {
        bool wanted;
        uint64_t n;
    } all[] = {{d->chars, d->n_chars}, {d->words, d->n_words}, {d->lines, d->n_lines},
               {d->least, d->n_lines ? d->shortest : 0}, {d->most, d->longest}};
    char text[120];
    int n = 0;

    for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i].wanted)
            n += fmt(text + n, sizeof(text) - (size_t)n, "%s%lu", n ? " " : "", all[i].n);
    pipe_give(s, text, (uint32_t)n);
}

/* ---- keys of SORT and UNIQUE */
struct keys {
    int n;                   /* 0: the whole record */
    struct pipe_range range[PIPE_RANGES];
    bool down[PIPE_RANGES + 1]; /* the last: of the whole record */
    char pad;
    bool padded;
};

static int compared(const void *one, const void *next, const void *how)
{
    const struct record *a = one, *b = next;
    const struct keys *k = how;

    for (int i = 0; i < (k->n ? k->n : 1); i++) {
        uint32_t x = 0, y = 0, n = a->len, m = b->len;
        if (k->n) {
            n = pipe_cut(&k->range[i], a->text, a->len, &x);
            m = pipe_cut(&k->range[i], b->text, b->len, &y);
        }
        int c = memcmp(a->text + x, b->text + y, n < m ? n : m);
        for (uint32_t at = n < m ? n : m; c == 0 && k->padded && at < (n > m ? n : m); at++)
            c = (at < n ? (uint8_t)a->text[x + at] : (uint8_t)k->pad)
                - (at < m ? (uint8_t)b->text[y + at] : (uint8_t)k->pad);
        if (c == 0 && !k->padded)
            c = n < m ? -1 : n > m;
        if (c)
            return (k->n ? k->down[i] : k->down[PIPE_RANGES]) ? -c : c;
    }
    return 0;
}

/* ---- SORT */
struct sort {
    struct keys keys;
    bool unique, count;
    const void **v;          /* records */
    uint32_t n, room;
};

static int parse_sort(struct pipe_stage *s)
{
    struct sort *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    int rc = 0;

    if (!d)
        return s->pipe->rc;
    *d = (struct sort){.n = 0};
    for (; rc == 0 && pipe_more(s);) {
        struct pipe_range r;
        if (pipe_is(s, "UNIQUE", 4)) {
            d->unique = true;
        } else if (pipe_is(s, "COUNT", 5)) {
            d->count = d->unique = true;
        } else if (pipe_is(s, "NOPAD", 5)) {
            d->keys.padded = false;
        } else if (pipe_is(s, "PAD", 3)) {
            d->keys.padded = true;
            rc = pipe_character(s, &d->keys.pad);
        } else if (pipe_is(s, "DESCENDING", 1)) {
            d->keys.down[d->keys.n ? d->keys.n - 1 : PIPE_RANGES] = true;
        } else if (pipe_is(s, "ASCENDING", 1)) {
            ;
        } else if ((rc = pipe_range(s, &r)) == 0 && d->keys.n < PIPE_RANGES) {
            d->keys.range[d->keys.n++] = r;
        } else if (rc <= 0) {
            rc = pipe_error(s, 111, "FPLSCA111E Operand %.*s is not valid",
                            (int)blank_trim(s->at, (size_t)(s->end - s->at)), s->at);
        }
    }
    return rc;
}

static bool put_sort(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct sort *d = s->data;

    if (d->n == d->room) {
        uint32_t room = d->room ? 2 * d->room : 64;
        const void **v = pipe_alloc(s->pipe, room * sizeof(*v));
        if (!v)
            return false;
        if (d->n)
            memcpy(v, d->v, d->n * sizeof(*v));
        d->v = v;
        d->room = room;
    }
    struct record *r = pipe_alloc(s->pipe, sizeof(*r) + len);
    if (!r)
        return false;
    *r = (struct record){(char *)(r + 1), len};
    memcpy(r + 1, text, len);
    d->v[d->n++] = r;
    return true;
}

static void end_sort(struct pipe_stage *s)
{
    struct sort *d = s->data;
    uint32_t same;

    const void **other = pipe_alloc(s->pipe, d->n * sizeof(*other));
    if (!other)
        return;
    const void **sorted = cms_sorted(d->v, other, d->n, compared, &d->keys);
    for (uint32_t i = 0; i < d->n; i += same) {
        const struct record *r = sorted[i];
        bool more;
        for (same = 1; d->unique && i + same < d->n; same++)
            if (compared(r, sorted[i + same], &d->keys) != 0)
                break;
        if (d->count && pipe_line(s, r->len + 16)) {
            fmt(s->line, s->room, "%10u", same);
            memcpy(s->line + 10, r->text, r->len);
            more = pipe_give(s, s->line, r->len + 10);
        } else {
            more = pipe_give(s, r->text, r->len);
        }
        if (!more)
            return;
    }
}

/* BUFFER keeps all records until the last one has come. */
static int parse_buffer(struct pipe_stage *s)
{
    struct sort *d = s->data = pipe_alloc(s->pipe, sizeof(*d));

    if (!d)
        return s->pipe->rc;
    *d = (struct sort){.n = 0};
    return pipe_nothing(s);
}

static void end_buffer(struct pipe_stage *s)
{
    struct sort *d = s->data;

    for (uint32_t i = 0; i < d->n; i++) {
        const struct record *r = d->v[i];
        if (!pipe_give(s, r->text, r->len))
            return;
    }
}

/* ---- UNIQUE: of records beside each other that are equal */
struct unique {
    struct keys keys;
    bool count, first, singles, multiple;
    struct record held;      /* the first or the last one of those that are equal */
    uint32_t same, room;
};

static int parse_unique(struct pipe_stage *s)
{
    struct unique *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    struct pipe_ranges ranges;

    if (!d)
        return s->pipe->rc;
    *d = (struct unique){.same = 0};
    d->count = pipe_is(s, "COUNT", 5);
    d->keys.padded = !pipe_is(s, "NOPAD", 5);
    d->keys.pad = ' ';
    int rc = pipe_ranges(s, &ranges);
    if (rc != 0)
        return rc;
    d->keys.n = ranges.n;
    memcpy(d->keys.range, ranges.range, sizeof(ranges.range));
    if (pipe_is(s, "FIRST", 5))
        d->first = true;
    else if (pipe_is(s, "SINGLES", 6) || pipe_is(s, "UNIQUE", 4))
        d->singles = true;
    else if (pipe_is(s, "MULTIPLE", 5))
        d->multiple = true;
    else
        pipe_is(s, "LAST", 4);
    return pipe_nothing(s);
}

static bool flush(struct pipe_stage *s)
{
    struct unique *d = s->data;
    bool wanted = d->same && !(d->singles && d->same > 1) && !(d->multiple && d->same == 1);

    if (!wanted)
        return true;
    if (!d->count)
        return pipe_give(s, d->held.text, d->held.len);
    if (!pipe_line(s, d->held.len + 16))
        return false;
    fmt(s->line, s->room, "%10u", d->same);
    memcpy(s->line + 10, d->held.text, d->held.len);
    return pipe_give(s, s->line, d->held.len + 10);
}

static bool hold(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct unique *d = s->data;

    if (len > d->room || !d->held.text) {
        d->room = len > 128 ? 2 * len : 256;
        d->held.text = pipe_alloc(s->pipe, d->room);
    }
    if (!d->held.text)
        return false;
    memcpy((char *)d->held.text, text, len);
    d->held.len = len;
    return true;
}

static bool put_unique(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct unique *d = s->data;
    struct record r = {text, len};
    bool again = d->same && compared(&d->held, &r, &d->keys) == 0;

    if (again && d->multiple) { /* all of those that are not alone */
        bool more = d->same > 1 || pipe_give(s, d->held.text, d->held.len);
        d->same++;
        return more && pipe_give(s, text, len);
    }
    if (!again && !(d->multiple ? true : flush(s)))
        return false;
    d->same = again ? d->same + 1 : 1;
    return again && d->first ? true : hold(s, text, len);
}

static void end_unique(struct pipe_stage *s)
{
    struct unique *d = s->data;

    if (!d->multiple)
        flush(s);
}

/* ---- JOIN */
struct join {
    int32_t n;               /* records that are put behind one */
    int32_t most;            /* bytes of a record that is made */
    struct pipe_string with;
    int32_t have;            /* records in the line; 0: none */
    uint32_t len;
};

static int parse_join(struct pipe_stage *s)
{
    struct join *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    int rc = 0;

    if (!d)
        return s->pipe->rc;
    *d = (struct join){.n = 1, .most = INT32_MAX};
    pipe_number(s, &d->n);
    if (d->n < 0)
        return pipe_error(s, 66, "FPLSCA066E Number cannot be negative");
    if (pipe_more(s))
        rc = pipe_string(s, &d->with);
    if (rc == 0)
        pipe_number(s, &d->most);
    return rc ? rc : pipe_nothing(s);
}

static bool put_join(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct join *d = s->data;
    uint32_t with = d->have ? d->with.len : 0;

    if (d->have && (d->have > d->n || (int64_t)d->len + with + len > d->most)) {
        d->have = 0;
        with = 0;
        uint32_t n = d->len;
        d->len = 0;
        if (!pipe_give(s, s->line, n))
            return false;
    }
    if (!pipe_line(s, (size_t)d->len + with + len + 1))
        return false;
    memcpy(s->line + d->len, d->with.text, with);
    memcpy(s->line + d->len + with, text, len);
    d->len += with + len;
    d->have += d->have != INT32_MAX;
    if (d->have <= d->n)
        return true;
    d->have = 0;
    len = d->len;
    d->len = 0;
    return pipe_give(s, s->line, len);
}

static void end_join(struct pipe_stage *s)
{
    struct join *d = s->data;

    if (d->have)
        pipe_give(s, s->line, d->len);
}

const struct pipe_kind pipe_wholes[] = {
    {"COUNT", 5, PIPE_LATER, parse_count, put_count, end_count},
    {"SORT", 4, PIPE_LATER, parse_sort, put_sort, end_sort},
    {"BUFFER", 4, PIPE_LATER, parse_buffer, put_sort, end_buffer},
    {"UNIQUE", 4, PIPE_LATER, parse_unique, put_unique, end_unique},
    {"JOIN", 4, PIPE_LATER, parse_join, put_join, end_join},
    {"SPECS", 4, PIPE_LATER, specs_parse, specs_put, 0},
    {0, 0, 0, 0, 0, 0},
};
