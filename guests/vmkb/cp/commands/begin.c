/* SPDX-License-Identifier: MIT */
/* BEGIN: the machine goes on where CP READ stopped it. */
#include "commands.h"

int cmd_begin(struct cmd *c)
{
    if (*c->args)
        return cmd_error(c, 3, "DMKCDB003E INVALID OPTION - %.8s", c->args);
    if (c->vm->wait & WAIT_NOTREADY)
        return cmd_error(c, 4, "DMKCFM004E NOTHING TO BEGIN; IPL A SYSTEM FIRST");
    c->vm->cp_mode = 0;
    vm_release(c->vm, WAIT_CP);
    console_mode(c->vm);
    return 0;
}
