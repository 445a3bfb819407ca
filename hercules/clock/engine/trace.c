/* SPDX-License-Identifier: MIT */
/* What emulators said, a line for each: what a replay compares. In the order of its time, then by
 * node, then as it was said. */
#include "engine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define TEXT  192
#define LINES 1024                     /* at first */

struct line {
    uint64_t time, order;
    uint32_t node, kind, device, length, check;
};

static const char *name_of(uint32_t kind)
{
    switch (kind) {
    case KIND_WRITE: return "WRITE";
    case KIND_TAKEN: return "TAKEN";
    case KIND_TYPED: return "TYPED";
    case KIND_SENT: return "SENT";
    case KIND_SEEN: return "SEEN";
    case KIND_STOPPED: return "STOPPED";
    case KIND_RESET: return "RESET";
    default: return "?";
    }
}

void trace_message(struct world *w, const struct message *m)
{
    if (w->line_count == w->line_room) {
        w->line_room = 2 * w->line_room + LINES;
        w->lines = must(realloc(w->lines, w->line_room * sizeof(*w->lines)));
    }
    w->lines[w->line_count++] =
        (struct line){m->time, w->order++, m->node, m->kind, m->device, m->length,
                      (uint32_t)crc32(crc32(0, NULL, 0), m->content, m->length)};
}

static int by_time(const void *one, const void *other)
{
    const struct line *a = one, *b = other;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void write_line(struct world *w, const struct line *l)
{
    if (w->trace_length + TEXT > w->trace_room) {
        w->trace_room = 2 * w->trace_room + 65536;
        w->trace = must(realloc(w->trace, w->trace_room));
    }
    w->trace_length += (size_t)snprintf(
        w->trace + w->trace_length, TEXT, "%llu %s %s %04X %u %08x\n",
        (unsigned long long)l->time, w->nodes[l->node]->name, name_of(l->kind), l->device,
        l->length, l->check);
}

/* Lines from before TIME are written: nothing that is yet to be heard is earlier. */
void trace_until(struct world *w, uint64_t time)
{
    size_t n = 0;

    if (w->line_count)
        qsort(w->lines, w->line_count, sizeof(*w->lines), by_time);
    while (n < w->line_count && w->lines[n].time < time)
        write_line(w, &w->lines[n++]);
    w->line_count -= n;
    if (w->line_count)
        memmove(w->lines, w->lines + n, w->line_count * sizeof(*w->lines));
}
