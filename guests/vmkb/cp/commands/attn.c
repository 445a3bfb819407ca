/* SPDX-License-Identifier: MIT */
/* ATTN, REQUEST: an attention interruption of the virtual console, for a program that waits for
 * one. */
#include "commands.h"

int cmd_attn(struct cmd *c)
{
    if (cmd_end(c, "CPB") != 0)
        return 3;
    vm_event(c->vm, EV_ATTN);
    return 0;
}
