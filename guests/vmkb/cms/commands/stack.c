/* SPDX-License-Identifier: MIT */
/* The program stack's commands: SENTRIES answers the number of lines, MAKEBUF that of the new
 * buffer, DROPBUF drops a buffer and what is above it, DESBUF everything. */
#include "commands.h"
#include "nucleus.h"

CMS_COMMAND("SENTRIES", 8, cmd_sentries);
int cmd_sentries(struct cms_arg *arg)
{
    (void)arg;
    return (int)cms_stack_count();
}

CMS_COMMAND("MAKEBUF", 7, cmd_makebuf);
int cmd_makebuf(struct cms_arg *arg)
{
    (void)arg;
    int n = stack_make_buffer();
    return n ? n : cms_error(104, "DMSBUF109S Too many buffers");
}

CMS_COMMAND("DROPBUF", 7, cmd_dropbuf);
int cmd_dropbuf(struct cms_arg *arg)
{
    uint32_t n = 0;

    if (arg->n > 1 || (arg->n == 1 && (!cms_number(arg->word[0], &n) || n == 0)))
        return cms_error(24, "DMSBUF070E Invalid parameter %s", arg->word[arg->n - 1]);
    return stack_drop_buffer((int)n) ? 0
           : arg->n                  ? cms_error(1, "DMSBUF639E Buffer %u does not exist", n)
                                     : 0;
}

CMS_COMMAND("DESBUF", 6, cmd_desbuf);
int cmd_desbuf(struct cms_arg *arg)
{
    (void)arg;
    stack_clear();
    return 0;
}
