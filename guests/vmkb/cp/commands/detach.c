/* SPDX-License-Identifier: MIT */
/* DETACH vaddr: a minidisk or virtual channel-to-channel adapter is no longer the machine's. */
#include "commands.h"
#include "tdisk.h"
#include "vctc.h"

/* A program that waits there would wait for ever: not while its machine runs one. */
static int detach_ctca(struct cmd *c, struct vctc *v)
{
    if (v->user)
        return cmd_error(c, 124, "DMKVDD124E CTCA %03X IN USE; SYSTEM RESET FIRST", v->vaddr);
    vctc_detach(v);
    cmd_info(c, "CTCA %03X DETACHED", v->vaddr);
    return 0;
}

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
        struct vctc *v = vctc_find(c->vm, vaddr);
        if (v) {
            int rc = detach_ctca(c, v);
            if (rc)
                return rc;
            continue;
        }
        if (!m)
            return cmd_error(c, 40, "DMKVDD040E DEV %03X DOES NOT EXIST", vaddr);
        if (tdisk_has(m->start) && (c->vm->wait & WAIT_IO))
            return cmd_error(c, 49, "DMKVDD049E A DISK REQUEST IS STILL UNDER WAY; TRY AGAIN");
        m->vaddr = 0;
        cmd_info(c, "DASD %03X DETACHED", vaddr);
    }
    return any ? 0 : cmd_error(c, 22, "DMKVDD022E VADDR MISSING OR INVALID");
}
