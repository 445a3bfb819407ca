/* SPDX-License-Identifier: MIT */
/* ECHO host bytes count [connections] [(NEW]: sends messages of so many bytes to a host's echo
 * service, each when the one before on its connection has come back, count in all; NEW: each over a
 * connection of its own. ECHO SERVE: is that service, until HX. Return codes: 0; 24 usage; 100 the
 * host or TCPIP was not reached; 101 a connection was lost; 102 other bytes came back; 104. */
#include "cms_net.h"
#include "commands.h"

#define ECHO_PORT 7
#define BYTES_MAX 16384 /* both sides have room for all of it: nobody waits for who waits for him */
#define COUNT_MAX 1000000
#define ENDS_MAX  64
#define ACCEPTING (ENDS_MAX + 1) /* the tag of that call; a connection's is its place and 1 */
#define IDLE_US   60000000       /* what clients may be silent when others wait */

struct message {
    struct sock_reply head;
    uint8_t data[];
};

enum doing { CONNECTING, SENDING, RECEIVING, CLOSING };

struct end {                 /* a connection; one call for it is under way */
    int sock;                /* -1: none */
    enum doing doing;
    uint32_t got;            /* bytes of the message that have come back */
    uint32_t trips;
    struct sock_reply said;
    uint8_t *sent;
    struct message *in;
};

struct echo {
    struct net net;
    struct end end[ENDS_MAX];
    uint32_t ends, connected;
    uint32_t bytes, count, begun, done;
    bool fresh;              /* a connection for each message */
    const char *host;        /* 0: this is the service */
    struct sock_connection to;
    uint64_t since;
    struct {
        struct sock_reply head;
        struct sock_address peer;
    } accepted __attribute__((aligned(8)));
};

static uint64_t now_us(void)
{
    uint64_t t;
    __asm__ volatile("stckf %0" : "=Q"(t) : : "cc");
    return t >> 12;
}

static bool room_for(struct end *x, uint32_t bytes)
{
    if (!x->in)
        x->in = cms_alloc(sizeof(*x->in) + bytes);
    return x->in;
}

/* Starts the next call for a connection; `len`: of the data that it sends, or that it has room
 * for. */
static int go(struct echo *e, struct end *x, enum doing doing, const void *data, uint32_t len)
{
    struct net_ask ask = {.sock = x->sock, .reply = &x->said, .room = sizeof(x->said)};

    switch (doing) {
    case CONNECTING:
        ask = (struct net_ask){.function = SOCK_CONNECT_FROM, .data = &e->to, .len = sizeof(e->to)};
        ask.reply = x->in;
        ask.room = (uint32_t)sizeof(*x->in) + len;
        break;
    case SENDING:
        ask.function = SOCK_SEND;
        ask.data = data;
        ask.len = len;
        break;
    case RECEIVING:
        ask.function = e->host ? SOCK_RECV_ALL : SOCK_RECV;
        ask.reply = x->in;
        ask.room = (uint32_t)sizeof(*x->in) + len;
        break;
    case CLOSING:
        ask.function = SOCK_CLOSE;
        break;
    }
    x->doing = doing;
    return net_later(&e->net, &ask, (uint32_t)(x - e->end) + 1) == 0 ? 0 : NET_EPATH;
}

static int lost(int rc)
{
    return cms_error(101, "DMSECH112E The connection was lost: %s", net_error(rc));
}

static int unreached(const struct echo *e, int rc)
{
    return cms_error(100, "DMSECH111E Unable to connect to %s: %s", e->host, net_error(rc));
}

/* Whether there is a message left, which is the caller's then. */
static bool more(struct echo *e)
{
    return e->begun < e->count && ++e->begun;
}

static int connect(struct echo *e, struct end *x)
{
    return go(e, x, CONNECTING, 0, sizeof(struct sock_address));
}

/* No two messages in a row are the same. */
static int send(struct echo *e, struct end *x)
{
    x->sent[x->trips++ % e->bytes]++;
    x->got = 0;
    return go(e, x, SENDING, x->sent, e->bytes);
}

/* A message, or a piece of it, is back. A return code, after a message. */
static int came_back(struct echo *e, struct end *x, const struct net_done *d)
{
    if (memcmp(x->sent + x->got, x->in->data, d->len) != 0)
        return cms_error(102, "DMSECH113E Other bytes came back");
    x->got += d->len;
    if (d->rc == SOCK_LAST || d->len == 0)
        return cms_error(101,
                         "DMSECH115E The other side closed the connection after %u of %u bytes",
                         x->got, e->bytes);
    int rc = 0;
    if (x->got < e->bytes) {
        rc = go(e, x, RECEIVING, 0, e->bytes - x->got);
    } else {
        e->done++;
        if (e->fresh)
            rc = go(e, x, CLOSING, 0, 0);
        else if (more(e))
            rc = send(e, x);
    }
    return rc ? lost(rc) : 0;
}

/* All connections are there: that they were made is not timed. */
static int start(struct echo *e)
{
    int rc = 0;

    e->since = now_us();
    for (unsigned i = 0; rc == 0 && i < e->ends && more(e); i++)
        rc = send(e, &e->end[i]);
    return rc;
}

/* A call for a connection has ended: the next one. A return code, after a message. */
static int next(struct echo *e, struct end *x, const struct net_done *d)
{
    int rc = 0;

    if (d->rc != SOCK_EOK && !(x->doing == RECEIVING && d->rc == SOCK_LAST))
        return x->doing == CONNECTING ? unreached(e, d->rc) : lost(d->rc);
    switch (x->doing) {
    case CONNECTING:
        x->sock = d->value;
        e->connected++;
        if (e->fresh)
            rc = send(e, x);
        else if (e->connected == e->ends)
            rc = start(e);
        break;
    case SENDING:
        rc = go(e, x, RECEIVING, 0, e->bytes);
        break;
    case RECEIVING:
        return came_back(e, x, d);
    case CLOSING:
        x->sock = -1;
        e->connected--;
        if (more(e))
            rc = connect(e, x);
        break;
    }
    return rc ? lost(rc) : 0;
}

/* Nothing has ended in time. */
static int silent(const struct echo *e, int rc)
{
    for (unsigned i = 0; i < e->ends; i++)
        if (e->end[i].doing == CONNECTING)
            return unreached(e, rc);
    return rc == NET_ETIME ? cms_error(101, "DMSECH114E No answer in time") : lost(rc);
}

static int ask(struct echo *e)
{
    struct net_found found;
    struct net_done d;
    int rc = net_resolve(&e->net, e->host, &found);

    if (rc != SOCK_EOK)
        return unreached(e, rc);
    e->to = (struct sock_connection){.ip = found.a.ip, .port = ECHO_PORT};
    e->since = now_us();
    for (unsigned i = 0; rc == 0 && i < e->ends && (!e->fresh || more(e)); i++)
        rc = connect(e, &e->end[i]);
    if (rc)
        return unreached(e, rc);
    while (rc == 0 && (e->done < e->count || (e->fresh && e->connected)))
        rc = net_wait(&e->net, &d, NET_ANSWER_US) ? next(e, &e->end[d.tag - 1], &d)
                                                  : silent(e, d.rc);
    uint64_t us = now_us() - e->since;
    for (unsigned i = 0; i < e->ends; i++)
        if (e->end[i].sock >= 0)
            net_end(&e->net, e->end[i].sock, SOCK_CLOSE);
    if (rc == 0)
        cms_say("ECHO: %u round trips of %u bytes in %lu microseconds", e->count, e->bytes, us);
    return rc;
}

/* A connection that nobody has yet; 0: none, or no storage for it. */
static struct end *free_end(struct echo *e)
{
    for (unsigned i = 0; i < ENDS_MAX; i++)
        if (e->end[i].sock < 0)
            return room_for(&e->end[i], BYTES_MAX) ? &e->end[i] : 0;
    return 0;
}

/* All that comes on a connection goes back, until its other side has closed it. */
static int answer(struct echo *e, struct end *x, const struct net_done *d)
{
    if (x->doing == CLOSING) {
        x->sock = -1;
        return 0;
    }
    if (d->rc != SOCK_EOK || (x->doing == RECEIVING && d->value == 0))
        return go(e, x, CLOSING, 0, 0);
    if (x->doing == RECEIVING)
        return go(e, x, SENDING, x->in->data, (uint32_t)d->value);
    return go(e, x, RECEIVING, 0, BYTES_MAX);
}

static int serve(struct echo *e)
{
    int listener, rc = 0;
    bool accepting = false;
    struct net_done d;
    long opened = net_serve(&e->net, "TCPIP", ECHO_PORT, ENDS_MAX, &listener);
    const struct net_ask accept = {.function = SOCK_ACCEPT,
                                   .sock = listener,
                                   .reply = &e->accepted,
                                   .room = sizeof(e->accepted)};

    if (opened != 0)
        return cms_error(100, "DMSECH110E No port %u from TCPIP: code %ld", ECHO_PORT, opened);
    cms_say("ECHO: ready on port %u", ECHO_PORT);
    while (rc == 0 && !cms_halted() && e->net.open) {
        struct end *x = free_end(e);
        if (x && !accepting)
            accepting = net_later(&e->net, &accept, ACCEPTING) == 0;
        if (!net_wait(&e->net, &d, x ? 0 : IDLE_US)) {
            for (unsigned i = 0; d.rc == NET_ETIME && i < ENDS_MAX; i++) {
                net_cancel(&e->net, i + 1);
                go(e, &e->end[i], CLOSING, 0, 0);
            }
        } else if (d.tag != ACCEPTING) {
            rc = answer(e, &e->end[d.tag - 1], &d);
        } else {
            accepting = false;
            if (d.rc == SOCK_EOK && (x = free_end(e)) != 0) {
                x->sock = d.value;
                rc = go(e, x, RECEIVING, 0, BYTES_MAX);
            }
        }
    }
    net_close(&e->net);
    return cms_halted() ? 0 : lost(NET_EPATH);
}

/* What a client of so many bytes needs. */
static bool room_to_ask(struct echo *e)
{
    for (unsigned i = 0; i < e->ends; i++) {
        struct end *x = &e->end[i];
        uint32_t reply = sizeof(struct sock_address);
        if (!room_for(x, e->bytes > reply ? e->bytes : reply) || !(x->sent = cms_alloc(e->bytes)))
            return false;
        for (uint32_t k = 0; k < e->bytes; k++)
            x->sent[k] = (uint8_t)(k * 7 + k / 256);
    }
    return true;
}

/* False: it is no such command. */
static bool understood(const struct cms_arg *arg, struct echo *e)
{
    e->host = arg->word[0];
    e->ends = 1;
    e->fresh = arg->options == 1 && cms_is(arg->option[0], "NEW", 3);
    return (arg->n == 3 || (arg->n == 4 && cms_number(arg->word[3], &e->ends)))
        && arg->options == e->fresh && cms_number(arg->word[1], &e->bytes)
        && cms_number(arg->word[2], &e->count) && e->bytes >= 1 && e->bytes <= BYTES_MAX
        && e->count >= e->ends && e->count <= COUNT_MAX && e->ends >= 1 && e->ends <= ENDS_MAX;
}

CMS_COMMAND("ECHO", 4, cmd_echo);
int cmd_echo(struct cms_arg *arg)
{
    struct echo *e = cms_alloc(sizeof(*e));

    if (!e)
        return cms_error(104, "DMSECH109S Virtual storage capacity exceeded");
    memset(e, 0, sizeof(*e));
    for (unsigned i = 0; i < ENDS_MAX; i++)
        e->end[i].sock = -1;
    if (arg->n == 1 && arg->options == 0 && cms_is(arg->word[0], "SERVE", 5))
        return serve(e);
    if (!understood(arg, e))
        return cms_error(24,
                         "DMSECH029E Use ECHO host bytes count [connections] [(NEW], with 1 to %u"
                         " bytes, at most %u of them and %u connections, or ECHO SERVE",
                         BYTES_MAX, COUNT_MAX, ENDS_MAX);
    if (!room_to_ask(e))
        return cms_error(104, "DMSECH109S Virtual storage capacity exceeded");
    int rc = tcpip_open("ECH", &e->net);
    if (rc != 0)
        return rc;
    rc = ask(e);
    net_close(&e->net);
    return rc;
}
