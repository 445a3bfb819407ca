/* SPDX-License-Identifier: MIT */
/* Parts of replies, as the calls' lists of results have them. */
#include "server.h"

/* read, list, insert, delete, write, lock, administer: there is no security */
#define ALL_RIGHTS 0x7fu

void afs_put_fid(struct xdr_out *x, const struct afs_fid *fid)
{
    xdr_put(x, fid->volume);
    xdr_put(x, fid->vnode);
    xdr_put(x, fid->unique);
}

void afs_put_status(struct afs_server *s, struct afs_call *c, const struct volume *v,
                    const struct vnode *n)
{
    struct afs_fid parent = volume_fid(v, n->parent);
    const uint32_t words[21] = {
        1,        n->type,        n->links,       n->length, n->version,   n->author,
        n->owner, ALL_RIGHTS,     ALL_RIGHTS,     n->mode,   parent.vnode, parent.unique,
        1,        n->client_time, n->server_time, n->group
        /* sync counter, data version high, locks, length high, error: 0 */
    };

    (void)s;
    for (unsigned i = 0; i < 21; i++)
        xdr_put(&c->out, words[i]);
}

void afs_put_callback(struct afs_server *s, struct afs_call *c, const struct afs_fid *fid)
{
    uint32_t now = afs_now(s), ends = callbacks_promise(&s->callbacks, c->client, fid, now);

    xdr_put(&c->out, ends ? 1 : 0);
    xdr_put(&c->out, ends ? ends - now : 0); /* seconds from now */
    xdr_put(&c->out, ends ? AFS_CALLBACK_SHARED : AFS_CALLBACK_DROPPED);
}

void afs_put_sync(struct afs_call *c, const struct volume *v)
{
    xdr_put(&c->out, v ? v->created : 0);
    for (unsigned i = 1; i < 6; i++)
        xdr_put(&c->out, 0);
}
