/* SPDX-License-Identifier: MIT */
/* Stages that let records through or not: LOCATE, FIND, TAKE, DROP, TOLABEL, FRLABEL, BETWEEN... */
#include "pipe.h"

struct search {
    struct pipe_ranges in;
    struct pipe_string what;
    bool any, anycase, anyof;
};

static int parse_locate(struct pipe_stage *s)
{
    struct search *d = s->data = pipe_alloc(s->pipe, sizeof(*d));

    if (!d)
        return s->pipe->rc;
    *d = (struct search){.anycase = false};
    d->anycase = pipe_anycase(s);
    int rc = pipe_ranges(s, &d->in);
    if (rc != 0)
        return rc;
    d->anyof = pipe_is(s, "ANYOF", 3);
    d->any = pipe_more(s);
    if (d->any && (rc = pipe_string(s, &d->what)) != 0)
        return rc;
    if (!d->any && !d->in.n)
        return pipe_error(s, 113, "FPLSCA113E Required operand missing");
    return pipe_nothing(s);
}

static bool one_of(const char *text, uint32_t len, const struct pipe_string *of)
{
    for (uint32_t i = 0; i < len; i++)
        if (of->len && memchr(of->text, (uint8_t)text[i], of->len))
            return true;
    return false;
}

static bool in_part(const struct search *d, const char *text, uint32_t len)
{
    uint32_t at;

    if (d->anyof)
        return one_of(text, len, &d->what);
    return d->any ? pipe_find(text, len, &d->what, d->anycase, &at) : len > 0;
}

static bool located(const struct search *d, const char *text, uint32_t len)
{
    uint32_t at;

    if (!d->in.n)
        return in_part(d, text, len);
    for (int i = 0; i < d->in.n; i++) {
        uint32_t n = pipe_cut(&d->in.range[i], text, len, &at);
        if (n && in_part(d, text + at, n))
            return true;
    }
    return false;
}

static bool put_locate(struct pipe_stage *s, const char *text, uint32_t len)
{
    return located(s->data, text, len) ? pipe_give(s, text, len) : pipe_reject(s, text, len);
}

static bool put_nlocate(struct pipe_stage *s, const char *text, uint32_t len)
{
    return located(s->data, text, len) ? pipe_reject(s, text, len) : pipe_give(s, text, len);
}

/* FIND's operand is what follows one blank, to the stage's end. */
static int parse_text(struct pipe_stage *s)
{
    struct pipe_string *d = s->data = pipe_alloc(s->pipe, sizeof(*d));

    if (!d)
        return s->pipe->rc;
    if (s->at < s->end)
        s->at++;
    d->len = (uint32_t)(s->end - s->at);
    if (d->len > PIPE_STRING)
        return pipe_error(s, 111, "FPLSCA111E Operand of more than %d characters", PIPE_STRING);
    memcpy(d->text, s->at, d->len);
    return 0;
}

static int parse_find(struct pipe_stage *s)
{
    int rc = parse_text(s);
    struct pipe_string *d = s->data;

    if (rc == 0)
        d->len = (uint32_t)blank_trim(d->text, d->len);
    return rc;
}

/* A blank stands for any character, an underscore for a blank. */
static bool found(const struct pipe_string *d, const char *text, uint32_t len)
{
    for (uint32_t i = 0; i < d->len; i++) {
        char c = d->text[i], has = i < len ? text[i] : 0;
        if (i >= len || (c != ' ' && has != (c == '_' ? ' ' : c)))
            return false;
    }
    return true;
}

static bool put_find(struct pipe_stage *s, const char *text, uint32_t len)
{
    return found(s->data, text, len) ? pipe_give(s, text, len) : pipe_reject(s, text, len);
}

static bool put_nfind(struct pipe_stage *s, const char *text, uint32_t len)
{
    return found(s->data, text, len) ? pipe_reject(s, text, len) : pipe_give(s, text, len);
}

static int parse_string(struct pipe_stage *s)
{
    struct pipe_string *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    int rc = d ? pipe_string(s, d) : s->pipe->rc;

    return rc ? rc : pipe_nothing(s);
}

static bool begins(const struct pipe_string *d, const char *text, uint32_t len)
{
    return len >= d->len && memcmp(text, d->text, d->len) == 0;
}

static bool put_strfind(struct pipe_stage *s, const char *text, uint32_t len)
{
    return begins(s->data, text, len) ? pipe_give(s, text, len) : pipe_reject(s, text, len);
}

static bool put_strnfind(struct pipe_stage *s, const char *text, uint32_t len)
{
    return begins(s->data, text, len) ? pipe_reject(s, text, len) : pipe_give(s, text, len);
}

static bool put_tolabel(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct pipe_string *d = s->data;

    if (d->len <= PIPE_STRING && !begins(d, text, len))
        return pipe_give(s, text, len);
    d->len = PIPE_STRING + 1; /* all from here on */
    return pipe_rejects(s) && pipe_reject(s, text, len);
}

/* From the label on; an empty one begins each record. */
static bool put_frlabel(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct pipe_string *d = s->data;

    if (!begins(d, text, len))
        return pipe_reject(s, text, len);
    d->len = 0;
    return pipe_give(s, text, len);
}

struct counted {
    int32_t n;
    bool last;
    uint32_t seen;
    struct kept {
        char *text;
        uint32_t len, room;
    } *kept;                 /* LAST: the n seen last, in turn */
};

static int parse_count(struct pipe_stage *s)
{
    struct counted *d = s->data = pipe_alloc(s->pipe, sizeof(*d));

    if (!d)
        return s->pipe->rc;
    *d = (struct counted){.n = 1};
    d->last = pipe_is(s, "LAST", 4);
    if (!d->last)
        pipe_is(s, "FIRST", 5);
    pipe_number(s, &d->n);
    if (d->n < 0)
        return pipe_error(s, 66, "FPLSCA066E Number cannot be negative");
    if (d->last && d->n && d->n < INT32_MAX) {
        d->kept = pipe_alloc(s->pipe, (size_t)d->n * sizeof(*d->kept));
        if (!d->kept)
            return s->pipe->rc;
        memset(d->kept, 0, (size_t)d->n * sizeof(*d->kept));
    }
    return pipe_nothing(s);
}

/* The record takes the place of the oldest one. */
static void keep(struct pipe_stage *s, struct kept *k, const char *text, uint32_t len)
{
    if (len > k->room || !k->text) {
        char *to = pipe_alloc(s->pipe, len + 1);
        if (!to)
            return;
        k->text = to;
        k->room = len;
    }
    memcpy(k->text, text, len);
    k->len = len;
}

static bool put_take(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct counted *d = s->data;

    if (d->n == INT32_MAX)
        return pipe_give(s, text, len);
    if (!d->last && d->seen < (uint32_t)d->n)
        return pipe_give(s, text, len) && (++d->seen < (uint32_t)d->n || pipe_rejects(s));
    if (!d->last || !d->n)
        return pipe_rejects(s) && pipe_reject(s, text, len);
    struct kept *k = &d->kept[d->seen % (uint32_t)d->n];
    if (d->seen++ >= (uint32_t)d->n)
        pipe_reject(s, k->text, k->len);
    keep(s, k, text, len);
    return true;
}

static void end_count(struct pipe_stage *s, unsigned stream)
{
    struct counted *d = s->data;
    uint32_t n = (uint32_t)d->n, from = d->seen > n ? d->seen - n : 0;

    for (uint32_t i = from; d->kept && i < d->seen; i++)
        if (!pipe_give_to(s, stream, d->kept[i % n].text, d->kept[i % n].len))
            break;
}

static void end_take(struct pipe_stage *s)
{
    end_count(s, 0);
}

static void end_drop(struct pipe_stage *s)
{
    end_count(s, 1);
}

static bool put_drop(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct counted *d = s->data;

    if (d->n == INT32_MAX)
        return pipe_reject(s, text, len);
    if (!d->last)
        return d->seen++ < (uint32_t)d->n ? pipe_reject(s, text, len) : pipe_give(s, text, len);
    if (!d->n)
        return pipe_give(s, text, len);
    struct kept *k = &d->kept[d->seen % (uint32_t)d->n];
    bool more = d->seen++ < (uint32_t)d->n || pipe_give(s, k->text, k->len);
    keep(s, k, text, len);
    return more;
}

/* BETWEEN /from/ n or /to/: from records that begin with a string, n of them or up to one that
 * begins with another; INSIDE without the two; OUTSIDE and NINSIDE the rest. */
struct between {
    struct pipe_string from, to;
    int32_t n;
    int32_t left;            /* of the group that is being let through; 0: none */
    bool inside, rest;
};

static int parse_between(struct pipe_stage *s)
{
    struct between *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    int rc = d ? 0 : s->pipe->rc;

    if (rc == 0) {
        *d = (struct between){.n = 0};
        d->inside = strcmp(s->kind->name, "INSIDE") == 0 || s->kind->name[0] == 'N';
        d->rest = s->kind->name[0] == 'O' || s->kind->name[0] == 'N';
        rc = pipe_string(s, &d->from);
    }
    if (rc == 0 && !pipe_number(s, &d->n))
        rc = pipe_string(s, &d->to);
    return rc ? rc : pipe_nothing(s);
}

static bool put_between(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct between *d = s->data;
    bool within, edge = false;

    if (!d->left) {
        within = edge = begins(&d->from, text, len);
        if (within)
            d->left = d->n ? d->n - !d->inside : INT32_MAX;
    } else {
        within = true;
        edge = !d->n && begins(&d->to, text, len);
        d->left = edge ? 0 : d->left == INT32_MAX ? INT32_MAX : d->left - 1;
    }
    bool through = within && !(d->inside && edge);
    return through != d->rest ? pipe_give(s, text, len) : pipe_reject(s, text, len);
}

static bool put_hole(struct pipe_stage *s, const char *text, uint32_t len)
{
    (void)s;
    (void)text;
    (void)len;
    return true;
}

const struct pipe_kind pipe_selections[] = {
    {"LOCATE", 6, PIPE_LATER | PIPE_REJECTS, parse_locate, put_locate, 0},
    {"NLOCATE", 7, PIPE_LATER | PIPE_REJECTS, parse_locate, put_nlocate, 0},
    {"NOTLOCATE", 9, PIPE_LATER | PIPE_REJECTS, parse_locate, put_nlocate, 0},
    {"FIND", 4, PIPE_LATER | PIPE_REJECTS, parse_find, put_find, 0},
    {"NFIND", 5, PIPE_LATER | PIPE_REJECTS, parse_find, put_nfind, 0},
    {"NOTFIND", 7, PIPE_LATER | PIPE_REJECTS, parse_find, put_nfind, 0},
    {"STRFIND", 7, PIPE_LATER | PIPE_REJECTS, parse_string, put_strfind, 0},
    {"STRNFIND", 8, PIPE_LATER | PIPE_REJECTS, parse_string, put_strnfind, 0},
    {"TOLABEL", 7, PIPE_LATER | PIPE_REJECTS, parse_text, put_tolabel, 0},
    {"FRLABEL", 7, PIPE_LATER | PIPE_REJECTS, parse_text, put_frlabel, 0},
    {"FROMLABEL", 9, PIPE_LATER | PIPE_REJECTS, parse_text, put_frlabel, 0},
    {"TAKE", 4, PIPE_LATER | PIPE_REJECTS, parse_count, put_take, end_take},
    {"DROP", 4, PIPE_LATER | PIPE_REJECTS, parse_count, put_drop, end_drop},
    {"BETWEEN", 7, PIPE_LATER | PIPE_REJECTS, parse_between, put_between, 0},
    {"INSIDE", 6, PIPE_LATER | PIPE_REJECTS, parse_between, put_between, 0},
    {"OUTSIDE", 7, PIPE_LATER | PIPE_REJECTS, parse_between, put_between, 0},
    {"NINSIDE", 7, PIPE_LATER | PIPE_REJECTS, parse_between, put_between, 0},
    {"HOLE", 4, PIPE_ANY, 0, put_hole, 0},
    {0, 0, 0, 0, 0, 0},
};
