/* SPDX-License-Identifier: MIT */
/* EXEC fn [arguments]: run a procedure; its name alone does the same. */
#include "commands.h"
#include "nucleus.h"

CMS_COMMAND("EXEC", 2, cmd_exec);
int cmd_exec(struct cms_arg *arg)
{
    char fn[9], letter;
    const char *p = arg->rest;
    unsigned n = 0;

    if (arg->n == 0)
        return cms_error(24, "DMSEXC001E No filename specified");
    for (; *p && *p != ' ' && *p != '('; p++)
        if (n < 8)
            fn[n++] = (char)to_upper(*p);
    fn[n] = 0;
    while (*p == ' ')
        p++;
    if (!command_exec_exists(fn, &letter))
        return cms_error(28, "DMSEXC002E File %s EXEC * not found", fn);
    return exec_run(fn, p);
}
