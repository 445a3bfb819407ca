/* SPDX-License-Identifier: MIT */
/* SLEEP [nn [SEC|MIN|HRS]]: the machine does nothing until attention or the end of the interval (minutes
 * if no unit is given). From the console it ends in CP READ, from a program the program goes on (CP
 * Command Reference for General Users, SLEEP). */
#include "commands.h"
#include "lib.h"

void sleep_end(struct vm *vm)
{
    timer_cancel(&vm->sleep);
    if (!(vm->wait & WAIT_SLEEP))
        return;
    if (vm->sleep_cp && vm->term)
        console_to_cp(vm);
    vm_release(vm, WAIT_SLEEP);
    console_mode(vm);
}

static void wake(void *arg)
{
    struct vm *vm = arg;

    acct_change(&vm->acct);
    sleep_end(vm);
}

static bool interval(const char *word, const char *unit, uint64_t *us)
{
    uint32_t n;
    uint64_t seconds = 60;

    if (strlen(word) > 2 || !cmd_number(word, &n))
        return false;
    if (*unit && cmd_is(unit, "SEC", 3))
        seconds = 1;
    else if (*unit && cmd_is(unit, "HRS", 2))
        seconds = 3600;
    else if (*unit && !cmd_is(unit, "MIN", 3))
        return false;
    *us = n * seconds * 1000000;
    return true;
}

int cmd_sleep(struct cmd *c)
{
    char word[8], unit[8] = "";
    uint64_t us = 0;

    if (cmd_word(c, word, sizeof(word))) {
        cmd_word(c, unit, sizeof(unit));
        if (!interval(word, unit, &us))
            return cmd_error(c, 26, "DMKCFJ026E OPERAND MISSING OR INVALID");
        if (cmd_end(c, "CFJ") != 0)
            return 3;
        if (us == 0)
            return 0;
    }
    c->vm->sleep_cp = c->term != 0;
    vm_hold(c->vm, WAIT_SLEEP);
    if (us)
        timer_set(&c->vm->sleep, us_now() + us, wake, c->vm);
    console_mode(c->vm);
    return 0;
}
