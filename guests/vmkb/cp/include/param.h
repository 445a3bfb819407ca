/* SPDX-License-Identifier: MIT */
/* Every limit of CP. When one is reached the caller gets an error; nothing grows in secret. Those
 * that programs in a machine have to know are in diag.h and monitor.h. */
#ifndef VMKB_PARAM_H
#define VMKB_PARAM_H
#include "diag.h"
#include "monitor.h"

#define REAL_STORAGE    (64UL << 20) /* bytes of real storage asked of the emulator */
#define REAL_STORAGE_MAX (512UL << 20) /* as IPL may say that there is */
#define PAGE_SIZE       4096UL
#define IPL_PARM_ADDR   0x8000UL     /* parameter text that the .ins file loads */
#define IPL_PARM_MAX    256
#define NSS_BASE        0x00500000UL /* real: first named system, each on a 256 KB boundary */
#define NSS_STEP        0x00040000UL
#define NSS_MAX         24
#define DYNAMIC_BASE    0x00800000UL /* real: storage given to machines and the minidisk cache */
_Static_assert(DYNAMIC_BASE / PAGE_SIZE == MONITOR_FIXED_PAGES, "monitor.h");

#define VM_TEXT         0x10000000UL /* virtual: shared program, read only */
#define VM_LOW          0x00010000UL /* virtual: first private byte */
#define VM_GONE_MAX     7 /* parts of CP that are told when the program in a machine is gone */
#define VM_MDISKS       24           /* minidisks of one machine, linked ones counted */
#define VM_STACKED      16           /* console lines typed ahead */

#define SMSG_MAX        8            /* special messages not yet taken by a machine */

#define TERMINALS       273          /* 3270 displays, the operator's console, logical ones */
#define LTERM_SERVED    72           /* logical terminals that service machines carry */
#define SLICE_US        5000         /* time slice */

#define DASD_VOLUMES    4
#define DASD_REQUESTS   256          /* queued and running minidisk requests */
#define DASD_CHAIN      120 /* 512-byte blocks of one channel program: a CCW counts up to 65535 */
#define MDC_BLOCKS      2048         /* minidisk cache, 4 KB blocks */
/* several times the blocks: a chain has one, and costs do not wander */
#define MDC_HASH        8192

#define IUCV_PATHS      512          /* paths in the system, both ends counted */
#define IUCV_MESSAGES   1024         /* messages in the system */
#define IUCV_VM_PATHS   128          /* paths of one machine */
#define IUCV_LIMIT      255          /* messages outstanding on one path, ceiling */
#define IUCV_LIMIT_DEFAULT 10        /* when CONNECT gives none (VM's own default) */

#define CTC_WRITE_DEV   0x0500       /* the channel-to-channel pair of this system: one writes, */
#define CTC_READ_DEV    0x0501       /* one reads (docs/reference/wire.md) */
#define CTC_BLOCK       61440        /* bytes of one CTC block */
#define CTC_BLOCKS      96           /* for what comes: two, and those machines have pages of */
#define CTC_RETRY_US    50000        /* after intervention required: the wire is not there yet */

#define LINEND          '#'         /* ends a logical line, unless a user has another character */
#define LOGON_TRIES     3
#define PASSWORD_TRIES  10           /* wrong ones of a session in LINK and AUTOLOG together */
#define LOGON_DELAY_US  2000000      /* after a wrong password */
#define SPOOL_CARDS     256          /* accounting cards waiting for the punch */
#endif
