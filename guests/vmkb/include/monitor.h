/* SPDX-License-Identifier: MIT */
/* Records of DIAG_MONITOR: counters since IPL (system, devices) or since LOGON (a machine). Only
 * ever more; a machine whose logon_us is another has logged on anew. */
#ifndef VMKB_MONITOR_H
#define VMKB_MONITOR_H
#include <stdint.h>
#include "usage.h"

#define VM_MAX  128              /* virtual machines logged on at one time */
#define DEVICES 176              /* subchannels looked at */
/* 4 KB of real storage below that which is given to machines: CP, named systems */
#define MONITOR_FIXED_PAGES 2048

/* why a machine does not run (vm.wait); 0 = it can */
#define WAIT_CONSOLE   0x0001 /* DIAGNOSE console read: no line yet */
#define WAIT_OUTPUT    0x0002 /* its terminal has no room: the DIAGNOSE is repeated */
#define WAIT_IO        0x0004 /* minidisk request under way */
#define WAIT_EVENT     0x0008 /* DIAGNOSE wait: no event yet */
#define WAIT_CP        0x0010 /* stopped: CP READ until BEGIN, IPL or LOGOFF */
#define WAIT_SLEEP     0x0020 /* SLEEP command */
#define WAIT_NOTREADY  0x0040 /* nothing IPLed */
#define WAIT_DEAD      0x0080 /* going away */
#define WAIT_SPOOL     0x0100 /* until a spool file that it closed or purged is on the volume */
#define WAIT_TURN      0x0200 /* another has a turn first: till it is in its list again */

/* What is asked for: the index, and what DIAG_MONITOR answers beside DIAG_EPRIV, DIAG_EADDR,
 * DIAG_ERANGE. */
#define MONITOR_SYSTEM 0         /* struct monitor of the system -> 1 */
/* 1..VM_MAX: the machine in that slot -> 1, or 0: the slot is empty */
/* + n: the first machine in slot n or later -> its slot, or 0: no more */
#define MONITOR_NEXT   0x10000
#define MONITOR_DEVICES 0x20000 /* struct monitor_device[DEVICES] of all subchannels -> how many */

struct monitor {
    char userid[8];              /* blank for the system */
    char model[8];
    uint64_t now_us;             /* since 1970 */
    /* under the model in force; the system: of all machines, those gone too */
    uint64_t virt_us, total_us;
    struct usage virt, cp;       /* of the machine; for the system the sum of all, those gone too */
    struct usage system, idle;   /* system only: CP's own, and the wait */
    uint64_t corrections;
    uint64_t sio, iucv, console;
    uint64_t mdc_hits, mdc_misses;
    uint32_t users, pages_total, pages_free;
    uint32_t storage;            /* KB */
    uint32_t wait;               /* WAIT_ bits */
    uint32_t queue[2];
    uint32_t connected; /* a terminal is there; for the system: how many machines have one */
    uint64_t system_us;          /* CP's own under the model in force (system only) */
    uint64_t logon_us;           /* TOD microseconds of LOGON */
};

struct monitor_device {
    uint16_t devno;
    uint8_t present, busy;
    uint32_t queue;              /* minidisk requests that wait for it or run */
    uint64_t starts;             /* channel programs */
    uint64_t reads, writes;      /* of them, for a DASD volume */
    char volser[8];              /* of a DASD volume, else blank */
};
#endif
