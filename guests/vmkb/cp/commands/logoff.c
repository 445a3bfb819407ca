/* SPDX-License-Identifier: MIT */
/* LOGOFF [HOLD]: the session's times, its accounting card, and the machine is gone. HOLD as
 * DISCONN. */
#include "commands.h"

int cmd_logoff(struct cmd *c)
{
    char word[9];

    if (cmd_word(c, word, sizeof(word)) && !cmd_is(word, "HOLD", 2))
        return cmd_error(c, 3, "DMKUSO003E INVALID OPTION - %s", word);
    if (cmd_end(c, "USO") != 0)
        return 3;
    session_end(c->vm, 0);
    return 0;
}
