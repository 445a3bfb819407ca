/* SPDX-License-Identifier: MIT */
/* Calls to clients: CallBack, that files have changed, and InitCallBackState, to forget all
 * promises. */
#include "server.h"

static struct rx_call *begin(struct afs_server *s, struct afs_client *c)
{
    if (!c->conn)
        c->conn = rx_connect(s->rx, &c->address, AFS_SERVICE);
    return c->conn ? rx_begin(s->rx, c->conn) : 0;
}

void afs_tell(struct afs_server *s, struct afs_client *c)
{
    uint8_t bytes[12 + 12 * AFS_BULK_MAX];
    struct xdr_out x = {bytes, sizeof(bytes), false};
    bool all = c->state != CLIENT_UP || c->overrun;

    if (c->telling || (!all && !c->waiting))
        return;
    struct rx_call *call = begin(s, c);
    if (!call) {
        callbacks_down(&s->callbacks, c, s->rx->now);
        afs_settle(s, c);
        s->next = s->rx->now;
        return;
    }
    c->telling = call;
    c->told_at = s->rx->now;
    call->user = c;
    xdr_put(&x, all ? AFS_CB_INIT_STATE : AFS_CB_CALLBACK);
    if (all) {
        callbacks_give_up_all(&s->callbacks, c);
    } else {
        xdr_put(&x, c->waiting);
        for (unsigned i = 0; i < c->waiting; i++)
            afs_put_fid(&x, &c->queue[i]);
        xdr_put(&x, 0);          /* and no callbacks: all of them are dropped */
    }
    c->waiting = 0;
    c->overrun = false;
    rx_write(s->rx, call, bytes, (uint32_t)(x.at - bytes));
    rx_end(s->rx, call);
}

void afs_told(struct afs_server *s, struct rx_call *call, bool well)
{
    struct afs_client *c = call->user;

    if (!c || c->telling != call)
        return;
    c->telling = 0;
    call->user = 0;
    if (!well) {
        callbacks_down(&s->callbacks, c, s->rx->now);
        s->next = s->rx->now;    /* its connection is closed when no event of it is at work */
    } else {
        c->state = CLIENT_UP;
        afs_tell(s, c);          /* what has changed meanwhile */
    }
    if (!c->telling)
        afs_settle(s, c);
}

void afs_untold(struct afs_server *s, struct afs_client *c)
{
    callbacks_down(&s->callbacks, c, s->rx->now);
    c->telling = 0;
    if (c->conn)
        rx_disconnect(s->rx, c->conn);
    c->conn = 0;
    afs_settle(s, c);
}

void afs_changed(struct afs_server *s, struct afs_call *c, const struct afs_fid *fid)
{
    if (!callbacks_break(&s->callbacks, fid, c->client, afs_now(s), c->awaited))
        return;
    c->awaits = 0;
    for (unsigned i = 0; i < AFS_CLIENTS; i++) {
        struct afs_client *client = &s->callbacks.clients[i];
        if (!c->awaited[i])
            continue;
        afs_tell(s, client);
        c->awaited[i] = client->telling != 0; /* there may be no room for a connection to it */
        c->awaits += c->awaited[i];
    }
}
