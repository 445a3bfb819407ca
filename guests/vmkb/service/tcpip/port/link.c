/* SPDX-License-Identifier: MIT */
/* Frames to and from lwIP. */
#include "lwip/etharp.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"
#include "netif/ethernet.h"
#include "stack.h"
#include "tcpip.h"

#define ROUTED_MAX 32782     /* the longest frame of the wire, aligned */

static struct netif link_netif;

static const uint8_t *whole; /* where the last frame that lwIP made went */

/* With what the last packet went to whom, until the turn's end. */
static struct {
    uint32_t ip;
    bool known;
    uint8_t head[SIZEOF_ETH_HDR];
} neighbour;

/* A frame is HEAD_LEN bytes of HEAD and the packet; where it went, 0: there was no room. */
static inline uint8_t *put(const uint8_t *head, uint16_t head_len, const struct pbuf *p)
{
    uint8_t *to = link_frame(head_len + p->tot_len), *at = to;

    if (!to)
        return 0;
    if (head_len)
        memcpy(at, head, SIZEOF_ETH_HDR);
    at += head_len;
    for (const struct pbuf *q = p; q; q = q->next) {
        memcpy(at, q->payload, q->len);
        at += q->len;
    }
    return to;
}

/* A whole frame: of ARP, or of a packet whose neighbour ARP was asked for. */
static err_t output(struct netif *n, struct pbuf *p)
{
    (void)n;
    whole = put(0, 0, p);
    return whole ? ERR_OK : ERR_MEM;
}

/* A packet to an address. A turn's packets go to few: ARP is asked for the first of each row to one
 * address, which keeps its entry from growing old; those behind it have the same header. */
static err_t output_to(struct netif *n, struct pbuf *p, const ip4_addr_t *to)
{
    if (neighbour.known && neighbour.ip == to->addr)
        return put(neighbour.head, SIZEOF_ETH_HDR, p) ? ERR_OK : ERR_MEM;
    whole = 0;
    err_t e = etharp_output(n, p, to);
    neighbour.known = whole && *(const uint16_t *)(whole + 12) == ETHTYPE_IP;
    if (neighbour.known) {   /* not: ARP was sent, and the packet waits for the answer */
        neighbour.ip = to->addr;
        memcpy(neighbour.head, whole, SIZEOF_ETH_HDR);
    }
    return e;
}

void stack_flushed(void)
{
    neighbour.known = false;
}

bool stack_loops(void)
{
    const struct netif *n = netif_list;

    while (n && !n->loop_first)
        n = n->next;
    if (n)
        netif_poll_all();
    return n != NULL;
}

void stack_frame(const uint8_t *at, uint16_t len)
{
    struct pbuf *p = pbuf_alloc(PBUF_RAW, len, PBUF_POOL);

    if (!p) {
        link_counts.no_buffer++;
        LINK_STATS_INC(link.memerr);
        return;
    }
    for (struct pbuf *q = p; q; q = q->next) {
        memcpy(q->payload, at, q->len);
        at += q->len;
    }
    tcpip_moved += len;
    if (link_netif.input(p, &link_netif) != ERR_OK)
        pbuf_free(p);
}

static void gather(uint8_t *to, const struct pbuf *p)
{
    for (; p; to += p->len, p = p->next)
        memcpy(to, p->payload, p->len);
}

static err_t routed_output(struct netif *n, struct pbuf *p, const ip4_addr_t *to)
{
    if (to->addr != profile.peer)
        return output_to(n, p, to);
    uint8_t *at = route_packet(p->tot_len);
    if (!at)
        return ERR_MEM;
    gather(at, p);
    route_flush();
    return ERR_OK;
}

/* One that is taken is no more than one that is refused: it is freed. */
static err_t routed_input(struct pbuf *p, struct netif *n)
{
    static uint8_t frame[ROUTED_MAX];
    uint16_t len = p->tot_len;
    bool taken = false;

    if (len <= sizeof(frame) && route_wants(p->payload, p->len)) {
        gather(frame, p);
        taken = route_takes(frame, len);
    }
    err_t e = taken ? ERR_USE : ethernet_input(p, n);
    route_passed(len);
    return e;
}

void stack_routed(const uint8_t *at, uint16_t len)
{
    struct pbuf *p = pbuf_alloc(PBUF_RAW, len, PBUF_POOL);

    if (!p) {
        link_counts.no_buffer++;
        return;
    }
    pbuf_take(p, at, len);
    tcpip_moved += len;
    ethernet_input(p, &link_netif);
}

/* The pointers that each frame goes through are there in any case. */
bool stack_routes(void)
{
    link_netif.input = routed_input;
    link_netif.output = routed_output;
    return true;
}

/* The address is made from the IP address, as DECnet made its own: one IP address, one station. */
static err_t setup(struct netif *n)
{
    n->name[0] = 'c';
    n->name[1] = 't';
    n->output = output_to;
    n->linkoutput = output;
    n->mtu = profile.mtu;
    n->hwaddr_len = 6;
    n->hwaddr[0] = 0x02;
    n->hwaddr[1] = 0x00;
    memcpy(n->hwaddr + 2, &profile.address, 4);
    n->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    return ERR_OK;
}

void stack_init(void)
{
    ip4_addr_t a = {profile.address}, m = {profile.mask}, g = {profile.gateway};

    lwip_init();
    lwip_stats.mem.avail = MEM_SIZE; /* of a heap that is not its own lwIP does not know */
    netif_add(&link_netif, &a, &m, &g, 0, setup, ethernet_input);
    netif_set_default(&link_netif);
    netif_set_up(&link_netif);
    netif_set_link_up(&link_netif);
    stack_ping_init();
}
