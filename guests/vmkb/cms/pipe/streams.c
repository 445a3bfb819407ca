/* SPDX-License-Identifier: MIT */
/* Stages of several streams: FANOUT copies records to each, FANINANY takes them from each as they
 * come, FANIN those of one stream behind those of another. */
#include "pipe.h"

static bool put_fanout(struct pipe_stage *s, const char *text, uint32_t len)
{
    bool more = true;

    for (unsigned k = 0; k < s->outs; k++)
        more = pipe_give_to(s, k, text, len);
    return more;
}

/* Records of all but the first stream wait for the end of those before it: for that of all. */
struct fanin {
    int n;                   /* streams named; 0: all in turn */
    uint8_t order[PIPE_STREAMS];
    struct waiting {
        struct waiting *next;
        uint32_t len;
        char text[];
    } *first[PIPE_STREAMS], *last[PIPE_STREAMS];
};

static int parse_fanin(struct pipe_stage *s)
{
    struct fanin *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    int32_t stream;

    if (!d)
        return s->pipe->rc;
    memset(d, 0, sizeof(*d));
    while (pipe_number(s, &stream)) {
        if (stream < 0 || stream >= PIPE_STREAMS || memchr(d->order, stream, (size_t)d->n))
            return pipe_error(s, 111, "FPLSCA111E Operand %d is not valid", stream);
        d->order[d->n++] = (uint8_t)stream;
    }
    for (uint8_t k = 0; !d->n && k < PIPE_STREAMS; k++)
        d->order[k] = k;
    d->n = d->n ? d->n : PIPE_STREAMS;
    return pipe_nothing(s);
}

static bool put_fanin(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct fanin *d = s->data;
    unsigned k = s->in;

    if (k == d->order[0])
        return pipe_give(s, text, len);
    struct waiting *w = pipe_alloc(s->pipe, sizeof(*w) + len);
    if (!w)
        return false;
    w->next = 0;
    w->len = len;
    memcpy(w->text, text, len);
    *(d->last[k] ? &d->last[k]->next : &d->first[k]) = w;
    d->last[k] = w;
    return true;
}

static void end_fanin(struct pipe_stage *s)
{
    struct fanin *d = s->data;

    for (int i = 1; i < d->n; i++)
        for (struct waiting *w = d->first[d->order[i]]; w; w = w->next)
            if (!pipe_give(s, w->text, w->len))
                return;
}

const struct pipe_kind pipe_streams[] = {
    {"FANOUT", 6, PIPE_LATER | PIPE_FANS_OUT, 0, put_fanout, 0},
    {"FANINANY", 8, PIPE_ANY | PIPE_FANS_IN, 0, 0, 0},
    {"FANIN", 5, PIPE_ANY | PIPE_FANS_IN, parse_fanin, put_fanin, end_fanin},
    {0, 0, 0, 0, 0, 0},
};
