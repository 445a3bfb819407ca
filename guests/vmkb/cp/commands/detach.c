/* SPDX-License-Identifier: MIT */
/* DETACH vaddr: a minidisk is no longer the machine's. */
#include "commands.h"

int cmd_detach(struct cmd *c)
{
    char word[12];
    uint16_t vaddr;
    bool any = false;

    while (cmd_word(c, word, sizeof(word))) {
        any = true;
        if (!cmd_vaddr(word, &vaddr))
            return cmd_error(c, 22, "DMKVDD022E VADDR MISSING OR INVALID");
        struct mdisk *m = mdisk_find(c->vm, vaddr);
        if (!m)
            return cmd_error(c, 40, "DMKVDD040E DEV %03X DOES NOT EXIST", vaddr);
        m->vaddr = 0;
        cmd_info(c, "DASD %03X DETACHED", vaddr);
    }
    return any ? 0 : cmd_error(c, 22, "DMKVDD022E VADDR MISSING OR INVALID");
}
