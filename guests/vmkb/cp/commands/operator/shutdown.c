/* SPDX-License-Identifier: MIT */
/* SHUTDOWN: every machine is logged off with its accounting card, what is under way is finished,
 * and CP stops in VM/370's wait state for a shutdown, X'006'. */
#include "commands.h"
#include "lat_cp.h"
#include "dasd.h"

#define WAIT_SHUTDOWN 0x006
#define PATIENCE_US   2000000

static bool disks_busy(void)
{
    for (int i = 0; i < DASD_VOLUMES; i++)
        if (dasd_volume(i) && dasd_queue(i))
            return true;
    return false;
}

static void finish_io(void)
{
    for (uint64_t until = us_now() + PATIENCE_US; disks_busy() && us_now() < until;)
        wait_for_io(until);
    if (disks_busy())
        operator_say("DMKCKP910I DISK REQUESTS DID NOT END IN TIME AND ARE ABANDONED");
}

static void system_shutdown(void)
{
    for (int i = VM_MAX - 1; i >= 0; i--)   /* the operator was the first */
        if (vms[i].state == VM_HERE) {
            console_say(&vms[i], "SYSTEM SHUTDOWN");
            session_end(&vms[i], "SYSTEM");
        }
    lat_cp_shutdown();       /* finish_io lets its frames leave */
    finish_io();
    punch_flush();
    operator_say("DMKCKP961W SYSTEM SHUTDOWN COMPLETE");
    console3215_flush();
    cp_stop(WAIT_SHUTDOWN);
}

int cmd_shutdown(struct cmd *c)
{
    if (cmd_end(c, "CPV") != 0)
        return 3;
    system_shutdown();
    return 0;
}
