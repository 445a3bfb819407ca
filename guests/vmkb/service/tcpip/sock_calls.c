/* SPDX-License-Identifier: MIT */
/* The calls of socket.h. */
#include "sock.h"

/* PORT statements give a port to one machine; a port that none names is anybody's. */
bool port_allowed(uint16_t port, bool udp, const char *userid)
{
    bool named = false;

    for (unsigned i = 0; i < profile.port_count; i++)
        if (profile.ports[i].port == port && profile.ports[i].udp == udp) {
            named = true;
            if (strcmp(profile.ports[i].userid, userid) == 0)
                return true;
        }
    return !named;
}

uint32_t sock_take(uint16_t path, uint32_t msgid, void *to, uint32_t size)
{
    struct iucv_parm p = {.path = path, .msgid = msgid, .buffer = (uintptr_t)to, .len = size};
    long rc = iucv(IUCV_RECEIVE, &p);

    return rc == IUCV_OK ? size - p.residual : rc == IUCV_ETRUNC ? size : 0;
}

void sock_given(uint16_t path, const struct iucv_interrupt *i, void *to, uint32_t size)
{
    if (i->flags & IUCV_PRMDATA)
        memcpy(to, i->user, size);
    else
        sock_take(path, i->msgid, to, size);
}

static int new_socket(uint16_t path)
{
    struct sock *s = sock_new(path);

    if (!s)
        return SOCK_ELIMIT;
    if (!stack_tcp_new(&s->tcp)) {
        s->state = SOCK_FREE;
        return SOCK_ELIMIT;
    }
    return sock_number(s);
}

static int c_bind(struct sock *s, const struct sock_address *a)
{
    if (s->state != SOCK_NEW)
        return SOCK_EINVAL;
    if (a->port && !port_allowed(a->port, false, client_name(s->path)))
        return SOCK_EADDRINUSE;
    int port = stack_tcp_bind(&s->tcp, a->port);
    if (port < 0)
        return port;
    s->bound_port = (uint16_t)port;
    return SOCK_EOK;
}

struct stack_tcp *client_accepted(struct stack_tcp *listener, uint32_t ip, uint16_t port)
{
    struct sock *l = sock_of(listener), *s = l->waiting_count < BACKLOG ? sock_new(l->path) : 0;

    if (!s)
        return 0;
    s->state = SOCK_OPEN;
    struct sock_address a = {ip, port, 0};
    if (!sock_answer(l, &l->accept, SOCK_EOK, sock_number(s), &a, sizeof(a))) {
        s->queued = 1;
        l->waiting[l->waiting_count++] = (int16_t)sock_number(s);
    }
    return &s->tcp;
}

static int c_listen(struct sock *s, uint32_t backlog)
{
    if (s->state != SOCK_NEW || !s->bound_port)
        return SOCK_EINVAL;
    (void)backlog; /* a stack counts half-open connections; the client's number means others */
    int rc = stack_tcp_listen(&s->tcp);
    if (rc == SOCK_EOK)
        s->state = SOCK_LISTENING;
    return rc;
}

static void c_socket(uint16_t path, const struct iucv_interrupt *i)
{
    struct sock_open o = {{0, 0, 0}, 0, 0};
    int number = new_socket(path);

    if (number < 0 || !i->len) {
        sock_reply(path, i->msgid, number < 0 ? number : SOCK_EOK, number, 0, 0);
        return;
    }
    struct sock *s = &socks[number];
    sock_given(path, i, &o, sizeof(o));
    int rc = c_bind(s, &o.own);
    if (rc == SOCK_EOK && o.backlog)
        rc = c_listen(s, o.backlog);
    if (rc != SOCK_EOK) {
        sock_abort(s);
        sock_reply(path, i->msgid, rc, -1, 0, 0);
        return;
    }
    struct sock_address own = {profile.address, s->bound_port, 0};
    sock_reply(path, i->msgid, SOCK_EOK, number, &own, sizeof(own));
}

static void c_accept(struct sock *s, const struct iucv_interrupt *i)
{
    struct stack_names names;

    /* one at a time; an older one was taken back */
    sock_answer(s, &s->accept, SOCK_ECANCELLED, 0, 0, 0);
    s->accept = (struct call){i->msgid, i->reply_len, false, 0};
    while (s->waiting_count) {
        struct sock *n = &socks[s->waiting[0]];
        s->waiting_count--;
        memmove(s->waiting, s->waiting + 1, s->waiting_count * sizeof(s->waiting[0]));
        if (!stack_tcp_lives(&n->tcp) && !stack_tcp_unread(&n->tcp)) { /* it went while it waited */
            sock_release(n);
            continue; /* its slot is free */
        }
        struct sock_address a = {0, 0, 0};
        if (stack_tcp_lives(&n->tcp)) {
            stack_tcp_names(&n->tcp, &names);
            a = (struct sock_address){names.remote_ip, names.remote_port, 0};
        }
        n->queued = 0;
        sock_answer(s, &s->accept, SOCK_EOK, sock_number(n), &a, sizeof(a));
        return;
    }
}

bool client_connected(struct stack_tcp *t)
{
    struct sock *s = sock_of(t);
    struct sock_address own = {profile.address, s->bound_port, 0};
    struct call c = s->connect;

    s->state = SOCK_OPEN;
    if (c.len) {             /* what it sends, and then no more */
        s->connect.msgid = 0;
        s->unnamed = 0;
        s->send[s->send_count++] = (struct call){c.msgid, c.len, false, 0};
        s->state = SOCK_CLOSING;
        sock_pump(s);
        if (!s->send_count)
            link_expects_call();
        return true;
    }
    if (c.room) {
        s->connect.msgid = 0;
        sock_await(s, &(struct call){c.msgid, c.room, true, 0});
        return true;
    }
    link_expects_call();
    if (!s->unnamed) {
        sock_answer(s, &s->connect, SOCK_EOK, 0, 0, 0);
    } else if (!sock_answer(s, &s->connect, SOCK_EOK, sock_number(s), &own, sizeof(own))) {
        sock_abort(s);       /* the client had taken the call back */
        return false;
    }
    s->unnamed = 0;
    return true;
}

/* LEN bytes are to be sent then; or ROOM: what comes then is part of the answer. */
static int connect_to(struct sock *s, uint32_t msgid, uint32_t address, uint16_t port,
                      uint32_t len, uint32_t room)
{
    if (s->state != SOCK_NEW || !address || !port || len > SOCK_SEND_MAX)
        return SOCK_EINVAL;
    s->connect = (struct call){msgid, len, false, room};
    s->state = SOCK_CONNECTING;
    int rc = stack_tcp_connect(&s->tcp, address, port);
    if (rc != SOCK_EOK) {
        s->state = SOCK_NEW;
        s->connect.msgid = 0;
    }
    return rc;
}

static void c_connect(struct sock *s, const struct iucv_interrupt *i, const struct sock_address *a)
{
    int rc = connect_to(s, i->msgid, a->ip, a->port, 0, 0);

    if (rc != SOCK_EOK)
        sock_reply(s->path, i->msgid, rc, 0, 0, 0);
}

static void c_connect_from(uint16_t path, const struct iucv_interrupt *i)
{
    const uint32_t named = sizeof(struct sock_reply) + sizeof(struct sock_address);
    struct sock_connection c = {0, 0, 0};
    int number = new_socket(path), rc = number;
    uint32_t more = i->flags & IUCV_PRMDATA || i->len < sizeof(c) ? 0 : i->len - sizeof(c);
    uint32_t room = i->reply_len > named ? i->reply_len - sizeof(struct sock_address) : 0;

    sock_given(path, i, &c, sizeof(c));
    if (number >= 0) {
        struct sock *s = &socks[number];
        rc = c_bind(s, &(struct sock_address){0, c.own_port, 0});
        if (rc == SOCK_EOK)
            rc = connect_to(s, i->msgid, c.ip, c.port, more, room);
        s->unnamed = 1;
        if (rc == SOCK_EOK)
            return;
        sock_abort(s);
    }
    sock_reply(path, i->msgid, rc, -1, 0, 0);
}

bool sock_given_up(const struct sock *s)
{
    const struct call *c = s->recv_count ? &s->recv[0] : &s->connect;
    struct iucv_parm p = {.path = s->path, .msgid = c->msgid};

    return s->unnamed && iucv(IUCV_RECEIVE, &p) == IUCV_ENOMSG;
}

/* ROOM: of RECV that sends first. */
static void c_send(struct sock *s, const struct iucv_interrupt *i, bool all, uint32_t room)
{
    int rc = s->error ? s->error : s->state != SOCK_OPEN || s->shut ? SOCK_ENOTCONN
             : i->len == 0 || i->len > SOCK_SEND_MAX           ? SOCK_EINVAL
             : s->send_count == SEND_QUEUE                     ? SOCK_ELIMIT
                                                               : SOCK_EOK;
    if (rc != SOCK_EOK) {
        sock_reply(s->path, i->msgid, rc, 0, 0, 0);
        return;
    }
    s->send[s->send_count++] = (struct call){i->msgid, i->len, all, room};
    sock_pump(s);
}

/* What is sent says that another socket of its client is done with. */
static void close_before(uint16_t path, uint32_t number)
{
    struct sock *s = sock_find(path, number);

    if (s)
        sock_close(s);
}

static void c_recv(struct sock *s, const struct iucv_interrupt *i, bool all)
{
    if (i->reply_len <= sizeof(struct sock_reply) || s->state == SOCK_LISTENING
        || s->state == SOCK_NEW)
        sock_reply(s->path, i->msgid, SOCK_ENOTCONN, 0, 0, 0);
    else if (i->len)
        c_send(s, i, all, i->reply_len);
    else
        sock_await(s, &(struct call){i->msgid, i->reply_len, all, 0});
}

static void c_name(struct sock *s, const struct iucv_interrupt *i)
{
    struct sock_address a[2] = {{profile.address, s->bound_port, 0}, {0, 0, 0}};

    if (stack_tcp_lives(&s->tcp) && s->state != SOCK_LISTENING) {
        struct stack_names names;
        stack_tcp_names(&s->tcp, &names);
        a[0] = (struct sock_address){names.local_ip, names.local_port, OVER_IPV6};
        a[1] = (struct sock_address){names.remote_ip, names.remote_port, OVER_IPV6};
    }
    sock_reply(s->path, i->msgid, SOCK_EOK, 0, a, sizeof(a));
}

static int c_shutdown(struct sock *s)
{
    if (s->state != SOCK_OPEN || !stack_tcp_lives(&s->tcp))
        return SOCK_ENOTCONN;
    s->shut = 1;
    sock_pump(s);            /* FIN goes behind the last byte, when TCP has that */
    return SOCK_EOK;
}

static void c_netstat(uint16_t path, const struct iucv_interrupt *i, const uint32_t what[2])
{
    char line[132];
    long n = sockets_netstat(what[0], what[1], line, sizeof(line));

    sock_reply(path, i->msgid, SOCK_EOK, n > 0, line, n > 0 ? (uint32_t)n : 0);
}

static void c_resolve(uint16_t path, uint32_t msgid, char *name, uint32_t len)
{
    struct sock_address a = {0, 0, 0};

    name[len < 63 ? len : 63] = 0;
    int found = hosts_find(name, &a.ip);
    sock_reply(path, msgid, found ? SOCK_EOK : SOCK_ENOHOST, found, &a, sizeof(a));
}

/* Calls that need no socket. False: not one of them. */
static bool general(uint16_t path, unsigned function, const struct iucv_interrupt *i)
{
    union {
        uint32_t words[2];
        struct sock_address address;
        char text[64];
    } data;
    uint32_t n;

    switch (function) {
    case SOCK_SOCKET:
        c_socket(path, i);
        return true;
    case SOCK_CONNECT_FROM:
        c_connect_from(path, i);
        return true;
    case SOCK_LEVEL:
        sock_reply(path, i->msgid, SOCK_EOK, 0, STACK_LEVEL, sizeof(STACK_LEVEL) - 1);
        return true;
    case SOCK_RESOLVE:
        n = sock_take(path, i->msgid, data.text, sizeof(data.text) - 1);
        c_resolve(path, i->msgid, data.text, n);
        return true;
    case SOCK_NETSTAT:
        n = sock_take(path, i->msgid, data.words, sizeof(data.words));
        c_netstat(path, i, data.words);
        return true;
    case SOCK_PING:
        n = sock_take(path, i->msgid, &data.address, sizeof(data.address));
        ping_start(path, i->msgid, &data.address);
        return true;
    default:
        return false;
    }
}

void sock_call(uint16_t path, const struct iucv_interrupt *i)
{
    unsigned function = i->class >> 16;
    struct sock_address a = {0, 0, 0};
    uint32_t word = 0;

    if (function == SOCK_UDP || ((i->class & 0xffff) >= UDP_FIRST && function <= SOCK_RECVFROM)) {
        udp_call(path, i);
        return;
    }
    if (general(path, function, i))
        return;
    struct sock *s = sock_find(path, i->class & 0xffff);
    if (!s) {
        sock_reply(path, i->msgid, SOCK_EBADF, 0, 0, 0);
        return;
    }
    if (i->source_class)
        close_before(path, i->source_class - 1);
    switch (function) {
    case SOCK_BIND:
        sock_given(path, i, &a, sizeof(a));
        sock_reply(path, i->msgid, c_bind(s, &a), 0, 0, 0);
        break;
    case SOCK_LISTEN:
        sock_given(path, i, &word, sizeof(word));
        sock_reply(path, i->msgid, c_listen(s, word), 0, 0, 0);
        break;
    case SOCK_ACCEPT:
        if (s->state != SOCK_LISTENING)
            sock_reply(path, i->msgid, SOCK_EINVAL, 0, 0, 0);
        else
            c_accept(s, i);
        break;
    case SOCK_CONNECT:
        sock_given(path, i, &a, sizeof(a));
        c_connect(s, i, &a);
        break;
    case SOCK_SEND:  c_send(s, i, false, 0); break;
    case SOCK_RECV:  c_recv(s, i, false); break;
    case SOCK_RECV_ALL: c_recv(s, i, true); break;
    case SOCK_NAME:  c_name(s, i); break;
    case SOCK_SHUTDOWN:
        sock_reply(path, i->msgid, c_shutdown(s), 0, 0, 0);
        break;
    case SOCK_CLOSE:
        sock_close(s);
        sock_reply(path, i->msgid, SOCK_EOK, 0, 0, 0);
        break;
    case SOCK_ABORT:
        sock_abort(s);
        sock_reply(path, i->msgid, SOCK_EOK, 0, 0, 0);
        break;
    default:
        sock_reply(path, i->msgid, SOCK_EINVAL, 0, 0, 0);
        break;
    }
}
