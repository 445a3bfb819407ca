/* SPDX-License-Identifier: MIT */
#include "sample.h"
#include "diag.h"

long sample_take(struct rtm_snapshot *s)
{
    long rc = diag_monitor(MONITOR_SYSTEM, &s->system);

    if (rc < 0)
        return rc;
    s->user_count = s->device_count = 0;
    for (long slot = 0; s->user_count < VM_MAX; s->user_count++) {
        slot = diag_monitor(MONITOR_NEXT + slot + 1, &s->user[s->user_count]);
        if (slot <= 0)
            break;
        s->slot[s->user_count] = (uint16_t)slot;
        if (slot == VM_MAX) {
            s->user_count++;
            break;
        }
    }
    rc = diag_monitor(MONITOR_DEVICES, s->device);
    if (rc > 0)
        s->device_count = (unsigned)rc;
    return rc < 0 ? rc : 0;
}
