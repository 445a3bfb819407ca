/* SPDX-License-Identifier: MIT */
/* ORDER RDR|PRT|PUN spoolid ...|CLASS c: these come first, in the order given. */
#include "select.h"

static uint64_t place;       /* of the next file */

static void order(struct cmd *c, struct spool_file *f)
{
    (void)c;
    spool_unlink(f);
    f->e.order = place++;
    spool_link(f);
    spool_changed(f);
}

int cmd_order(struct cmd *c)
{
    uint8_t queue = select_queue(c, "CSU");

    place = spool_first();
    return queue ? select_each(c, "CSU", queue, "ORDERED", order) : 35;
}
