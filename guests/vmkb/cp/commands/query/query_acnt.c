/* SPDX-License-Identifier: MIT */
/* QUERY ACNT: all accounts since IPL, so that anybody can see that they add up. For each machine,
 * then the machines that are gone (*RETIRED), CP's own work (*SYSTEM) and the wait (*IDLE):
 * microseconds of the CPU timer in the machine and in CP for it, instructions of both, and
 * corrected counter deltas. TOTAL is their sum, ELAPSED the time of day since IPL
 * (docs/reference/cp-commands.md). */
#include "query.h"
#include "lib.h"

struct sum {
    uint64_t virt, cp, instr, corrections;
};

static void row(struct cmd *c, const char *name, const struct account *a, struct sum *sum)
{
    uint64_t instr = a->virt.instr + a->cp.instr;

    sum->virt += a->virt.time;
    sum->cp += a->cp.time;
    sum->instr += instr;
    sum->corrections += a->corrections;
    cmd_say(c, "%-8s %14lu %14lu %18lu %6lu", name, a->virt.time >> 12, a->cp.time >> 12, instr,
            a->corrections);
}

/* Hundredths of a percent */
static uint64_t share(uint64_t part, uint64_t whole)
{
    return whole ? (part * 10000 + whole / 2) / whole : 0;
}

int query_acnt(struct cmd *c)
{
    struct sum sum = {0, 0, 0, 0};

    if (cmd_end(c, "CQP") != 0)
        return 3;
    acct_settle();           /* up to now */
    uint64_t elapsed = us_now() - ipl_tod;
    cmd_say(c, "USERID          VIRTUAL US          CP US       INSTRUCTIONS CORR'D");
    for (int i = 0; i < VM_MAX; i++)
        if (vms[i].state == VM_HERE)
            row(c, vms[i].userid, &vms[i].acct, &sum);
    row(c, "*RETIRED", &acct_retired, &sum);
    row(c, "*SYSTEM", &acct_system, &sum);
    row(c, "*IDLE", &acct_idle, &sum);
    cmd_say(c, "%-8s %14lu %14lu %18lu %6lu", "TOTAL", sum.virt >> 12, sum.cp >> 12, sum.instr,
            sum.corrections);
    uint64_t all = (sum.virt + sum.cp) >> 12;
    uint64_t apart = all > elapsed ? all - elapsed : elapsed - all;
    uint64_t percent = share(apart, elapsed);
    cmd_say(c, "SUM %lu US, ELAPSED %lu US, DIFFERENCE %s%lu US, %lu.%02lu%%", all, elapsed,
            all < elapsed ? "-" : "", apart, percent / 100, percent % 100);
    return 0;
}
