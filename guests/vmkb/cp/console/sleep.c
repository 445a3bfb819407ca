/* SPDX-License-Identifier: MIT */
/* A machine asleep (SLEEP, SET HOST): nothing runs until attention or the end of the interval. From
 * the console it ends in CP READ, from a program the program goes on (CP Command Reference for
 * General Users, SLEEP). */
#include "defs.h"

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

void sleep_begin(struct vm *vm, bool from_console, uint64_t us)
{
    vm->sleep_cp = from_console;
    vm_hold(vm, WAIT_SLEEP);
    if (us)
        timer_set(&vm->sleep, us_now() + us, wake, vm);
    console_mode(vm);
}
