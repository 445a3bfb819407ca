/* SPDX-License-Identifier: MIT */
/* CP's side of IUCV: tables and the queue of interruptions of a machine. */
#ifndef VMKB_IUCV_TABLE_H
#define VMKB_IUCV_TABLE_H
#include <stdint.h>
#include "param.h"

#define NONE    0x7fff
#define ID_STEP 1024         /* message id: a generation times this, plus the index in the table */
#define IS_PATH 0x8000       /* in a queue: a path's event, else a message */

_Static_assert(IUCV_MESSAGES <= ID_STEP, "message ids");

struct iucv_queue {          /* in struct vm */
    uint16_t head, tail, count, paths;
    uint16_t path[IUCV_VM_PATHS]; /* index in the path table + 1; 0: not used */
    uint8_t declared;        /* it has used IUCV since IPL: others may connect */
};

struct vm;
struct path {                /* one end of a path */
    struct vm *vm;
    uint16_t id;             /* path id of that machine */
    uint16_t peer;           /* the other end, or NONE */
    uint16_t next, queue_next;
    uint16_t first;          /* messages sent from here and not complete */
    uint16_t outstanding, limit;
    uint8_t open, quiesced_by_us, event;
    uint8_t user[16];
    char userid[8];          /* who connected; empty on the connecting side */
};

enum { MSG_FREE, MSG_PENDING, MSG_SEEN, MSG_RECEIVED, MSG_COMPLETE };

struct message {
    uint8_t state, flags, audit;
    uint16_t from;           /* sender's end of the path */
    uint16_t next, queue_next;
    uint32_t id, class, source_class, tag;
    uint32_t len, received, reply_len, replied;
    uint64_t buffer, reply_buffer; /* virtual, the sender's */
    uint8_t user[16];
};
#endif
