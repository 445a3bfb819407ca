/* SPDX-License-Identifier: MIT */
/* IUCV between virtual machines: functions, the parameter list, return codes. Numbers and meanings
 * as in VM's Inter-User Communication Vehicle (CP Programming Services) where VM has them. A
 * parameter list is passed by DIAG_IUCV; data is copied once, from the sender's buffer to the
 * receiver's, at RECEIVE or REPLY. */
#ifndef VMKB_IUCV_H
#define VMKB_IUCV_H
#include <stdint.h>
#include "diag.h"

#define IUCV_QUERY     0     /* -> limits: msglimit = paths a machine may have */
#define IUCV_RECEIVE   5
#define IUCV_REPLY     6
#define IUCV_REJECT    8
#define IUCV_SEND      4
#define IUCV_PURGE     9
#define IUCV_ACCEPT    10
#define IUCV_CONNECT   11
#define IUCV_SEVER     15
#define IUCV_QUIESCE   13
#define IUCV_RESUME    14

/* flags */
#define IUCV_PRMDATA   0x80  /* data is the 16 bytes in parm.user */
#define IUCV_NOREPLY   0x10  /* one way: 1WAY */
#define IUCV_PRIORITY  0x20
#define IUCV_QUIESCED  0x40  /* CONNECT/ACCEPT: start quiesced */

/* interruption types */
#define IUCV_PENDING_CONNECTION 1
#define IUCV_CONNECTION_COMPLETE 2
#define IUCV_CONNECTION_SEVERED 3
#define IUCV_PATH_QUIESCED 4
#define IUCV_PATH_RESUMED 5
#define IUCV_COMPLETE_PRIORITY 6
#define IUCV_COMPLETE 7
#define IUCV_MESSAGE_PRIORITY 8
#define IUCV_MESSAGE 9

/* return codes: positive as VM's IPRCODE */
#define IUCV_OK          0
#define IUCV_EPATH       1   /* invalid path */
#define IUCV_EQUIESCED   2   /* path quiesced, send not allowed */
#define IUCV_ELIMIT      3   /* message limit exceeded: wait for a completion and send again */
#define IUCV_ENOMSG      9   /* message id not found (purged, or never there) */
#define IUCV_ETRUNC      5   /* buffer too small: the rest stays for another RECEIVE; reply cut */
#define IUCV_ENOTLOGGED  11  /* target not logged on */
#define IUCV_ENOTREADY   12  /* target has not asked for IUCV */
#define IUCV_EMAXPATHS   13  /* the connecting machine has all its paths */
#define IUCV_ETARGETPATHS 14 /* the target has */
#define IUCV_EAUTH       15
#define IUCV_ESYSTEM     50  /* CP's own message or path table is full */
#define IUCV_EFUNCTION   51
#define IUCV_EBUFFER     52  /* a buffer is outside the caller's storage */

#define IUCV_AUDIT_PURGED   0x80 /* audit[0]: purged or path severed */
#define IUCV_AUDIT_REJECTED 0x40
#define IUCV_AUDIT_REPLYCUT 0x20 /* the reply did not fit */

struct iucv_parm {
    uint16_t path;
    uint8_t flags;
    uint8_t rcode;
    uint32_t msgid;          /* in: RECEIVE, REPLY, REJECT (0: first on the path); out: SEND */
    uint32_t class;          /* trgcls */
    uint32_t source_class;
    uint64_t buffer;         /* data to send, room to receive, reply to give */
    uint32_t len;
    uint32_t residual;       /* out: bytes not received, or room left over */
    uint64_t reply_buffer;   /* SEND: where the reply will go */
    uint32_t reply_len;
    uint16_t limit;          /* CONNECT, ACCEPT: messages outstanding */
    uint16_t reserved;
    uint8_t user[16];
    char userid[8];          /* CONNECT: target */
    uint32_t tag;            /* SEND: given back at completion */
};

#define IUCV_THEN_WAIT_RC(returned) (-1000 - (returned)) /* of one that did not come to the wait */
#ifdef __s390x__
static inline long iucv(int function, struct iucv_parm *p)
{
    return diag_call(function, (long)(uintptr_t)p, 0, 0, 0, DIAG_IUCV);
}
/* The function, then wait for EV_IUCV or an event of mask, as diag_wait does: one call for a
 * program that answers or asks and has nothing else to do. The EV_ bit, or -1000 - the IUCV return
 * code. */
static inline long iucv_then_wait(int function, struct iucv_parm *p, unsigned mask, struct event *e,
                                  uint64_t us)
{
    return diag_call(function, (long)(uintptr_t)p, (long)(uintptr_t)e, mask, (long)us, DIAG_IUCV);
}
#endif
#endif
