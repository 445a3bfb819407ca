/* SPDX-License-Identifier: MIT */
/* The AFS command: what its files share. One struct afs_client is one use of it: a UDP port, a
 * connection to the file server and one to the location server, one call at a time.
 *
 * Functions return 0, or CMS's return code when they have said what is wrong. */
#ifndef VMKB_CMS_AFS_H
#define VMKB_CMS_AFS_H
#include "afs.h"
#include "cms.h"
#include "port.h"
#include "xdr.h"

#define REPLY_MAX 6144           /* of a reply but a file's bytes */
#define DIRECTORY_MAX 262144u    /* bytes of the largest directory */

struct afs_stat {
    uint32_t type, length, version, owner, mode, time;
};

struct afs_client {
    struct rx_port port;
    struct rx_conn *files, *places;
    struct rx_call *call;        /* 0: it is over, and `error` tells how */
    int32_t error;
    bool refused;                /* rx_write took less than it was given: RX_ROOM comes */
    /* what comes: of a fetch first a length, so many bytes to `take`, then the rest */
    bool fetching;
    uint32_t stream_left;
    int (*take)(void *to, uint8_t *bytes, uint32_t len); /* 0, or a code that ends the call */
    void *to;
    int taken;                   /* what it returned last */
    uint32_t reply_len;
    uint8_t reply[REPLY_MAX];
    uint8_t piece[32768];        /* bytes on their way to `take` */
};

/* client.c */
int afs_open(const char *host, struct afs_client **made);
void afs_close(struct afs_client *c);
/* A call from beginning to end; c->error is its code. 0: it went well, 1: it did not, and nothing
 * has been said; else CMS's code. */
int afs_call(struct afs_client *c, struct rx_conn *conn, const struct xdr_out *request,
             const uint8_t *bytes);
int afs_begin(struct afs_client *c, struct rx_conn *conn, const void *request, uint32_t len);
int afs_put(struct afs_client *c, const uint8_t *bytes, uint32_t len); /* more of the request */
int afs_end(struct afs_client *c);
int afs_said(const struct afs_client *c, const char *path); /* what c->error means; its code */

/* path.c */
/* What the path names; volume/directory/name. parent, name: where its last part is, may be 0. */
int afs_find(struct afs_client *c, const char *path, struct afs_fid *fid, struct afs_stat *st,
             struct afs_fid *parent, const char **name);
void afs_put_name(struct xdr_out *x, const char *name, unsigned len); /* in ISO 8859-1 */
void afs_get_stat(struct xdr_in *x, struct afs_stat *st);
void afs_put_fid(struct xdr_out *x, const struct afs_fid *fid);

/* list.c, move.c */
int afs_list(struct afs_client *c, const char *path);
int afs_stat(struct afs_client *c, const char *path);
struct afs_job {
    bool text, replace;
    struct cms_fileid id;
};
int afs_get(struct afs_client *c, const char *path, struct afs_job *job);
int afs_store(struct afs_client *c, const char *path, struct afs_job *job);
#endif
