/* SPDX-License-Identifier: MIT */
/* DISCONN [HOLD]: the terminal is free, the machine goes on. HOLD keeps a switched line; a local
 * display is always connected, so it makes no difference here. */
#include "commands.h"

int cmd_disconnect(struct cmd *c)
{
    char word[9];

    if (cmd_word(c, word, sizeof(word)) && !cmd_is(word, "HOLD", 2))
        return cmd_error(c, 3, "DMKUSO003E INVALID OPTION - %s", word);
    if (cmd_end(c, "USO") != 0)
        return 3;
    vm_disconnect(c->vm);
    return 0;
}
