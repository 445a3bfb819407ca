/* SPDX-License-Identifier: MIT */
/* FORCE userid: log another user off. The words are those of the Operator's Guide: BY SYSTEM,
 * FORCED. */
#include "commands.h"

int cmd_force(struct cmd *c)
{
    int rc;
    struct vm *vm = cmd_one_user(c, "CPV", &rc);

    if (vm)
        session_end(vm, "SYSTEM");
    return rc;
}
