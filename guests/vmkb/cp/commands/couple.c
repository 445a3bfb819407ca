/* SPDX-License-Identifier: MIT */
/* COUPLE vaddr [TO] userid vaddr, UNCOUPLE vaddr: two ends of a virtual channel-to-channel
 * adapter. */
#include "commands.h"
#include "vctc.h"

/* The machine's end that the next word names; 0 after a message, whose number is *rc. */
static struct vctc *named(struct cmd *c, struct vm *vm, int *rc)
{
    char word[12];
    uint16_t vaddr;

    if (!cmd_word(c, word, sizeof(word)) || !cmd_vaddr(word, &vaddr)) {
        *rc = cmd_error(c, 22, "DMKDIA022E VADDR MISSING OR INVALID");
        return 0;
    }
    struct vctc *v = vctc_find(vm, vaddr);
    if (!v)
        *rc = cmd_error(c, 40, "DMKDIA040E %s CTCA %03X DOES NOT EXIST", vm->userid, vaddr);
    return v;
}

int cmd_couple(struct cmd *c)
{
    char word[USERID_WORD];
    int rc;
    struct vctc *mine = named(c, c->vm, &rc), *its;

    if (!mine)
        return rc;
    if (!cmd_userid(c, "DIA", word) || (cmd_is(word, "TO", 2) && !cmd_userid(c, "DIA", word)))
        return 20;
    struct vm *vm = cmd_user(c, "DIA", word);
    if (!vm)
        return 45;
    its = named(c, vm, &rc);
    if (!its)
        return rc;
    if (cmd_end(c, "DIA") != 0)
        return 3;
    if (mine == its || mine->other || its->other || !vctc_may(mine, its))
        return cmd_error(c, 58, "DMKDIA058E CTCA %03X CANNOT BE COUPLED TO %s %03X", mine->vaddr,
                         vm->userid, its->vaddr);
    vctc_couple(mine, its);
    cmd_info(c, "CTCA %03X COUPLED TO %s %03X", mine->vaddr, vm->userid, its->vaddr);
    if (vm != c->vm)
        console_say(vm, "CTCA %03X COUPLED BY %s %03X", its->vaddr, c->vm->userid, mine->vaddr);
    return 0;
}

int cmd_uncouple(struct cmd *c)
{
    int rc;
    struct vctc *v = named(c, c->vm, &rc);

    if (!v)
        return rc;
    if (cmd_end(c, "DIA") != 0)
        return 3;
    if (!v->other)
        return cmd_error(c, 47, "DMKDIA047E CTCA %03X IS NOT COUPLED", v->vaddr);
    vctc_uncouple(v);
    cmd_info(c, "CTCA %03X UNCOUPLED", v->vaddr);
    return 0;
}
