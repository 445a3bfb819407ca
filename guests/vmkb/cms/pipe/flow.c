/* SPDX-License-Identifier: MIT */
/* What stages use while they run: messages, storage, and records for the stages behind. */
#include <stdarg.h>
#include "pipe.h"

enum { PER_LOOK = 256 };

int pipe_error(struct pipe_stage *s, int rc, const char *f, ...)
{
    char text[CMS_LINE];
    va_list ap;

    va_start(ap, f);
    cms_say_text(text, vfmt_kept(text, sizeof(text), f, ap));
    va_end(ap);
    cms_say("FPLMSG003I ... Issued from stage %d of pipeline %d", s->number, s->row);
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

bool pipe_wanted(const struct pipe_stage *s)
{
    bool any = false;

    for (unsigned k = 0; k < s->outs; k++)
        if (s->out[k].to && !s->out[k].to->done)
            return true;
        else
            any |= s->out[k].to != 0;
    return !any;
}

bool pipe_give_to(struct pipe_stage *s, unsigned k, const char *text, uint32_t len)
{
    struct pipe *p = s->pipe;
    struct pipe_stage *to = s->out[k].to;

    if (++p->records % PER_LOOK == 0 && cms_halted())
        p->stop = true;
    if (p->stop)
        return false;
    if (to && !to->done) {
        to->in = s->out[k].into;
        if (to->kind->put ? !to->kind->put(to, text, len) : !pipe_give(to, text, len))
            to->done = true;
    }
    return pipe_wanted(s) && !p->stop;
}
