/* SPDX-License-Identifier: MIT */
/* QUERY IUCV [userid]: the ends of paths of one's own machine; of another for classes A, B and
 * E. */
#include "iucv_table.h"
#include "lib.h"
#include "query.h"

static int say_paths(struct cmd *c, const struct vm *vm)
{
    int said = 0;

    for (unsigned i = 0; i < IUCV_VM_PATHS; i++) {
        const struct path *p = vm->iucv.path[i], *peer;
        if (!p)
            continue;
        peer = p->peer;
        said++;
        cmd_say(c, "PATH %04X %-8s %-7s LIMIT %03u OUTSTANDING %03u", p->id,
                peer ? peer->vm->userid : "-",
                !peer     ? "SEVERED"
                : p->open ? "OPEN"
                          : "PENDING",
                p->limit, p->outstanding);
    }
    return said;
}

int query_iucv(struct cmd *c)
{
    int rc;
    struct vm *vm =
        cmd_own_or_user(c, "CQG", CLASS(CLASS_A) | CLASS(CLASS_B) | CLASS(CLASS_E), &rc);

    if (vm && !say_paths(c, vm))
        cmd_say(c, "%s HAS NO IUCV PATHS", vm->userid);
    return rc;
}
