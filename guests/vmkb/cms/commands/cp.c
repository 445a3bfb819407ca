/* SPDX-License-Identifier: MIT */
/* CP command: it goes to CP as it is; CP answers on the console itself. */
#include "commands.h"

CMS_COMMAND("CP", 2, cmd_cp);
int cmd_cp(struct cms_arg *arg)
{
    size_t n = strlen(arg->rest);

    return n ? cms_cp(arg->rest, (unsigned)n, 0, 0, 0) : 0;
}
