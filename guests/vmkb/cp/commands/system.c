/* SPDX-License-Identifier: MIT */
/* SYSTEM CLEAR|RESET: the machine stops; its storage is gone in both cases, as it is rebuilt at
 * IPL. */
#include "commands.h"

int cmd_system(struct cmd *c)
{
    char word[10];
    bool clear;

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCPB026E OPERAND MISSING OR INVALID");
    clear = cmd_is(word, "CLEAR", 1);
    if (!clear && !cmd_is(word, "RESET", 3))
        return cmd_error(c, 2, "DMKCPB002E INVALID OPERAND - %s", word);
    if (cmd_end(c, "CPB") != 0)
        return 3;
    vm_reset(c->vm);
    cmd_reset(c);
    cmd_info(c, clear ? "STORAGE CLEARED - SYSTEM RESET" : "SYSTEM RESET");
    console_mode(c->vm);
    return 0;
}
