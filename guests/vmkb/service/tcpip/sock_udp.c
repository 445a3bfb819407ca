/* SPDX-License-Identifier: MIT */
/* Datagrams of clients. Several go in one message either way: what a message costs is shared by all
 * that is there. */
#include "sock.h"

#define QUEUE     256        /* datagrams of one socket that nobody has read: a power of two */
#define WAITS     8          /* messages of one socket that wait for room on the link */
#define WAIT_MS   1000       /* then they go as well as they can: the link may be down */

struct udp {
    struct stack_udp udp;    /* not alive: free */
    uint16_t path;
    uint8_t dirty;
    struct call recv;        /* the RECVFROM that is held */
    struct {
        void *data;          /* the stack's */
        struct sock_datagram head;
    } queue[QUEUE];
    unsigned first, count;
    uint32_t bytes;
    struct {                 /* SENDTOs and RECVFROMs with datagrams, in order */
        struct iucv_interrupt call;
        uint32_t since;
    } wait[WAITS];
    unsigned waits;
    uint64_t received, dropped, unsent;
};

static struct udp udps[UDPS];
static unsigned dirty_count, waiting; /* waiting: messages of all sockets */

static bool full(const struct udp *u)
{
    return u->count == QUEUE || u->bytes >= SOCK_UNREAD_MAX
           || (u->bytes > RX_KEEP && stack_short_of_input());
}

static void mark(struct udp *u)
{
    dirty_count += !u->dirty;
    u->dirty = 1;
}

void client_datagram(struct stack_udp *of, void *data, uint16_t len, uint32_t ip, uint16_t port)
{
    struct udp *u = (struct udp *)((uintptr_t)of - offsetof(struct udp, udp));

    if (full(u)) {
        u->dropped++;
        stack_datagram_free(data);
        return;
    }
    unsigned i = (u->first + u->count++) % QUEUE;
    u->queue[i].data = data;
    u->queue[i].head = (struct sock_datagram){ip, port, len};
    u->bytes += len;
    mark(u);
}

static void drop_first(struct udp *u)
{
    void *data = u->queue[u->first].data;

    u->bytes -= u->queue[u->first].head.len;
    u->first = (u->first + 1) % QUEUE;
    u->count--;
    stack_datagram_free(data);
}

/* What waits, as much as has room in the reply. */
static void deliver(struct udp *u)
{
    uint32_t room = u->recv.len - (uint32_t)sizeof(struct sock_reply), at = 0;
    int n = 0;

    if (room > SOCK_DATAGRAMS_MAX)
        room = SOCK_DATAGRAMS_MAX;
    while (n < (int)u->count) {
        unsigned i = (u->first + (unsigned)n) % QUEUE;
        uint32_t need = SOCK_DATAGRAM_ROOM(u->queue[i].head.len);
        if (need > room && n == 0) {
            u->dropped++;
            drop_first(u);
            continue;
        }
        if (need > room - at)
            break;
        memcpy(sock_reply_data + at, &u->queue[i].head, sizeof(struct sock_datagram));
        stack_datagram_copy(u->queue[i].data,
                            sock_reply_data + at + sizeof(struct sock_datagram));
        at += need;
        n++;
    }
    if (!n)
        return;
    uint32_t msgid = u->recv.msgid;
    u->recv.msgid = 0;
    if (!sock_reply(u->path, msgid, SOCK_EOK, n, sock_reply_data, at))
        return;              /* taken back: they stay for the next one */
    u->received += (unsigned)n;
    while (n--)
        drop_first(u);
}

void udp_settle(void)
{
    for (struct udp *u = udps; dirty_count; u++)
        if (u->dirty) {
            u->dirty = 0;
            dirty_count--;
            if (stack_udp_lives(&u->udp) && u->recv.msgid && u->count)
                deliver(u);
        }
}

/* The datagrams of a message. How many went out, or an error when none did. */
static int send_all(struct udp *u, const struct iucv_interrupt *i)
{
    static uint8_t in[SOCK_DATAGRAMS_MAX] __attribute__((aligned(8)));
    uint32_t len = sock_take(u->path, i->msgid, in, sizeof(in)), at = 0;
    int n = 0, rc = SOCK_EINVAL;

    while (at + sizeof(struct sock_datagram) <= len) {
        const struct sock_datagram *d = (const struct sock_datagram *)(in + at);
        if (at + sizeof(*d) + d->len > len || !d->ip || !d->port)
            break;
        int e = stack_udp_send(&u->udp, d->ip, d->port, in + at + sizeof(*d), d->len);
        if (e == SOCK_EOK) {
            n++;
        } else {
            u->unsent++;
            rc = e;
        }
        at += SOCK_DATAGRAM_ROOM(d->len);
    }
    return n ? n : rc;
}

static void c_sendto(struct udp *u, const struct iucv_interrupt *i)
{
    int n = i->len <= SOCK_DATAGRAMS_MAX ? send_all(u, i) : SOCK_EINVAL;

    sock_reply(u->path, i->msgid, n < 0 ? n : SOCK_EOK, n < 0 ? 0 : n, 0, 0);
}

static void c_recvfrom(struct udp *u, const struct iucv_interrupt *i)
{
    if (i->reply_len <= sizeof(struct sock_reply) + sizeof(struct sock_datagram)
        || i->len > SOCK_DATAGRAMS_MAX) {
        sock_reply(u->path, i->msgid, SOCK_EINVAL, 0, 0, 0);
        return;
    }
    if (i->len)
        send_all(u, i);      /* what is lost here is lost as anywhere on the way */
    if (u->recv.msgid)
        sock_reply(u->path, u->recv.msgid, SOCK_ECANCELLED, 0, 0, 0);
    u->recv = (struct call){.msgid = i->msgid, .len = i->reply_len};
    if (u->count)
        deliver(u);
}

static void send_or_receive(struct udp *u, const struct iucv_interrupt *i)
{
    if (i->class >> 16 == SOCK_SENDTO)
        c_sendto(u, i);
    else
        c_recvfrom(u, i);
}

/* A program sends faster than the link takes it: its message stays in CP until there is room, which
 * is what holds the program back. */
static void when_there_is_room(struct udp *u, const struct iucv_interrupt *i)
{
    if ((!u->waits && (!i->len || link_room(i->len))) || u->waits == WAITS) {
        send_or_receive(u, i);
        return;
    }
    u->wait[u->waits].call = *i;
    u->wait[u->waits++].since = tcpip_now();
    waiting++;
}

static struct iucv_interrupt first_waiting(struct udp *u)
{
    struct iucv_interrupt i = u->wait[0].call;

    u->waits--;
    waiting--;
    memmove(u->wait, u->wait + 1, u->waits * sizeof(u->wait[0]));
    return i;
}

bool udp_let_go(void)
{
    static unsigned turn;    /* who is next: they take turns */
    bool any = false;

    if (waiting)
        link_flush();        /* what goes out now makes room */
    for (unsigned n = 0; waiting && n < UDPS; n++) {
        struct udp *u = &udps[turn++ % UDPS];
        if (!u->waits
            || (!link_room(u->wait[0].call.len) && tcpip_now() - u->wait[0].since < WAIT_MS))
            continue;
        struct iucv_interrupt i = first_waiting(u);
        send_or_receive(u, &i);
        any = true;
    }
    return any;
}

static void release(struct udp *u)
{
    while (u->waits)
        sock_reply(u->path, first_waiting(u).msgid, SOCK_ECANCELLED, 0, 0, 0);
    while (u->count)
        drop_first(u);
    stack_udp_remove(&u->udp);
}

static int c_udp(uint16_t path)
{
    unsigned i = 0;

    while (i < UDPS && stack_udp_lives(&udps[i].udp))
        i++;
    if (i == UDPS)
        return SOCK_ELIMIT;
    struct udp *u = &udps[i];
    uint8_t dirty = u->dirty;
    *u = (struct udp){.path = path, .dirty = dirty};
    if (!stack_udp_new(&u->udp))
        return SOCK_ELIMIT;
    return UDP_FIRST + (int)i;
}

static int c_bind(struct udp *u, const struct sock_address *a)
{
    if (stack_udp_port(&u->udp))
        return SOCK_EINVAL;
    if (a->port && !port_allowed(a->port, true, client_name(u->path)))
        return SOCK_EADDRINUSE;
    return stack_udp_bind(&u->udp, a->port);
}

void udp_call(uint16_t path, const struct iucv_interrupt *i)
{
    unsigned function = i->class >> 16, n = (i->class & 0xffff) - UDP_FIRST;
    struct sock_address a[2] = {{0, 0, 0}, {0, 0, 0}};
    struct udp *u =
        n < UDPS && stack_udp_lives(&udps[n].udp) && udps[n].path == path ? &udps[n] : 0;
    int rc;

    if (function == SOCK_UDP) {
        rc = c_udp(path);
        sock_reply(path, i->msgid, rc < 0 ? rc : SOCK_EOK, rc, 0, 0);
        return;
    }
    if (!u) {
        sock_reply(path, i->msgid, SOCK_EBADF, 0, 0, 0);
        return;
    }
    switch (function) {
    case SOCK_RECVFROM:
    case SOCK_SENDTO:
        when_there_is_room(u, i);
        return;
    case SOCK_BIND:
        sock_given(path, i, a, sizeof(a[0]));
        rc = c_bind(u, a);
        break;
    case SOCK_NAME:
        a[0] = (struct sock_address){profile.address, stack_udp_port(&u->udp), 0};
        sock_reply(path, i->msgid, SOCK_EOK, profile.mtu, a, sizeof(a));
        return;
    case SOCK_CLOSE:
    case SOCK_ABORT:
        if (u->recv.msgid)
            sock_reply(path, u->recv.msgid, SOCK_ECANCELLED, 0, 0, 0);
        release(u);
        rc = SOCK_EOK;
        break;
    default:
        rc = SOCK_EINVAL;
        break;
    }
    sock_reply(path, i->msgid, rc, 0, 0, 0);
}

void udp_path_gone(uint16_t path)
{
    for (unsigned i = 0; i < UDPS; i++)
        if (stack_udp_lives(&udps[i].udp) && udps[i].path == path)
            release(&udps[i]);
}

unsigned udp_count(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < UDPS; i++)
        n += stack_udp_lives(&udps[i].udp);
    return n;
}

long udp_netstat(uint32_t index, char *line, long size)
{
    char local[24];

    for (unsigned i = 0; i < UDPS; i++) {
        const struct udp *u = &udps[i];
        if (!stack_udp_lives(&u->udp) || index--)
            continue;
        fmt(local, sizeof(local), "*..%u", stack_udp_port(&u->udp));
        long n = fmt(line, (size_t)size, "%-8s %5u %-23s %-23s UDP, %lu IN", client_name(u->path),
                     UDP_FIRST + i, "*",
                     /* 80 columns are the screen's: what is not there is not told */
                     local, u->received);
        if (u->dropped)
            n += fmt(line + n, (size_t)(size - n), ", %lu DROPPED", u->dropped);
        if (u->unsent)
            n += fmt(line + n, (size_t)(size - n), ", %lu NOT SENT", u->unsent);
        return n;
    }
    return 0;
}
