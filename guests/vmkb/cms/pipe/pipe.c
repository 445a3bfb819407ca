/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include "pipe.h"

enum { NAME = 16, PER_LOOK = 256 };

int pipe_error(struct pipe_stage *s, int rc, const char *f, ...)
{
    char text[CMS_LINE];
    va_list ap;

    va_start(ap, f);
    cms_say_text(text, vfmt_kept(text, sizeof(text), f, ap));
    va_end(ap);
    cms_say("FPLMSG003I ... Issued from stage %d of pipeline 1", s->number);
    cms_say("FPLMSG001I ... Running \"%.*s\"",
            (int)blank_trim(s->text, (size_t)(s->end - s->text)), s->text);
    pipe_code(s->pipe, rc);
    s->pipe->stop = true;
    return rc;
}

void pipe_code(struct pipe *p, int rc)
{
    if (rc < 0 ? rc < p->rc : p->rc >= 0 && rc > p->rc)
        p->rc = rc;
}

void *pipe_alloc(struct pipe *p, size_t size)
{
    char *got = p->low;

    size = (size + 7) & ~(size_t)7;
    if (size <= (size_t)(p->high - p->low)) {
        p->low += size;
        return got;
    }
    if (!p->stop)
        cms_say("FPLPIP122E Insufficient free storage");
    pipe_code(p, 122);
    p->stop = true;
    return 0;
}

char *pipe_line(struct pipe_stage *s, size_t size)
{
    size_t room = s->room ? s->room : 256;

    if (s->line && size <= s->room)
        return s->line;
    while (room < size)
        room *= 2;
    char *line = pipe_alloc(s->pipe, room);
    if (!line)
        return 0;
    if (s->room)
        memcpy(line, s->line, s->room);
    s->room = (uint32_t)room;
    return s->line = line;
}

bool pipe_give(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct pipe *p = s->pipe;
    struct pipe_stage *to = s->next;

    if (++p->records % PER_LOOK == 0 && cms_halted())
        p->stop = true;
    if (p->stop)
        return false;
    if (!to)
        return true;
    if (to->done)
        return false;
    if (to->kind->put ? !to->kind->put(to, text, len) : !pipe_give(to, text, len))
        to->done = true;
    return !to->done && !p->stop;
}

static const struct pipe_kind *kind_of(const char *name)
{
    static const struct pipe_kind *const all[] = {pipe_devices, pipe_selections, pipe_edits,
                                                  pipe_wholes};

    for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
        for (const struct pipe_kind *k = all[i]; k->name; k++)
            if (cms_is(name, k->name, k->min))
                return k;
    return 0;
}

/* Stages that are for pipelines of several streams. */
static bool of_streams(const char *name)
{
    static const char *const names[] = {"FANOUT", "FANIN", "FANINANY", "FANINTWO", "COLLATE",
                                        "LOOKUP", "MERGE", "OVERLAY", "PREDSELECT", "SYNCHRONISE",
                                        "GATE", "APPEND", "PREFACE", "CALLPIPE", "ADDPIPE", "NOT"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
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
    if (name[n - 1] == ':')
        return pipe_error(s, 2700, "FPLSCA2700E Label %s pipelines have one stream here", name);
    /* <file and >file may stand together */
    if (name[0] == '<' || name[0] == '>') {
        unsigned k = name[0] == '>' && name[1] == '>' ? 2 : 1;
        s->at = s->text + k;
        name[k] = 0;
    }
    s->kind = kind_of(name);
    if (!s->kind && of_streams(name))
        return pipe_error(s, 2700, "FPLSCA2700E %s: pipelines have one stream here", name);
    if (!s->kind)
        return pipe_error(s, 27, "FPLSCA027E Entry point %s not found", name);
    if (s->kind->place == PIPE_FIRST && !s->first)
        return pipe_error(s, 87, "FPLSCA087E This stage must be the first stage of a pipeline");
    if (s->kind->place == PIPE_LATER && s->first)
        return pipe_error(s, 127, "FPLSCA127E This stage cannot be first in a pipeline");
    return s->kind->parse ? s->kind->parse(s) : pipe_nothing(s);
}

/* (STAGESEP c ENDCHAR c NAME n) before the first stage. */
static int global_options(const char **at, const char *end, char *separator, char *endchar)
{
    struct pipe_stage all = {.text = *at, .at = *at + 1, .number = 0};
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

static int scan(struct pipe *p, const char *at, const char *end)
{
    char separator = '|', endchar = 0;
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
        if (p->stages == PIPE_STAGES) {
            cms_say("FPLSCA2701E More than %d stages", PIPE_STAGES);
            return 2701;
        }
        struct pipe_stage *s = &p->stage[p->stages++];
        *s = (struct pipe_stage){.pipe = p, .text = from, .at = from, .end = at,
                                 .number = p->stages, .first = p->stages == 1};
        if (p->stages > 1)
            s[-1].next = s;
        rc = stage_parse(s);
        if (rc == 0 && endchar && at < end && *at == endchar)
            rc = pipe_error(s, 2700, "FPLSCA2700E End character: pipelines have one stream here");
        if (at == end)
            break;
    }
    return rc;
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
        if (p->stage[i].kind->end)
            p->stage[i].kind->end(&p->stage[i]);
    return p->rc;
}
