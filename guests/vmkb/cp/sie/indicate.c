/* SPDX-License-Identifier: MIT */
/* INDICATE SIE [userid]: for what causes a machine under SIE has come back to CP, and what each has
 * cost CP in instructions, from CP's entry to the end of what it did about it. */
#include "sie.h"
#include "command.h"

int indicate_sie(struct cmd *c)
{
    int rc;
    const struct vm *vm = cmd_own_or_user(c, "THI", CLASS(CLASS_E), &rc);
    uint64_t times = 0, instr = 0;

    if (!vm)
        return rc;
    if (!vm->sie)
        return cmd_error(c, 40, "DMKTHI040E %s DOES NOT RUN UNDER SIE", vm->userid);
    cmd_say(c, "CAUSE             TIMES    INSTRUCTIONS");
    for (unsigned i = 0; i < SIE_CAUSES; i++) {
        const struct sie_tally *t = &vm->sie->tally[i];
        if (t->times)
            cmd_say(c, "%-10s %12lu %15lu", sie_cause_names[i], t->times, t->instr);
        times += t->times;
        instr += t->instr;
    }
    cmd_say(c, "%-10s %12lu %15lu", "TOTAL", times, instr);
    return 0;
}
