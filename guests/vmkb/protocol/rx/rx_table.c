/* SPDX-License-Identifier: MIT */
/* The pool of packets and the table of connections. */
#include "rx_internal.h"

#define ALIGN(n) (((n) + 7) & ~(size_t)7)

static size_t stride(const struct rx_config *config)
{
    uint32_t data = config->mtu - RX_IP_UDP - RX_HEADER;

    /* a peer may send the usual size on a link of less, in fragments, and packets of jumbograms are
     * kept singly */
    return ALIGN(sizeof(struct rx_packet) + RX_HEADER
                 + (data > RX_DATA_DEFAULT ? data : RX_DATA_DEFAULT));
}

static size_t datagram_size(const struct rx_config *config)
{
    return ALIGN(RX_HEADER + (size_t)config->jumbo * (RX_JUMBO_DATA + RX_JUMBO_HEADER));
}

size_t rx_packets_for(const struct rx_config *config, unsigned n)
{
    return datagram_size(config) + ALIGN(config->connections * sizeof(struct rx_conn))
           + n * stride(config);
}

bool rx_init(struct rx *rx, const struct rx_ops *ops, void *arg, const struct rx_config *config,
             void *storage, size_t size)
{
    size_t each, first;

    if (config->connections < 1 || config->connections > 1024 || config->mtu < 576
        || config->mtu > 65535 || config->window < 1 || config->window > RX_WINDOW
        || config->whole > RX_WINDOW - config->window
        || config->jumbo < 1 || config->jumbo > 16)
        return false;
    each = stride(config);
    first = rx_packets_for(config, 0);
    if (size < first + each)
        return false;
    memset(rx, 0, sizeof(*rx));
    rx->ops = *ops;
    rx->arg = arg;
    rx->config = *config;
    rx->next = RX_NEVER;
    rx->next_cid = 4;
    rx->datagram = storage;
    rx->conns = (struct rx_conn *)((uint8_t *)storage + datagram_size(config));
    memset(rx->conns, 0, config->connections * sizeof(struct rx_conn));
    rx->packet_size = (uint32_t)(each - sizeof(struct rx_packet) - RX_HEADER);
    for (size_t at = first; at + each <= size; at += each) {
        rx_packet_put(rx, (struct rx_packet *)((uint8_t *)storage + at));
        rx->packets++;
    }
    for (unsigned i = config->connections; i-- > 0;) {
        rx->conns[i].next = rx->free_conns;
        rx->free_conns = &rx->conns[i];
    }
    return true;
}

struct rx_packet *rx_packet_get(struct rx *rx)
{
    struct rx_packet *p = rx->free;

    if (!p)
        return 0;
    rx->free = p->next;
    rx->free_packets--;
    memset(p, 0, sizeof(*p));
    return p;
}

void rx_packet_put(struct rx *rx, struct rx_packet *p)
{
    p->next = rx->free;
    rx->free = p;
    rx->free_packets++;
}

void rx_arm(struct rx *rx, uint64_t at)
{
    if (at < rx->next)
        rx->next = at;
}

static struct rx_conn **bucket(struct rx *rx, uint32_t epoch, uint32_t cid)
{
    uint32_t x = epoch ^ (cid >> 2) * 2654435761u;

    return &rx->hash[(x ^ x >> 16) % RX_HASH];
}

struct rx_conn *rx_find(struct rx *rx, const struct rx_address *from, const struct rx_header *h)
{
    uint32_t cid = h->cid & ~3u;
    bool client = !(h->flags & RX_F_CLIENT);

    for (struct rx_conn *c = *bucket(rx, h->epoch, cid); c; c = c->hash_next)
        if (c->cid == cid && c->epoch == h->epoch && c->client == client
            && ((c->peer.ip == from->ip && c->peer.port == from->port) || h->epoch >> 31))
            return c;
    return 0;
}

static bool busy(const struct rx_conn *c)
{
    for (unsigned i = 0; i < RX_CHANNELS; i++)
        if (c->calls[i].active)
            return true;
    return false;
}

/* The server's connection that has been without a call for longest makes room for another one. */
static bool forget_one(struct rx *rx)
{
    struct rx_conn *oldest = 0;

    for (struct rx_conn *c = rx->all; c; c = c->next)
        if (!c->client && !busy(c) && (!oldest || c->used_at < oldest->used_at))
            oldest = c;
    if (oldest)
        rx_conn_free(rx, oldest);
    return oldest != 0;
}

struct rx_conn *rx_conn_new(struct rx *rx, const struct rx_address *peer, uint32_t epoch,
                            uint32_t cid, uint16_t service, bool client)
{
    uint32_t own = rx->config.mtu - RX_IP_UDP - RX_HEADER;
    struct rx_conn *c, **at = bucket(rx, epoch, cid);

    if (!rx->free_conns && !forget_one(rx)) {
        rx->counts.no_connection++;
        return 0;
    }
    c = rx->free_conns;
    rx->free_conns = c->next;
    memset(c, 0, sizeof(*c));
    c->hash_next = *at;
    *at = c;
    c->next = rx->all;
    rx->all = c;
    c->peer = *peer;
    c->epoch = epoch;
    c->cid = cid;
    c->service = service;
    c->used = 1;
    rx->conns_used++;
    c->client = client;
    c->serial = 1;
    c->data_max = own < RX_DATA_DEFAULT ? own : RX_DATA_DEFAULT;
    c->path_max = ~0u;
    c->jumbo = 1;
    c->peer_window = RX_WINDOW / 4; /* as OpenAFS begins: 16 */
    c->cwnd = RX_CWND_FIRST;
    c->ssthresh = RX_WINDOW;
    c->used_at = rx->now;
    for (unsigned i = 0; i < RX_CHANNELS; i++) {
        c->calls[i].conn = c;
        c->calls[i].channel = (uint8_t)i;
        c->calls[i].first = c->calls[i].next = c->calls[i].made = c->calls[i].want = 1;
    }
    if (!client)
        rx_arm(rx, rx->now + RX_IDLE_US);
    rx->counts.connections++;
    return c;
}

void rx_conn_free(struct rx *rx, struct rx_conn *c)
{
    struct rx_conn **at = bucket(rx, c->epoch, c->cid);

    for (unsigned i = 0; i < RX_CHANNELS; i++)
        rx_call_finish(rx, &c->calls[i]);
    while (*at != c)
        at = &(*at)->hash_next;
    *at = c->hash_next;
    for (at = &rx->all; *at != c;)
        at = &(*at)->next;
    *at = c->next;
    c->used = 0;
    rx->conns_used--;
    c->next = rx->free_conns;
    rx->free_conns = c;
}
