/* SPDX-License-Identifier: MIT */
#include "callbacks.h"

static unsigned hash(const struct afs_fid *fid)
{
    return (fid->volume * 31 + fid->vnode * 7 + fid->unique) % AFS_HASH;
}

static bool same(const struct afs_fid *a, const struct afs_fid *b)
{
    return a->volume == b->volume && a->vnode == b->vnode && a->unique == b->unique;
}

void callbacks_init(struct callbacks *b)
{
    memset(b, 0, sizeof(*b));
    for (unsigned i = AFS_PROMISES; i > 0; i--) {
        b->promises[i - 1].next = b->free;
        b->free = (uint16_t)i;
    }
}

/* Takes *link out of its chain. */
static void drop(struct callbacks *b, uint16_t *link)
{
    uint16_t i = *link;
    struct afs_promise *p = &b->promises[i - 1];

    *link = p->next;
    b->clients[p->client].promises--;
    p->fid.volume = 0;
    p->next = b->free;
    b->free = i;
}

/* Drops the promises of a client (0: of all that have expired). */
static void drop_all(struct callbacks *b, const struct afs_client *c, uint32_t now)
{
    for (unsigned h = 0; h < AFS_HASH; h++)
        for (uint16_t *link = &b->chains[h]; *link;) {
            struct afs_promise *p = &b->promises[*link - 1];
            bool expired = !c && p->expires <= now;
            if (expired || (c && &b->clients[p->client] == c)) {
                b->expired += expired;
                drop(b, link);
            } else {
                link = &p->next;
            }
        }
}

/* The client that has been silent longest of those to whom nothing is owed. */
static struct afs_client *room(struct callbacks *b)
{
    struct afs_client *oldest = 0;

    for (struct afs_client *c = b->clients; c < b->clients + AFS_CLIENTS; c++) {
        if (c->state == CLIENT_FREE)
            return c;
        if (!c->promises && !c->calls && !c->conn && (!oldest || c->seen < oldest->seen))
            oldest = c;
    }
    return oldest;
}

struct afs_client *callbacks_client(struct callbacks *b, const struct rx_address *from,
                                    uint64_t now, bool *fresh)
{
    *fresh = false;
    for (struct afs_client *c = b->clients; c < b->clients + AFS_CLIENTS; c++)
        if (c->state != CLIENT_FREE && c->address.ip == from->ip && c->address.port == from->port) {
            c->seen = now;
            *fresh = c->state == CLIENT_DOWN && !c->telling && now - c->told_at >= AFS_RETRY_US;
            return c;
        }
    struct afs_client *c = room(b);
    if (!c)
        return 0;
    *c = (struct afs_client){.address = *from, .state = CLIENT_NEW, .seen = now};
    *fresh = true;
    return c;
}

uint32_t callbacks_promise(struct callbacks *b, struct afs_client *c, const struct afs_fid *fid,
                           uint32_t now)
{
    uint16_t *chain = &b->chains[hash(fid)];
    uint16_t i = *chain;

    if (!c || c->state != CLIENT_UP || c->waiting || c->overrun) {
        b->refused++;
        return 0;
    }
    while (i
           && !(&b->clients[b->promises[i - 1].client] == c && same(&b->promises[i - 1].fid, fid)))
        i = b->promises[i - 1].next;
    if (!i) {
        if (!b->free && b->swept != now) {
            b->swept = now;
            drop_all(b, 0, now);
        }
        if (!b->free) {
            b->refused++;
            return 0;
        }
        i = b->free;
        b->free = b->promises[i - 1].next;
        b->promises[i - 1] = (struct afs_promise){
            .fid = *fid, .client = (uint16_t)callbacks_index(b, c), .next = *chain};
        *chain = i;
        c->promises++;
    }
    b->given++;
    return b->promises[i - 1].expires = now + AFS_PROMISE_S;
}

void callbacks_give_up(struct callbacks *b, struct afs_client *c, const struct afs_fid *fid)
{
    for (uint16_t *link = &b->chains[hash(fid)]; *link;) {
        struct afs_promise *p = &b->promises[*link - 1];
        if (&b->clients[p->client] == c && same(&p->fid, fid))
            drop(b, link);
        else
            link = &p->next;
    }
}

void callbacks_give_up_all(struct callbacks *b, struct afs_client *c)
{
    if (c->promises)
        drop_all(b, c, 0);
}

static void enqueue(struct afs_client *c, const struct afs_fid *fid)
{
    if (c->waiting < AFS_BULK_MAX)
        c->queue[c->waiting++] = *fid;
    else
        c->overrun = true;
}

unsigned callbacks_break(struct callbacks *b, const struct afs_fid *fid,
                         const struct afs_client *except, uint32_t now, uint8_t told[AFS_CLIENTS])
{
    unsigned n = 0;

    for (uint16_t *link = &b->chains[hash(fid)]; *link;) {
        struct afs_promise *p = &b->promises[*link - 1];
        struct afs_client *c = &b->clients[p->client];
        if (!same(&p->fid, fid) || c == except) {
            link = &p->next;
            continue;
        }
        bool holds = p->expires > now;
        drop(b, link);
        b->expired += !holds;
        if (!holds)
            continue;
        b->broken++;
        enqueue(c, fid);
        n += !told[p->client];
        told[p->client] = 1;
    }
    return n;
}

void callbacks_down(struct callbacks *b, struct afs_client *c, uint64_t now)
{
    callbacks_give_up_all(b, c);
    b->unanswered++;
    c->state = CLIENT_DOWN;
    c->told_at = now;
    c->waiting = 0;
    c->overrun = false;
}
