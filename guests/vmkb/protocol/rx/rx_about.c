/* SPDX-License-Identifier: MIT */
/* What anybody may ask an Rx port: VERSION, a text, and DEBUG, counters, connections and peers as
 * rxdebug shows them. */
#include "rx_internal.h"

enum { ASK_STATS = 1, ASK_BUSY_CONNS = 2, ASK_CONNS = 3, ASK_COUNTS = 4, ASK_PEERS = 5 };
enum { STATE_NONE = 0, STATE_ACTIVE = 2, STATE_DALLY = 3 };
enum { MODE_SENDING = 1, MODE_RECEIVING = 2, MODE_ERROR = 3 };

#define STATS_BYTES 56
#define CONN_BYTES  176
#define COUNT_WORDS 71
#define PEER_BYTES  132
/* no record of that number: rxdebug looks for it in the place of the cid */
#define DEBUG_END   0xffffffffu
#define DEBUG_WHAT  0xfffffff8u   /* no such kind of record */

static void answer(struct rx *rx, const struct rx_address *to, const struct rx_header *h,
                   const uint8_t *body, uint32_t len)
{
    uint8_t packet[RX_HEADER + 4 * COUNT_WORDS];
    struct rx_header a = *h;

    a.flags &= (uint8_t)~RX_F_CLIENT;
    rx_header_put(packet, &a);
    memcpy(packet + RX_HEADER, body, len);
    rx->counts.packets_out++;
    rx->ops.send(rx->arg, to, packet, RX_HEADER + len);
}

void rx_version_in(struct rx *rx, const struct rx_address *from, const struct rx_header *h)
{
    uint8_t text[RX_VERSION_BYTES] = {0};

    if (!(h->flags & RX_F_CLIENT))
        return;              /* an answer; nobody here asks */
    for (unsigned i = 0; i < RX_VERSION_BYTES - 1 && rx->config.version[i]; i++)
        text[i] = (uint8_t)rx->config.version[i];
    answer(rx, from, h, text, sizeof(text));
}

static void stats(struct rx *rx, const struct rx_address *to, const struct rx_header *h)
{
    uint8_t b[STATS_BYTES] = {0};

    rx_put32(b, rx->free_packets);
    rx_put32(b + 8, (uint32_t)rx->counts.calls_done);
    b[12] = rx->starved;
    b[14] = 0x53;            /* the layout of all this: version S */
    rx_put32(b + 20, 1);     /* threads that are idle: a call never waits for one */
    rx_put32(b + 28, rx->packets);
    answer(rx, to, h, b, sizeof(b));
}

static bool any_active(const struct rx_conn *c)
{
    for (unsigned i = 0; i < RX_CHANNELS; i++)
        if (c->calls[i].active)
            return true;
    return false;
}

static void connection(struct rx *rx, const struct rx_address *to, const struct rx_header *h,
                       const struct rx_conn *c)
{
    uint8_t b[CONN_BYTES] = {0};

    rx_put32(b, c->peer.ip);
    rx_put32(b + 4, c->cid);
    rx_put32(b + 8, c->serial);
    rx_put32(b + 28, (uint32_t)c->error);
    rx_put16(b + 32, c->peer.port);
    b[35] = !c->client;
    for (unsigned i = 0; i < RX_CHANNELS; i++) {
        const struct rx_call *call = &c->calls[i];
        bool receiving = call->last == 0 || call->want <= call->last;
        rx_put32(b + 12 + 4 * i, call->number);
        b[40 + i] = call->active ? STATE_ACTIVE : call->number ? STATE_DALLY : STATE_NONE;
        b[44 + i] = call->error              ? MODE_ERROR
                    : receiving != c->client ? MODE_RECEIVING
                                             : MODE_SENDING;
    }
    b[56] = 1;               /* security: null */
    rx_put32(b + 132, c->epoch);
    rx_put32(b + 136, c->data_max + RX_HEADER);
    answer(rx, to, h, b, sizeof(b));
}

/* What was counted, in the places of OpenAFS's list; what is not counted here is 0. */
static void counts(struct rx *rx, const struct rx_address *to, const struct rx_header *h)
{
    const struct rx_counts *n = &rx->counts;
    uint32_t conns[2] = {0, 0};
    uint8_t b[4 * COUNT_WORDS] = {0};

    for (const struct rx_conn *c = rx->all; c; c = c->next)
        conns[c->client]++;
    const struct {
        uint8_t at;
        uint64_t value;
    } known[] = {{5, n->malformed},   {8, n->no_space},     {11, n->data_in},
                 {12, n->acks_in},    {13, n->busies_in},   {14, n->aborts_in},
                 {16, n->challenges}, {24, n->data_in - n->duplicates},
                 {25, n->acks_in},    {26, n->duplicates},  {27, n->stale + n->unknown},
                 {28, n->data_out},   {29, n->acks_out},    {30, n->busies_out},
                 {31, n->aborts_out}, {41, n->acks_out},    {42, n->pings_out},
                 {43, n->aborts_out}, {44, n->busies_out},  {45, n->data_out - n->resent},
                 {46, n->resent},     {47, n->fast_resent}, {56, conns[0]},
                 {57, conns[1]}};
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        rx_put32(b + 4 * known[i].at, (uint32_t)known[i].value);
    answer(rx, to, h, b, sizeof(b));
}

static bool same_peer(const struct rx_conn *a, const struct rx_conn *b)
{
    return a->peer.ip == b->peer.ip && a->peer.port == b->peer.port;
}

/* The other side of a connection, and what is known of the way to it. Packets are not counted for
 * each. */
static void peer(struct rx *rx, const struct rx_address *to, const struct rx_header *h,
                 const struct rx_conn *c)
{
    uint8_t b[PEER_BYTES] = {0};
    uint16_t conns = 0, own = (uint16_t)(rx->config.mtu - RX_IP_UDP);

    for (const struct rx_conn *k = rx->all; k; k = k->next)
        conns += same_peer(k, c);
    rx_put32(b, c->peer.ip);
    rx_put16(b + 4, c->peer.port);
    rx_put16(b + 6, own);
    rx_put16(b + 12, conns);
    rx_put32(b + 24, (uint32_t)(c->srtt * 8 / 1000)); /* eighths and quarters of milliseconds */
    rx_put32(b + 28, (uint32_t)(c->rttvar * 4 / 1000));
    rx_put16(b + 60, (uint16_t)(c->data_max + RX_HEADER));
    rx_put16(b + 62, own);
    rx_put16(b + 64, (uint16_t)c->jumbo);
    rx_put16(b + 66, (uint16_t)rx->config.jumbo);
    rx_put16(b + 68, (uint16_t)(c->data_max + RX_HEADER));
    rx_put16(b + 70, (uint16_t)c->cwnd);
    answer(rx, to, h, b, sizeof(b));
}

static bool is_first_to_its_peer(const struct rx *rx, const struct rx_conn *c)
{
    const struct rx_conn *k = rx->all;

    while (k != c && !same_peer(k, c))
        k = k->next;
    return k == c;
}

static void peers(struct rx *rx, const struct rx_address *to, const struct rx_header *h,
                  uint32_t index)
{
    uint8_t none[PEER_BYTES] = {0};

    for (const struct rx_conn *c = rx->all; c; c = c->next)
        if (is_first_to_its_peer(rx, c) && index-- == 0) {
            peer(rx, to, h, c);
            return;
        }
    rx_put32(none, DEBUG_END);
    answer(rx, to, h, none, sizeof(none));
}

void rx_debug_in(struct rx *rx, const struct rx_address *from, const struct rx_header *h,
                 const uint8_t *body, uint32_t len)
{
    uint8_t none[CONN_BYTES] = {0};

    if (!(h->flags & RX_F_CLIENT) || len < 8)
        return;
    uint32_t what = rx_get32(body), index = rx_get32(body + 4);
    if (what == ASK_STATS) {
        stats(rx, from, h);
        return;
    }
    if (what == ASK_COUNTS) {
        counts(rx, from, h);
        return;
    }
    if (what == ASK_PEERS) {
        peers(rx, from, h, index);
        return;
    }
    if (what == ASK_BUSY_CONNS || what == ASK_CONNS)
        for (const struct rx_conn *c = rx->all; c; c = c->next)
            if ((what == ASK_CONNS || any_active(c)) && index-- == 0) {
                connection(rx, from, h, c);
                return;
            }
    if (what == ASK_BUSY_CONNS || what == ASK_CONNS) {
        rx_put32(none, DEBUG_END);
        rx_put32(none + 4, DEBUG_END);
        answer(rx, from, h, none, CONN_BYTES);
    } else {
        rx_put32(none, DEBUG_WHAT);
        answer(rx, from, h, none, 8);
    }
}
