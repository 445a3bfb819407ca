/* SPDX-License-Identifier: MIT */
/* A router between the LAN and a virtual channel-to-channel pair, at whose other end is a machine
 * with one address. On the LAN TCPIP answers ARP for it. Blocks there are those of Linux' driver
 * ctcm (docs/reference/wire.md). The pair's even device reads, the odd one writes.
 *
 * It works on frames, before the stack and behind it: a stack with one interface stays as it is,
 * and without a peer it costs nothing. No ICMP comes from here, and nothing is cut to another
 * MTU. */
#include "tcpip.h"

#define IN_BLOCK  61440
#define OUT_BLOCK 32768      /* the driver's own buffer, if nobody changes it */
#define OUT_BLOCKS 8
#define LL_HEAD   6          /* of a packet in a block: its length with this, type, 0 */
#define ETH_HEAD  14
#define TYPE_IP   0x0800
#define TYPE_ARP  0x0806
#define IP_MIN    20
#define ARP_FRAME 60
#define ARP_LEN   42
#define NEIGHBOURS 16

struct route_counts route_counts;

static uint8_t in_storage[ETH_HEAD + IN_BLOCK] __attribute__((aligned(8)));
static uint8_t *const in = in_storage + ETH_HEAD; /* a packet's frame begins before its block */
static uint8_t out[OUT_BLOCKS][OUT_BLOCK] __attribute__((aligned(8)));
static uint32_t out_len[OUT_BLOCKS];
static unsigned out_first, out_count;
static bool refused;         /* the peer does not read now: an event tells when it does */

static struct neighbour {
    uint32_t ip;
    uint8_t mac[6];
} neighbours[NEIGHBOURS];
static unsigned oldest;

static uint16_t get16(const uint8_t *p)
{
    return *(const uint16_t *)p;
}

static uint32_t get32(const uint8_t *p)
{
    return *(const uint32_t *)p;
}

static void put16(uint8_t *p, uint16_t v)
{
    *(uint16_t *)p = v;
}

/* As the stack's interface has it. */
static void own_mac(uint8_t mac[6])
{
    put16(mac, 0x0200);
    memcpy(mac + 2, &profile.address, 4);
}

static struct neighbour *neighbour(uint32_t ip)
{
    for (struct neighbour *n = neighbours; n < neighbours + NEIGHBOURS; n++)
        if (n->ip == ip)
            return n;
    return 0;
}

static void learn(uint32_t ip, const uint8_t mac[6])
{
    struct neighbour *n = neighbour(ip);

    if (!n) {
        n = &neighbours[oldest];
        oldest = (oldest + 1) % NEIGHBOURS;
    }
    n->ip = ip;
    memcpy(n->mac, mac, 6);
}

static uint32_t next_hop(uint32_t ip)
{
    return (ip ^ profile.address) & profile.mask ? profile.gateway : ip;
}

/* A frame of ARP; TO 0: to all. */
static void arp(uint8_t *f, uint16_t op, uint32_t sender, const uint8_t *to, uint32_t target)
{
    static const uint8_t head[8] = {0, 1, 0x08, 0x00, 6, 4};

    memset(f, 0, ARP_FRAME);
    memset(f, 0xff, 6);
    own_mac(f + 6);
    put16(f + 12, TYPE_ARP);
    memcpy(f + 14, head, sizeof(head));
    put16(f + 20, op);
    own_mac(f + 22);
    memcpy(f + 28, &sender, 4);
    if (to) {
        memcpy(f, to, 6);
        memcpy(f + 32, to, 6);
    }
    memcpy(f + 38, &target, 4);
}

/* One hop less to go. False: it was the last. */
static bool hop(uint8_t *packet)
{
    uint32_t sum = get16(packet + 10) + 0x100u;

    if (packet[8] < 2)
        return false;
    packet[8]--;
    put16(packet + 10, (uint16_t)(sum + (sum >> 16)));
    return true;
}

uint8_t *route_packet(uint16_t len)
{
    unsigned last = (out_first + out_count + OUT_BLOCKS - 1) % OUT_BLOCKS;

    if (!out_count || out_len[last] + LL_HEAD + len > OUT_BLOCK) {
        if (out_count == OUT_BLOCKS) {
            route_counts.dropped++;
            return 0;
        }
        last = (out_first + out_count++) % OUT_BLOCKS;
        out_len[last] = 2;
    }
    uint8_t *to = out[last] + out_len[last];
    put16(to, (uint16_t)(LL_HEAD + len));
    put16(to + 2, TYPE_IP);
    put16(to + 4, 0);
    out_len[last] += LL_HEAD + len;
    route_counts.to_peer++;
    return to + LL_HEAD;
}

void route_flush(void)
{
    static uint8_t greeting[VCTC_GREETING] = {0, VCTC_GREETING};

    while (out_count && !refused) {
        put16(out[out_first], (uint16_t)out_len[out_first]);
        long rc = diag_vctc(VCTC_WRITE, profile.peer_device + 1, out[out_first],
                            out_len[out_first]);
        if (rc == DIAG_ERANGE)
            rc = diag_vctc(VCTC_WRITE, profile.peer_device + 1, greeting, VCTC_GREETING);
        else if (rc == 0) {
            out_first = (out_first + 1) % OUT_BLOCKS;
            out_count--;
        }
        refused = rc != 0;
    }
}

/* From the peer to the LAN; a neighbour that is not known is asked for, and the packet is lost. */
static void to_lan(uint8_t *packet, uint16_t len)
{
    uint32_t to = next_hop(get32(packet + 16));
    const struct neighbour *n = neighbour(to);
    uint8_t *f;

    if (!hop(packet) || !to)
        return;
    f = link_frame(n ? ETH_HEAD + len : ARP_FRAME);
    if (f && n) {
        memcpy(f, n->mac, 6);
        own_mac(f + 6);
        put16(f + 12, TYPE_IP);
        memcpy(f + ETH_HEAD, packet, len);
        route_counts.from_peer++;
    } else {
        route_counts.dropped++;
        if (f)
            arp(f, 1, profile.address, 0, to);
    }
}

/* The bytes before it are of a packet that has gone. */
static void to_stack(uint8_t *packet, uint16_t len)
{
    uint8_t *f = packet - ETH_HEAD;

    own_mac(f);
    own_mac(f + 6);
    put16(f + 12, TYPE_IP);
    stack_routed(f, ETH_HEAD + len);
    route_counts.from_peer++;
}

static void block_came(uint32_t n)
{
    uint32_t end = get16(in);

    for (uint32_t at = 2; end <= n && at + LL_HEAD + IP_MIN <= end;) {
        uint16_t len = get16(in + at), type = get16(in + at + 2);
        uint8_t *packet = in + at + LL_HEAD;
        if (len < LL_HEAD + IP_MIN || at + len > end)
            break;
        if (type == TYPE_IP && get32(packet + 16) == profile.address)
            to_stack(packet, len - LL_HEAD);
        else if (type == TYPE_IP)
            to_lan(packet, len - LL_HEAD);
        at += len;
    }
    stack_input_ends();
}

void route_event(void)
{
    if (!profile.peer)
        return;
    refused = false;
    route_flush();
    while (link_room(IN_BLOCK / 2)) { /* else EV_CTC_OUT comes */
        long n = diag_vctc(VCTC_READ, profile.peer_device, in, IN_BLOCK);
        if (n < 0)
            return;
        block_came((uint32_t)n & (CTC_MORE - 1));
        if (!(n & CTC_MORE))
            return;
        sockets_settle();
    }
}

void route_start(void)
{
    if (profile.peer && !stack_routes()) {
        say("DTCIPI010E THIS STACK CANNOT ROUTE TO THE HOST OF A SECOND LINK");
        profile.peer = 0;
    }
    route_event();           /* it may wait already */
}

bool route_wants(const uint8_t *f, uint32_t len)
{
    return len >= ETH_HEAD + IP_MIN
           && (get16(f + 12) == TYPE_IP ? get32(f + ETH_HEAD + 16) == profile.peer
                                        : get16(f + 12) == TYPE_ARP && len >= ARP_LEN);
}

/* Of ARP: who asks is known from now on; false: it does not ask for the peer. */
static bool arp_taken(const uint8_t *f)
{
    learn(get32(f + 28), f + 22);
    if (get16(f + 20) != 1 || get32(f + 38) != profile.peer)
        return false;
    uint8_t *to = link_frame(ARP_FRAME);
    if (to)
        arp(to, 2, profile.peer, f + 22, get32(f + 28));
    return true;
}

bool route_takes(uint8_t *f, uint32_t len)
{
    uint8_t *packet = f + ETH_HEAD, *to;
    uint16_t size = get16(packet + 2);

    if (get16(f + 12) == TYPE_ARP)
        return arp_taken(f);
    if (size < IP_MIN || size > len - ETH_HEAD)
        return true;
    learn(next_hop(get32(packet + 12)), f + 6);
    if (hop(packet) && (to = route_packet(size)) != 0)
        memcpy(to, packet, size);
    return true;
}

/* Packets of one block of the LAN's go in one block. Should a frame of it not have come here, they
 * go with the next. */
void route_passed(uint16_t len)
{
    static uint32_t passed;

    passed += 2 + len;
    if (passed + 4 >= link_block_length()) {
        passed = 0;
        route_flush();
    }
}
