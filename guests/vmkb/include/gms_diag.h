/* SPDX-License-Identifier: MIT */
/* DIAG_GMS: calls from this system's CP to another's, and pages (docs/reference/workloads/rpc.md).
 * A machine that has opened its window finds there the pages that its calls drew: GMS_SLOTS frames
 * of 8192 bytes from VM_WINDOW on. They are CP's: no other DIAGNOSE takes their addresses. */
#ifndef VMKB_GMS_DIAG_H
#define VMKB_GMS_DIAG_H
#include <stdint.h>
#include "diag.h"

#define VM_WINDOW       0x1c000000UL
#define GMS_FRAME       8192
#define GMS_SLOTS       32       /* frames of a window: the first half for payloads that were */
#define GMS_SOLICITED   16       /* solicited, the others for those that were not */
#define GMS_CALLERS     64       /* of one run */

/* operations: GR2, their arguments from GR3 on */
#define GMS_OPEN   1     /* () -> 0; DIAG_ELIMIT: no room for one more window */
#define GMS_CALL   2     /* (struct gms_parm *) one call, and sleep until it is done -> status;
                          * GR3: the slot where the payload is until the next, 0xffff none */
#define GMS_RUN    3     /* (struct gms_parm *) parm.count calls by continuations, and sleep until
                          * the last is done -> how many failed */
#define GMS_START  4     /* (struct gms_parm *) one call to parm.slot, and go on -> 0 */
#define GMS_AWAIT  5     /* (slot) sleep until its call is done -> status */
#define GMS_FREE   6     /* (slot) the frame there is given back */
#define GMS_PUT    7     /* (file, page, address, bytes 4096 or 8192) a copy of it is there for
                          * others from now on; privilege class A to E, as the next */
#define GMS_SAYS   8     /* (file, char node[8]) what is asked for of that file that node has */
#define GMS_NAP    9     /* () sleep, woken by CP when no machine can run -> 0: what a wake-up costs
                          * alone; DIAG_EBUSY: another machine does that just now */
#define GMS_WRITE 10     /* (struct gms_parm *) pages from parm.buffer to where the page of the file
                          * is, and go on -> 0; GMS_AWAIT parm.slot */
/* They answer DIAG_EADDR, DIAG_EPRIV, DIAG_ERANGE, DIAG_EUNKNOWN; DIAG_ENODEV: there is no LAN;
 * DIAG_EBUSY: all call records are in use, or the slot is; DIAG_ELIMIT: no room. */

enum gms_wait { GMS_CONT, GMS_DEFER };
enum gms_receive { GMS_TO_SLOT, GMS_ANYWHERE, GMS_COPIED };

/* Statuses of calls, as gms.h has them */
#define GMS_CALL_OK     0
#define GMS_CALL_NOPAGE 1

struct gms_parm {
    char node[8];                /* whom to ask: its name, blank at the end */
    uint32_t file, page;
    uint32_t pages;              /* 0, 1, 2 pages of 4096 bytes asked for */
    uint32_t span;               /* RUN: of the file's pages, so many in turn */
    uint8_t wait;                /* RUN: enum gms_wait */
    uint8_t receive;             /* enum gms_receive */
    uint16_t slot;               /* GMS_TO_SLOT: which */
    uint32_t count;              /* RUN: calls, by so many callers at one time */
    uint32_t callers;
    uint32_t least, most;        /* RUN: CP says what the callers with fewest and most had when the
                                  * last call was started */
    uint32_t status;             /* RUN: of the first that failed */
    uint64_t buffer;             /* GMS_COPIED: where to; GMS_WRITE: where from */
};

#ifdef __s390x__
static inline long diag_gms(int op, long a, long b, long c, long d)
{ return diag_call(op, a, b, c, d, DIAG_GMS); }
/* GMS_CALL; *slot: where the payload is. */
static inline long diag_gms_call(struct gms_parm *p, long *slot)
{
    register long r2 __asm__("2") = GMS_CALL;
    register long r3 __asm__("3") = D_(p);
    __asm__ volatile("diag %0,%0,0x180(0)" : "+d"(r2), "+d"(r3) : : "memory", "cc");
    *slot = r3;
    return r2;
}
#endif
#endif
