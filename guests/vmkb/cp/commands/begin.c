/* SPDX-License-Identifier: MIT */
/* BEGIN [hexloc]: the machine goes on where CP READ stopped it, or at that address. */
#include "commands.h"
#include "ctype.h"
#include "lib.h"

int cmd_begin(struct cmd *c)
{
    char word[20];
    uint64_t at = 0;
    bool given = cmd_word(c, word, sizeof(word));

    for (const char *p = word; *p; p++) {
        if (hex_value(*p) < 0 || p - word == 16)
            return cmd_error(c, 4, "DMKCDB004E INVALID HEXLOC - %s", word);
        at = at << 4 | (unsigned)hex_value(*p);
    }
    if (cmd_end(c, "CDB") != 0)
        return 3;
    if (c->vm->wait & WAIT_NOTREADY)
        return cmd_error(c, 4, "DMKCFM004E NOTHING TO BEGIN; IPL A SYSTEM FIRST");
    if (given && c->vm->sie)
        sie_set_psw(c->vm, &(struct psw){sie_psw(c->vm)->mask, at});
    else if (given)
        c->vm->ctx.psw.addr = at;
    c->vm->cp_mode = 0;
    vm_release(c->vm, given ? WAIT_CP | WAIT_CONSOLE | WAIT_EVENT : WAIT_CP);
    console_mode(c->vm);
    return 0;
}
