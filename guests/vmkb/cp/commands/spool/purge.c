/* SPDX-License-Identifier: MIT */
/* PURGE RDR|PRT|PUN spoolid ...|CLASS c|ALL; PURGE ALL: all of every queue. */
#include "select.h"
#include "lib.h"

static void purge(struct cmd *c, struct spool_file *f)
{
    (void)c;
    spool_purge(f);
}

static int everything(struct cmd *c)
{
    unsigned n = 0;

    if (cmd_end(c, "CSU") != 0)
        return 3;
    for (uint8_t q = SPOOL_RDR; q <= SPOOL_PUN; q++) {
        struct spool_file *next;
        for (struct spool_file *f = spool_next(c->vm->userid, q, 0); f; f = next) {
            next = spool_next(c->vm->userid, q, f);
            if (f->state == SPOOL_FILED) {
                spool_purge(f);
                n++;
            }
        }
    }
    select_told(c, n, "PURGED");
    return 0;
}

int cmd_purge(struct cmd *c)
{
    if (strncmp(c->args, "ALL", 3) == 0 || strncmp(c->args, "all", 3) == 0) {
        char word[8];
        cmd_word(c, word, sizeof(word));
        if (strcmp(word, "ALL") == 0)
            return everything(c);
    }
    uint8_t queue = select_queue(c, "CSU");
    return queue ? select_each(c, "CSU", queue, "PURGED", purge) : 35;
}
