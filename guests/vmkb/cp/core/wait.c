/* SPDX-License-Identifier: MIT */
/* CP's wait in the middle of something, when it cannot go back to the dispatcher: at IPL, and when
 * the system goes down. */
#include "acct.h"
#include "defs.h"
#include "s390.h"

/* What timers do may not be done in the middle of something else: they are due later. */
void wait_for_io(uint64_t until_us)
{
    static struct context wait;
    struct account *who = acct_current();

    wait.psw.mask = PSW_WAIT;
    set_clock_comparator(until_us << 12);
    acct_leave_cp(&acct_idle);
    int reason = run(&wait);
    acct_enter_interrupted();
    if (reason == RUN_IO)
        channel_interrupt();
    acct_interrupted();
    timer_comparator_lost();
    acct_change(who);
}
