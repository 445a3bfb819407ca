/* SPDX-License-Identifier: MIT */
/* START raddr, DRAIN raddr: the real printer or punch puts out the files of its queue, or none
 * after the one that it has. */
#include "select.h"

static int change(struct cmd *c, bool start)
{
    char word[8];
    uint16_t raddr;

    if (!cmd_word(c, word, sizeof(word)) || !cmd_vaddr(word, &raddr))
        return cmd_error(c, 21, "DMKCSO021E RADDR MISSING OR INVALID");
    if (cmd_end(c, "CSO") != 0)
        return 3;
    int rc = spool_unit(raddr, start);
    if (rc == DIAG_ENODEV)
        return cmd_error(c, 40, "DMKCSO040E DEV %03X DOES NOT EXIST", raddr);
    return rc ? cmd_error(c, 88, "DMKCSO088E NO STORAGE FOR DEV %03X", raddr) : 0;
}

int cmd_start(struct cmd *c)
{
    return change(c, true);
}

int cmd_drain(struct cmd *c)
{
    return change(c, false);
}
