/* SPDX-License-Identifier: MIT */
/* CP's side of IUCV: tables and the queue of interruptions of a machine. */
#ifndef VMKB_IUCV_TABLE_H
#define VMKB_IUCV_TABLE_H
#include <stdint.h>
#include "diag.h"
#include "param.h"

#define ID_STEP 1024         /* message id: a generation times this, plus the index in the table */

_Static_assert(IUCV_MESSAGES <= ID_STEP, "message ids");

struct path;
struct message;
struct vm;

struct iucv_item { /* what a machine is to be told: begins a path (its event) and a message */
    struct iucv_item *after;
    uint8_t is_path;
};

struct iucv_queue {          /* in struct vm */
    struct iucv_item *head, *tail; /* head 0: empty */
    struct path *path[IUCV_VM_PATHS];
    uint16_t paths;
    uint8_t declared;        /* it has used IUCV since IPL: others may connect */
};

struct path {                /* one end of a path */
    struct iucv_item item;
    struct vm *vm;
    struct path *peer;       /* the other end, or 0 */
    struct path *next;       /* when free */
    struct message *first;   /* sent from here and not complete, the newest first */
    uint16_t id;             /* path id of that machine */
    uint16_t outstanding, limit;
    uint8_t open, quiesced_by_us, event;
    uint8_t user[16];
    char userid[8];          /* who connected; empty on the connecting side */
};

enum { MSG_FREE, MSG_PENDING, MSG_SEEN, MSG_RECEIVED, MSG_COMPLETE };

/* Addresses are real. They hold as long as the message does: a machine's paths go before its
 * storage. */
struct message {
    struct iucv_item item;
    struct path *from;       /* sender's end */
    struct message *next;
    const uint8_t *data;     /* where it is in the sender's storage, or told.user */
    uint8_t *reply;          /* and where its reply goes */
    uint32_t received;
    uint8_t state;
    /* to the receiver; once complete, to the sender. msgid stays in a free one */
    struct iucv_interrupt told;
};
#endif
