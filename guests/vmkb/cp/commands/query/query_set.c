/* SPDX-License-Identifier: MIT */
/* QUERY SET in VM/370's four lines. What VM/KB does not have is shown as off. */
#include "query.h"

static const char *on(const struct vm *vm, uint32_t bit)
{
    return vm->set & bit ? "ON " : "OFF";
}

static const char *emsg(const struct vm *vm)
{
    if (!(vm->set & SET_EMSG))
        return "OFF ";
    return vm->set & SET_EMSG_TEXT ? "TEXT" : vm->set & SET_EMSG_CODE ? "CODE" : "ON  ";
}

int query_set(struct cmd *c)
{
    const struct vm *vm = c->vm;

    if (cmd_end(c, "CQG") != 0)
        return 3;
    cmd_say(c, "MSG %s, WNG %s, EMSG %s, ACNT %s, RUN %s", on(vm, SET_MSG), on(vm, SET_WNG),
            emsg(vm), on(vm, SET_ACNT), on(vm, SET_RUN));
    cmd_say(c, "LINEDIT ON , TIMER %s , ISAM OFF, ECMODE OFF", on(vm, SET_TIMER));
    cmd_say(c, "ASSIST OFF           , PAGEX OFF, AUTOPOLL OFF");
    cmd_say(c, "IMSG %s, SMSG %s, AFFINITY NONE   , NOTRANS OFF", on(vm, SET_IMSG),
            on(vm, SET_SMSG));
    return 0;
}
