/* SPDX-License-Identifier: MIT */
/* LOGOFF [HOLD]: the session's times, its accounting card, and the machine is gone. DISCONN [HOLD]:
 * the terminal is free, the machine goes on. HOLD keeps a switched line; a local display is always
 * connected, so it makes no difference here. */
#include "commands.h"

static int hold(struct cmd *c)
{
    char word[9];

    if (cmd_word(c, word, sizeof(word)) && !cmd_is(word, "HOLD", 2))
        return cmd_bad_option(c, "USO", word);
    return cmd_end(c, "USO");
}

int cmd_logoff(struct cmd *c)
{
    int rc = hold(c);

    if (rc == 0)
        session_end(c->vm, 0);
    return rc;
}

int cmd_disconnect(struct cmd *c)
{
    int rc = hold(c);

    if (rc == 0)
        vm_disconnect(c->vm);
    return rc;
}
