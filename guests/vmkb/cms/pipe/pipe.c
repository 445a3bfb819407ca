/* SPDX-License-Identifier: MIT */
/* A pipeline from its text: stages, labels, rows; and its run. */
#include "pipe.h"

enum { NAME = 16 };

static const struct pipe_kind *kind_of(const char *name)
{
    static const struct pipe_kind *const all[] = {pipe_devices, pipe_selections, pipe_edits,
                                                  pipe_wholes, pipe_streams};

    for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
        for (const struct pipe_kind *k = all[i]; k->name; k++)
            if (cms_is(name, k->name, k->min))
                return k;
    return 0;
}

static int stage_parse(struct pipe_stage *s)
{
    char name[NAME];
    unsigned n = 0;

    while (s->at < s->end && *s->at == ' ')
        s->at++;
    s->text = s->at;
    while (s->at < s->end && *s->at != ' ' && n < NAME - 1)
        name[n++] = (char)to_upper(*s->at++);
    name[n] = 0;
    if (!n)
        return pipe_error(s, 12, "FPLSCA012E Null stage found");
    /* <file and >file may stand together */
    if (name[0] == '<' || name[0] == '>') {
        unsigned k = name[0] == '>' && name[1] == '>' ? 2 : 1;
        s->at = s->text + k;
        name[k] = 0;
    }
    s->kind = kind_of(name);
    if (!s->kind && pipe_absent(name))
        return pipe_error(s, 2700, "FPLSCA2700E Stage %s is not in VM/KB", name);
    if (!s->kind)
        return pipe_error(s, 27, "FPLSCA027E Entry point %s not found", name);
    if ((s->kind->place & PIPE_PLACE) == PIPE_FIRST && !s->first)
        return pipe_error(s, 87, "FPLSCA087E This stage must be the first stage of a pipeline");
    if ((s->kind->place & PIPE_PLACE) == PIPE_LATER && s->first)
        return pipe_error(s, 127, "FPLSCA127E This stage cannot be first in a pipeline");
    return s->kind->parse ? s->kind->parse(s) : pipe_nothing(s);
}

/* (STAGESEP c ENDCHAR c NAME n) before the first stage. */
static int global_options(const char **at, const char *end, char *separator, char *endchar)
{
    struct pipe_stage all = {.text = *at, .at = *at + 1, .row = 1};
    const char *close = *at;
    char word[NAME];

    while (close < end && *close != ')')
        close++;
    if (close == end) {
        cms_say("FPLSCA017E Missing ending parenthesis");
        return 17;
    }
    all.end = close;
    while (pipe_word(&all, word, sizeof(word))) {
        char *to = cms_is(word, "STAGESEP", 3) || cms_is(word, "SEPARATOR", 3) ? separator
                   : cms_is(word, "ENDCHAR", 3)                             ? endchar
                                                                            : 0;
        bool any = pipe_word(&all, word, sizeof(word));
        if (to && any)
            *to = word[0];
    }
    *at = close + 1;
    return 0;
}

/* A label at the stage's beginning, without its colon; false: there is none. */
static bool label(struct pipe_stage *s, char name[PIPE_LABEL + 2])
{
    const char *p = s->at;
    unsigned n = 0;

    while (p < s->end && *p == ' ')
        p++;
    for (; p < s->end && *p != ' ' && *p != ':' && n <= PIPE_LABEL; p++)
        name[n++] = (char)to_upper(*p);
    name[n] = 0;
    if (!n || p == s->end || *p != ':')
        return false;
    s->at = p + 1;
    return true;
}

/* What is being read: a row of stages, and the stream at its end. */
struct row {
    struct pipe_stage *end;  /* 0: the row has begun */
    uint8_t stream;
    int number, stages;
};

static int connect(const struct row *r, struct pipe_stage *to, uint8_t into)
{
    struct pipe_stage *from = r->end;

    if (!from)
        return 0;
    int outs = from->kind->place & PIPE_FANS_OUT ? PIPE_STREAMS
               : from->kind->place & PIPE_REJECTS ? 2 : 1;
    int ins = to->kind->place & PIPE_FANS_IN ? PIPE_STREAMS : 1;
    if (r->stream >= outs)
        return pipe_error(from, 2700, "FPLSCA2700E %s has no output stream %u in VM/KB",
                          from->kind->name, r->stream);
    if (into >= ins)
        return pipe_error(to, 2700, "FPLSCA2700E %s has no input stream %u in VM/KB",
                          to->kind->name, into);
    from->out[r->stream] = (struct pipe_out){to, into};
    if (from->outs <= r->stream)
        from->outs = (uint8_t)(r->stream + 1);
    to->inputs++;
    return 0;
}

static struct pipe_stage *labelled(struct pipe *p, const char *name)
{
    for (int i = 0; i < p->stages; i++)
        if (strcmp(p->stage[i].label, name) == 0)
            return &p->stage[i];
    return 0;
}

/* A stage, or a label alone: the next stream of that stage joins the row here. */
static int stage_scan(struct pipe *p, struct row *r, const char *from, const char *to)
{
    struct pipe_stage s = {.pipe = p, .text = from, .at = from, .end = to, .number = ++r->stages,
                           .row = r->number, .first = !r->end};
    struct pipe_stage *known = 0;
    char name[PIPE_LABEL + 2] = "";

    if (label(&s, name)) {
        known = labelled(p, name);
        bool alone = !pipe_more(&s);
        if (strlen(name) > PIPE_LABEL || (known && !alone))
            return pipe_error(&s, 2700, "FPLSCA2700E Label %s is declared or too long", name);
        if (alone && !known)
            return pipe_error(&s, 2700, "FPLSCA2700E Label %s is not declared before", name);
    }
    if (known) {
        uint8_t stream = ++known->streams;
        int rc = connect(r, known, stream);
        r->end = known;
        r->stream = stream;
        return rc;
    }
    if (p->stages == PIPE_STAGES) {
        cms_say("FPLSCA2701E More than %d stages", PIPE_STAGES);
        return 2701;
    }
    struct pipe_stage *made = &p->stage[p->stages++];
    *made = s;
    fmt(made->label, sizeof(made->label), "%s", name);
    int rc = stage_parse(made);
    if (rc == 0)
        rc = connect(r, made, 0);
    r->end = made;
    r->stream = 0;
    return rc;
}

/* Whether records could come back to a stage that gave them: then some stages never get all of
 * their inputs' ends. */
static bool circular(struct pipe *p)
{
    uint8_t ends[PIPE_STAGES] = {0};
    bool gone[PIPE_STAGES] = {false};
    int left = p->stages, found = 1;

    while (found) {
        found = 0;
        for (int i = 0; i < p->stages; i++) {
            const struct pipe_stage *s = &p->stage[i];
            if (gone[i] || ends[i] != s->inputs)
                continue;
            gone[i] = true;
            found++;
            left--;
            for (unsigned k = 0; k < s->outs; k++)
                if (s->out[k].to)
                    ends[s->out[k].to - p->stage]++;
        }
    }
    return left != 0;
}

static int scan(struct pipe *p, const char *at, const char *end)
{
    char separator = '|', endchar = 0;
    struct row row = {.number = 1};
    int rc = 0;

    while (at < end && *at == ' ')
        at++;
    if (at < end && *at == '(' && (rc = global_options(&at, end, &separator, &endchar)) != 0)
        return rc;
    if (blank_trim(at, (size_t)(end - at)) == 0) {
        cms_say("FPLSCA011E Null or blank parameter list found");
        return 11;
    }
    for (p->stages = 0; rc == 0; at++) {
        const char *from = at;
        while (at < end && *at != separator && *at != endchar)
            at++;
        rc = stage_scan(p, &row, from, at);
        if (at == end)
            break;
        if (*at == endchar)
            row = (struct row){.number = row.number + 1};
    }
    if (rc == 0 && circular(p)) {
        cms_say("FPLSCA2705E Records would go in a circle, which is not in VM/KB");
        return 2705;
    }
    return rc;
}

/* Once nothing more comes in, what is behind the stage gets what it still has, and its end. */
static void stage_end(struct pipe_stage *s)
{
    if (s->kind->end)
        s->kind->end(s);
    for (unsigned k = 0; k < s->outs && !s->pipe->stop; k++) {
        struct pipe_stage *to = s->out[k].to;
        if (to && ++to->ended == to->inputs)
            stage_end(to);
    }
}

int pipe_run(struct pipe *p, const char *text, unsigned len)
{
    p->rc = 0;
    p->records = 0;
    p->stop = false;
    int rc = scan(p, text, text + len);
    if (rc != 0)
        return rc;
    for (int i = 0; i < p->stages && !p->stop; i++)
        if (p->stage[i].inputs == 0)
            stage_end(&p->stage[i]);
    return p->rc;
}
