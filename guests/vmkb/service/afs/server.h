/* SPDX-License-Identifier: MIT */
/* AFSSERVE's calls: what comes by Rx is done on volumes, and clients are told of what others
 * change. Pure but for the volumes' devices. No security: whoever can send a packet may read and
 * write everything. */
#ifndef VMKB_AFS_SERVER_H
#define VMKB_AFS_SERVER_H
#include "callbacks.h"
#include "rx_core.h"
#include "volume.h"
#include "xdr.h"

#define AFS_VOLUMES 8
#define AFS_CALLS   40           /* under way at one time; more are told VBUSY, clients ask again */
#define AFS_ARGS    2048         /* bytes of the longest arguments: 50 files with callbacks */
#define AFS_REPLY   6144         /* of the longest reply that is not a file's bytes: 50 statuses */

#define AFS_IDLE_US 60000000UL   /* a call that does not move ends */

enum afs_state {
    CALL_FREE,
    CALL_ARGUMENTS,              /* they come */
    /* they are there; a new client is being told to forget all first */
    CALL_HELD,
    CALL_STORING,
    CALL_FETCHING,
    CALL_WAITING,                /* for clients to answer that their callbacks are broken */
    CALL_REPLYING
};

struct afs_call {
    struct rx_call *call;
    enum afs_state state;
    struct afs_client *client;   /* 0: there was no room to remember it */
    uint32_t operation;
    struct volume *volume;
    struct afs_store_status status;
    union {
        struct volume_fetch fetch;
        struct volume_store store;
    };
    uint64_t moved_at, wait_until; /* until then it waits for clients: */
    uint8_t awaited[AFS_CLIENTS];
    unsigned awaits;
    struct xdr_out out;          /* into reply */
    uint32_t args_len;
    uint32_t reply_at, head_len, reply_len; /* head: what is before a file's bytes */
    uint8_t args[AFS_ARGS], reply[AFS_REPLY];
    uint8_t buffer[VOLUME_BUFFER] __attribute__((aligned(8)));
};

struct afs_counts {
    uint64_t calls, done, failed, busy, unknown, bytes_fetched, bytes_stored;
};

struct afs_server {
    struct rx *rx;
    struct callbacks callbacks;
    struct volume *volumes[AFS_VOLUMES]; /* those after the last are 0 */
    uint64_t next;               /* afs_tick is due; ~0: never */
    uint32_t epoch;              /* seconds since 1970 when rx->now was 0 */
    struct afs_counts counts;
    struct afs_call calls[AFS_CALLS];
};

void afs_init(struct afs_server *s, struct rx *rx, uint32_t epoch);
/* The server's part of rx_ops, of its calls and of those that it makes to clients. */
void afs_event(struct afs_server *s, struct rx_call *call, enum rx_event what);
void afs_data(struct afs_server *s, struct rx_call *call, const uint8_t *bytes, uint32_t len);
void afs_drop(struct afs_call *c); /* what it holds is given back; nothing is said to its client */
/* After s->next. */
void afs_tick(struct afs_server *s);

/* ---- for the files of the server */
static inline uint32_t afs_now(const struct afs_server *s)
{
    return s->epoch + (uint32_t)(s->rx->now / 1000000);
}
/* telling.c: calls to clients */
/* what it is to know, if no such call is under way */
void afs_tell(struct afs_server *s, struct afs_client *c);
void afs_told(struct afs_server *s, struct rx_call *call, bool well);
/* it did not answer in time. Not from an event */
void afs_untold(struct afs_server *s, struct afs_client *c);
/* The file was changed by the call's client: who was promised to be told is, and the call waits for
 * that. */
void afs_changed(struct afs_server *s, struct afs_call *c, const struct afs_fid *fid);
/* server.c: nobody waits for it any more */
void afs_settle(struct afs_server *s, const struct afs_client *of);
/* calls.c: all arguments are there (of a store, those before its bytes); replies, or begins to move
 * bytes. A code: the call is to be aborted. */
int afs_run(struct afs_server *s, struct afs_call *c);
uint32_t afs_args_needed(const struct afs_call *c); /* before a store's bytes; 0: not a store */
int afs_store_done(struct afs_server *s, struct afs_call *c);
/* reply.c */
void afs_put_status(struct afs_server *s, struct afs_call *c, const struct volume *v,
                    const struct vnode *n);
void afs_put_callback(struct afs_server *s, struct afs_call *c, const struct afs_fid *fid);
void afs_put_sync(struct afs_call *c, const struct volume *v); /* 0: of none */
void afs_put_fid(struct xdr_out *x, const struct afs_fid *fid);
#endif
