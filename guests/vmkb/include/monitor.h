/* SPDX-License-Identifier: MIT */
/* One record of DIAG_MONITOR: counters since IPL (system) or since LOGON (a machine). Only ever more;
 * a machine whose counters went back has logged on anew. */
#ifndef VMKB_MONITOR_H
#define VMKB_MONITOR_H
#include "defs.h"

struct monitor {
    char userid[8];              /* blank for the system */
    char model[8];
    uint64_t now_us;
    uint64_t virt_us, total_us;  /* under the model in force (machines only) */
    struct usage virt, cp;       /* of the machine; for the system the sum of all, those gone too */
    struct usage system, idle;   /* system only: CP's own, and the wait */
    uint64_t corrections;
    uint64_t sio, iucv, console;
    uint64_t mdc_hits, mdc_misses;
    uint32_t users, pages_total, pages_free;
    uint32_t storage;            /* KB */
    uint32_t wait;               /* WAIT_ bits */
    uint32_t queue[2];
    uint32_t connected;
};
#endif
