/* SPDX-License-Identifier: MIT */
/* The end of IPL: who is logged on without being asked. */
#include "command.h"
#include "directory.h"
#include "models.h"

#define TICK_US 62500

static struct terminal *operator_terminal(void)
{
    for (int i = 0; i < TERMINALS; i++)
        if (terminals[i].kind == TERM_3215)
            return &terminals[i];
    return 0;
}

/* On virtual time the clock goes by instructions. So what IPL executes, such as clearing storage
 * that nobody uses, would move all that comes behind it against the clocks of other machines. */
static void wait_for_tick(void)
{
    uint64_t until = (us_now() / TICK_US + 1) * TICK_US;

    while (us_now() < until)
        wait_for_io(until);
}

/* The end of IPL: CP says what it is, the operator has the console, AUTOLOG1 starts the rest. The
 * operator's machine is not IPLed: what is typed there is for CP until it says IPL. */
void system_start(void)
{
    char line[LINE_MAX];
    struct terminal *t = operator_terminal();
    const struct dir_user *u;
    struct vm *vm;

    wait_for_tick();
    time_line("IPL AT", line, sizeof(line));
    operator_say("%s %s", cp_level, line);
    if (model_refused)
        operator_say("DMKCPI003E INVALID OPTION - MODEL; %s IS IN FORCE", model_name());
    u = directory_find("OPERATOR");
    if (t && u && (vm = machine_of(u)) != 0)
        logon_complete(t, vm, false);
    else if (directory_there())
        operator_say("DMKCPI053E OPERATOR NOT IN CP DIRECTORY");
    u = directory_find("AUTOLOG1");
    if (u && (vm = autolog(u, 0, 0, "OPERATOR")) != 0 && (vm->wait & WAIT_NOTREADY)) {
        char why[LINE_MAX];
        vm_ipl_failure(vm, "CPI", why);
        operator_say("%s, FOR AUTOLOG1", why);
    }
    indicate_start();
    operator_say("DMKCPI966I INITIALIZATION COMPLETE");
}
