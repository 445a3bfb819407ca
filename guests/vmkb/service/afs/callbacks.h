/* SPDX-License-Identifier: MIT */
/* Who was promised to be told when a file changes. A client that does not answer, or has none who
 * does, is given no more promises until it has answered; nobody waits for it longer than
 * AFS_BREAK_US. */
#ifndef VMKB_AFS_CALLBACKS_H
#define VMKB_AFS_CALLBACKS_H
#include "afs.h"
#include "rx_core.h"

#define AFS_CLIENTS    128       /* remembered at one time; others get no promises */
#define AFS_PROMISES   4096
#define AFS_PROMISE_S  3600      /* how long one holds */
#define AFS_BREAK_US   3000000UL /* that a change waits for clients to answer */
#define AFS_RETRY_US   30000000UL /* before a client that did not answer is asked again */
#define AFS_HASH       512

enum client_state {
    CLIENT_FREE,
    CLIENT_NEW,                  /* it is being told to forget what an earlier server promised */
    CLIENT_UP,
    CLIENT_DOWN                  /* it did not answer */
};

struct afs_client {
    struct rx_address address;
    enum client_state state;
    struct rx_conn *conn;        /* ours to it */
    struct rx_call *telling;     /* a call to it is under way */
    uint64_t told_at;            /* when it began, or failed */
    uint64_t seen;               /* its last call */
    unsigned calls;              /* of it that are under way */
    unsigned promises;
    unsigned waiting;            /* fids in queue */
    struct afs_fid queue[AFS_BULK_MAX]; /* to be told of, once it has answered */
    bool overrun;                /* there were more: it forgets everything */
};

struct afs_promise {
    struct afs_fid fid;          /* volume 0: free */
    uint16_t client;
    uint16_t next;               /* of the chain, or of the free ones; index + 1 */
    uint32_t expires;
};

struct callbacks {
    uint16_t chains[AFS_HASH], free; /* index + 1 */
    struct afs_client clients[AFS_CLIENTS];
    struct afs_promise promises[AFS_PROMISES];
    uint32_t swept;              /* when what had expired was last looked for */
    uint64_t given, refused, broken, expired, unanswered;
};

void callbacks_init(struct callbacks *b);
/* Who calls; 0: there is no room. *fresh: it is to be told to forget all. */
struct afs_client *callbacks_client(struct callbacks *b, const struct rx_address *from,
                                    uint64_t now, bool *fresh);
/* When the promise ends; 0: none is given. */
uint32_t callbacks_promise(struct callbacks *b, struct afs_client *c, const struct afs_fid *fid,
                           uint32_t now);
void callbacks_give_up(struct callbacks *b, struct afs_client *c, const struct afs_fid *fid);
void callbacks_give_up_all(struct callbacks *b, struct afs_client *c);
/* Takes back all promises of the file but those of `except`; marks in told[] who is to be told.
 * Returns how many. */
unsigned callbacks_break(struct callbacks *b, const struct afs_fid *fid,
                         const struct afs_client *except, uint32_t now, uint8_t told[AFS_CLIENTS]);
/* It did not answer: its promises are gone. */
void callbacks_down(struct callbacks *b, struct afs_client *c, uint64_t now);
static inline unsigned callbacks_index(const struct callbacks *b, const struct afs_client *c)
{
    return (unsigned)(c - b->clients);
}
#endif
