/* SPDX-License-Identifier: MIT */
/* What emulators said, a line for each: what a replay compares. */
#include "engine.h"
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#define LINE 192

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
    if (w->trace_length + LINE > w->trace_room) {
        w->trace_room = 2 * w->trace_room + 65536;
        w->trace = must(realloc(w->trace, w->trace_room));
    }
    w->trace_length += (size_t)snprintf(
        w->trace + w->trace_length, LINE, "%llu %s %s %04X %u %08x\n", (unsigned long long)m->time,
        w->nodes[m->node]->name, name_of(m->kind), m->device, m->length,
        (uint32_t)crc32(crc32(0, NULL, 0), m->content, m->length));
}
