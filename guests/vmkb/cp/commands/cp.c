/* SPDX-License-Identifier: MIT */
/* CP alone: the machine stops in CP READ. (CP with a command behind it is taken off in
 * cp/session/command.c.) */
#include "commands.h"

int cmd_cp(struct cmd *c)
{
    if (c->vm->term)
        console_to_cp(c->vm);
    return 0;
}
