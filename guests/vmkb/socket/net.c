/* SPDX-License-Identifier: MIT */
#include "net.h"

#define CALL_TAG 0xffff0000u /* of the call that net_call waits for */

long net_open(struct net *n, const char *userid)
{
    struct iucv_parm p = {.limit = NET_CALLS};
    char name[9];
    struct event e;

    memset(n, 0, sizeof(*n));
    fmt(name, sizeof(name), "%-8.8s", userid);
    memcpy(p.userid, name, 8);
    long rc = iucv(IUCV_CONNECT, &p);
    if (rc != IUCV_OK)
        return rc;
    n->path = p.path;
    while (diag_wait(EV_IUCV, &e, NET_CALL_US) == EV_IUCV)
        if (e.iucv.path == n->path) {
            if (e.iucv.type == IUCV_CONNECTION_COMPLETE) {
                n->open = 1;
                return 0;
            }
            break;
        }
    iucv(IUCV_SEVER, &p);
    return NET_ETIME;
}

void net_close(struct net *n)
{
    struct iucv_parm p = {.path = n->path};

    if (n->open)
        iucv(IUCV_SEVER, &p);
    n->open = n->waits = 0;
}

/* A call that is free; NET_CALLS: none. */
static unsigned free_call(const struct net *n)
{
    unsigned i = n->next_call, tried = 0;

    while (n->calls[i].tag) {
        if (++tried == NET_CALLS)
            return NET_CALLS;
        i = i + 1 < NET_CALLS ? i + 1 : 0;
    }
    return i;
}

static struct iucv_parm send_parm(const struct net *n, const struct net_ask *ask, unsigned i)
{
    struct iucv_parm p = {.path = n->path,
                          .class = (uint32_t)ask->function << 16 | (uint32_t)ask->sock,
                          .source_class = ask->closes,
                          .buffer = (uintptr_t)ask->data,
                          .len = ask->len,
                          .reply_buffer = (uintptr_t)ask->reply,
                          .reply_len = ask->room,
                          .tag = i};
    bool alone = ask->function == SOCK_CONNECT_FROM && ask->len == sizeof(struct sock_connection);

    if (ask->len && (ask->function <= SOCK_CONNECT || alone)) {
        p.flags = IUCV_PRMDATA; /* TCPIP need not ask for it */
        memcpy(p.user, ask->data, ask->len < sizeof(p.user) ? ask->len : sizeof(p.user));
    }
    return p;
}

static void under_way(struct net *n, unsigned i, uint32_t msgid, uint32_t tag, void *reply)
{
    n->calls[i].tag = tag;
    n->calls[i].msgid = msgid;
    n->calls[i].reply = reply;
}

/* What became of the call that waited. */
static void passed(struct net *n, long rc)
{
    unsigned i = n->later.tag;

    if (rc == IUCV_ELIMIT || rc == IUCV_ESYSTEM)
        return;              /* it goes on waiting */
    n->waits = false;
    n->calls[i].msgid = n->later.msgid;
    if (rc == IUCV_OK)
        return;
    n->done[n->done_count++] = (struct net_done){.tag = n->calls[i].tag, .rc = NET_EPATH};
    n->calls[i].tag = 0;
}

void net_pass(struct net *n)
{
    if (n->waits)
        passed(n, iucv(IUCV_SEND, &n->later));
}

long net_later(struct net *n, const struct net_ask *ask, uint32_t tag)
{
    if (!n->open)
        return NET_EPATH;
    net_pass(n);
    unsigned i = n->waits ? NET_CALLS : free_call(n);
    if (i == NET_CALLS)
        return IUCV_ELIMIT;
    n->later = send_parm(n, ask, i);
    n->waits = true;
    under_way(n, i, 0, tag, ask->reply);
    return 0;
}

long net_start(struct net *n, const struct net_ask *ask, uint32_t tag)
{
    net_pass(n);
    unsigned i = free_call(n);

    if (!n->open)
        return NET_EPATH;
    if (i == NET_CALLS)
        return IUCV_ELIMIT;
    struct iucv_parm p = send_parm(n, ask, i);
    long rc = iucv(IUCV_SEND, &p);
    if (rc != IUCV_OK)
        return rc;
    under_way(n, i, p.msgid, tag, ask->reply);
    return 0;
}

bool net_start_and_wait(struct net *n, const struct net_ask *ask, uint32_t tag, struct net_done *d,
                        uint64_t us)
{
    net_pass(n);
    unsigned i = free_call(n);
    struct event e;

    *d = (struct net_done){.rc = NET_EPATH};
    if (!n->open || i == NET_CALLS)
        return false;
    if (n->done_count)
        return net_start(n, ask, tag) == 0 && net_wait(n, d, us);
    struct iucv_parm p = send_parm(n, ask, i);
    long ev = iucv_then_wait(IUCV_SEND, &p, EV_ATTN, &e, us);
    if (ev < 0)
        return false;
    under_way(n, i, p.msgid, tag, ask->reply);
    if (ev == EV_IUCV)
        return net_event(n, &e.iucv, d) ? n->open : net_wait(n, d, us);
    d->rc = ev == EV_ATTN ? NET_EATTN : NET_ETIME;
    return false;
}

bool net_event(struct net *n, const struct iucv_interrupt *i, struct net_done *d)
{
    if (i->path != n->path)
        return false;
    if (i->type == IUCV_CONNECTION_SEVERED) {
        n->open = 0;
        *d = (struct net_done){.tag = 0, .rc = NET_EPATH};
        return true;
    }
    if ((i->type != IUCV_COMPLETE && i->type != IUCV_COMPLETE_PRIORITY) || i->tag >= NET_CALLS)
        return false;
    struct net_under_way *call = &n->calls[i->tag];
    if (call->msgid != i->msgid || !call->tag)
        return false;
    if (i->audit[0] || i->len < sizeof(struct sock_reply)) {
        *d = (struct net_done){.tag = call->tag, .rc = NET_EPATH};
    } else {
        d->tag = call->tag;
        d->rc = call->reply->rc;
        d->value = call->reply->value;
        d->len = i->len - (uint32_t)sizeof(struct sock_reply);
    }
    call->tag = 0;
    n->next_call = i->tag;
    return true;
}

/* The wait for an event, and with it the call that waited for that. A wait that ends for such a
 * call to be tried again is none that the caller asked for: 0. */
static long next_event(struct net *n, struct event *e, uint64_t *us)
{
    const unsigned mask = EV_IUCV | EV_ATTN;
    uint64_t left = *us;

    if (!n->waits)
        return diag_wait(mask, e, left);
    long ev = iucv_then_wait(IUCV_SEND, &n->later, EV_ATTN, e, left);
    passed(n, ev >= 0 ? IUCV_OK : IUCV_THEN_WAIT_RC(ev));
    if (ev >= 0)
        return ev;
    if (!n->waits)
        return 0;
    if (left && left <= NET_AGAIN_US)
        return diag_wait(mask, e, left);
    *us = left ? left - NET_AGAIN_US : 0;
    ev = diag_wait(mask, e, NET_AGAIN_US);
    return ev == EV_TIMER ? 0 : ev;
}

bool net_wait(struct net *n, struct net_done *d, uint64_t us)
{
    struct event e;

    for (;;) {
        if (n->done_count) {
            *d = n->done[0];
            n->done_count--;
            memmove(n->done, n->done + 1, n->done_count * sizeof(*d));
            return true;
        }
        if (!n->open) {
            *d = (struct net_done){.rc = NET_EPATH};
            return false;
        }
        long ev = next_event(n, &e, &us);
        if (ev == EV_IUCV && net_event(n, &e.iucv, d))
            return n->open;
        if (ev == EV_ATTN) {
            *d = (struct net_done){.rc = NET_EATTN};
            return false;
        }
        if (ev == EV_TIMER) {
            *d = (struct net_done){.rc = NET_ETIME};
            return false;
        }
    }
}

void net_cancel(struct net *n, uint32_t tag)
{
    net_cancel_range(n, tag, tag);
}

void net_cancel_range(struct net *n, uint32_t first, uint32_t last)
{
    for (unsigned i = 0; i < NET_CALLS; i++)
        if (n->calls[i].tag && n->calls[i].tag >= first && n->calls[i].tag <= last) {
            if (n->waits && n->later.tag == i) {
                n->waits = false; /* it was never sent */
                n->calls[i].tag = 0;
                continue;
            }
            struct iucv_parm p = {.path = n->path, .msgid = n->calls[i].msgid};
            iucv(IUCV_PURGE, &p);
            n->calls[i].tag = 0;
        }
    for (unsigned i = 0; i < n->done_count; i++)
        if (n->done[i].tag >= first && n->done[i].tag <= last) {
            n->done_count--;
            memmove(n->done + i, n->done + i + 1, (n->done_count - i) * sizeof(n->done[0]));
            i--;
        }
}

int net_call(struct net *n, const struct net_ask *asked, struct net_done *got, uint64_t us)
{
    static struct sock_reply nowhere;
    static struct net_done kept[NET_DONE];
    struct net_ask ask = *asked;
    struct net_done d;
    unsigned kept_count = 0;

    if (!ask.reply) {
        ask.reply = &nowhere;
        ask.room = sizeof(nowhere);
    }
    /* what ended before goes back in the same order when ours has ended */
    kept_count = n->done_count;
    if (kept_count)
        memcpy(kept, n->done, kept_count * sizeof(kept[0]));
    n->done_count = 0;
    for (bool ended = net_start_and_wait(n, &ask, CALL_TAG, &d, us); ended && d.tag != CALL_TAG;
         ended = net_wait(n, &d, us))
        if (kept_count < NET_DONE)
            kept[kept_count++] = d;
    if (kept_count)
        memcpy(n->done, kept, kept_count * sizeof(kept[0]));
    n->done_count = kept_count;
    if (d.tag != CALL_TAG)
        net_cancel(n, CALL_TAG);
    else if (got)
        *got = d;
    return d.rc;
}

int net_socket(struct net *n, int *sock)
{
    struct net_done d;
    int rc = net_call(n, &(struct net_ask){.function = SOCK_SOCKET}, &d, NET_CALL_US);

    *sock = rc == SOCK_EOK ? d.value : -1;
    return rc;
}

int net_socket_at(struct net *n, uint16_t port, uint32_t backlog, int *sock, uint16_t *got)
{
    const struct sock_open at = {.own = {.port = port}, .backlog = backlog};
    struct net_found made;
    struct net_done d;
    int rc = net_call(n, &(struct net_ask){.function = SOCK_SOCKET, .data = &at, .len = sizeof(at),
                                           .reply = &made, .room = sizeof(made)}, &d, NET_CALL_US);

    *sock = rc == SOCK_EOK ? d.value : -1;
    if (rc == SOCK_EOK && got)
        *got = made.a.port;
    return rc;
}

int net_name(struct net *n, int sock, struct net_names *names)
{
    return net_call(n, &(struct net_ask){.function = SOCK_NAME, .sock = sock, .reply = names,
                                         .room = sizeof(*names)}, 0, NET_CALL_US);
}

int net_resolve(struct net *n, const char *host, struct net_found *found)
{
    return net_call(n,
                    &(struct net_ask){.function = SOCK_RESOLVE,
                                      .data = host,
                                      .len = (uint32_t)strlen(host),
                                      .reply = found,
                                      .room = sizeof(*found)},
                    0, NET_ANSWER_US);
}

int net_end(struct net *n, int sock, int how)
{
    return net_call(n, &(struct net_ask){.function = how, .sock = sock}, 0, NET_CALL_US);
}

long net_serve(struct net *n, const char *userid, uint16_t port, uint32_t backlog, int *listener)
{
    long rc = net_open(n, userid);

    if (rc != 0)
        return rc;
    rc = net_socket_at(n, port, backlog, listener, 0);
    if (rc != SOCK_EOK)
        net_close(n);
    return rc;
}

const char *net_error(int rc)
{
    switch (rc) {
    case SOCK_EADDRINUSE: return "port in use or reserved";
    case SOCK_EREFUSED:   return "connection refused";
    case SOCK_ERESET:     return "connection reset by the other side";
    case SOCK_ETIMEDOUT:
    case NET_ETIME:       return "no answer in time";
    case SOCK_EUNREACH:   return "network cannot be reached";
    case SOCK_ENOTCONN:   return "not connected";
    case SOCK_ELIMIT:     return "TCPIP has no more of its pools";
    case SOCK_ENOHOST:    return "host name not known";
    case NET_EATTN:       return "halted";
    case NET_EPATH:       return "TCPIP is not there";
    default:              return "call failed";
    }
}
