/* SPDX-License-Identifier: MIT */
/* FORCE userid: log another user off. The words are those of the Operator's Guide: BY SYSTEM,
 * FORCED. */
#include "commands.h"
#include "lib.h"

int cmd_force(struct cmd *c)
{
    char word[10];

    if (!cmd_word(c, word, sizeof(word)) || strlen(word) > 8)
        return cmd_error(c, 20, "DMKCPV020E USERID MISSING OR INVALID");
    if (cmd_end(c, "CPV") != 0)
        return 3;
    struct vm *vm = cmd_user(c, "CPV", word);
    if (!vm)
        return 45;
    session_end(vm, "SYSTEM");
    return 0;
}
