/* SPDX-License-Identifier: MIT */
/* IDENTIFY [(STACK|FIFO|LIFO]: who and where this machine is, in VM/370's columns: userid 1, AT 10,
 * node 13, VIA 22, RSCS machine 26, time 35, date 44, zone 53, day of the week 61. CP's clock runs
 * in UTC. */
#include "commands.h"
#include "nucleus.h"

static const char *weekday(uint64_t now_us)
{
    static const char *const days[7] = {
        "THURSDAY", "FRIDAY",  "SATURDAY", "SUNDAY",
        "MONDAY",   "TUESDAY", "WEDNESDAY"}; /* 1970-01-01 was a Thursday */
    return days[now_us / 86400000000UL % 7];
}

CMS_COMMAND("IDENTIFY", 2, cmd_identify);
int cmd_identify(struct cms_arg *arg)
{
    struct diag_time t;
    char line[80];
    bool stack = false, lifo = false;

    if (arg->n)
        return cms_error(24, "DMSIDE070E Invalid parameter %s", arg->word[0]);
    for (int i = 0; i < arg->options; i++) {
        if (cms_is(arg->option[i], "LIFO", 1))
            stack = lifo = true;
        else if (cms_is(arg->option[i], "STACK", 1) || cms_is(arg->option[i], "FIFO", 1))
            stack = true;
        else if (!cms_is(arg->option[i], "TYPE", 1))
            return cms_bad_option("IDE", arg->option[i]);
    }
    diag_time(&t);
    int n = fmt(line, sizeof(line), "%.8s AT %.8s VIA %-8s %.8s %.8s %-8s%s", cms_state.id.userid,
                cms_state.id.node, "RSCS", t.time, t.date, "UTC", weekday(t.now_us));
    if (stack)
        return cms_stack_put(lifo, line, (unsigned)n)
                   ? cms_error(104, "DMSIDE109S Virtual storage capacity exceeded")
                   : 0;
    cms_say_text(line, (unsigned)n);
    return 0;
}
