/* SPDX-License-Identifier: MIT */
/* QUERY GMS: the calls of this system to others and of others to it, and what was dropped. */
#include "gms_cp.h"
#include "lib.h"
#include "query.h"

int query_gms(struct cmd *c)
{
    if (cmd_end(c, "CQP") != 0)
        return 3;
    if (!gms) {
        cmd_say(c, "GMS NOT IN USE");
        return 0;
    }
    const struct gms_counts *n = &gms->counts;
    cmd_say(c, "CALLS %lu ANSWERED %lu FAILED %lu SENT AGAIN %lu DEFERRED %lu", n->calls, n->done,
            n->failed, n->again, n->deferred);
    cmd_say(c, "EXECUTED %lu PASSED ON %lu CAME AGAIN %lu REFUSED %lu", n->executed, n->delegated,
            n->duplicates, n->refused);
    cmd_say(c, "DROPPED: STALE %lu MALFORMED %lu WRONG TOKEN %lu NO FRAME %lu", n->stale,
            n->malformed, n->wrong_token, n->no_frame);
    cmd_say(c, "UNDER WAY %u PAGES HERE FOR OTHERS %u", gms->in_flight, gms->stored_count);
    return 0;
}
