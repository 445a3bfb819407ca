/* SPDX-License-Identifier: MIT */
/* Frames to and from lwIP. */
#include "lwip/opt.h"
#if LWIP_IPV4                /* ipv6/link.c */
#include "lwip/etharp.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"
#include "lwip/ip4_frag.h"
#include "netif/ethernet.h"
#include "tcpip.h"
#include "train.h"

#define TCP_HEADS_MAX (SIZEOF_ETH_HDR + IP_HLEN + 60)
#define ROUTED_MAX 32782     /* the longest frame of the wire, aligned */

struct netif link_netif;

/* With what the last packet went to whom. A frame that is no segment may change that. */
#define NEIGHBOUR_MS 500     /* ARP is asked as often, which keeps its entry from growing old */
static struct {
    uint32_t ip, since;
    bool known, sent;
    uint8_t head[SIZEOF_ETH_HDR];
} neighbour;

static inline const struct ip_hdr *ip_of(const struct pbuf *p, uint16_t skip)
{
    return (const struct ip_hdr *)((const uint8_t *)p->payload + skip);
}

static inline bool is_tcp(const struct pbuf *p, uint16_t skip)
{
    const struct ip_hdr *ip = ip_of(p, skip);

    return IPH_PROTO(ip) == IP_PROTO_TCP && IPH_HL(ip) * 4 == IP_HLEN;
}

/* A place in a packet's pieces. */
struct reader {
    const struct pbuf *at;
    uint16_t off;
};

static inline void read_on(struct reader *r, uint8_t *to, uint32_t n)
{
    for (;;) {
        uint32_t here = (uint32_t)(r->at->len - r->off);
        const uint8_t *from = (const uint8_t *)r->at->payload + r->off;
        if (n < here) {
            memcpy(to, from, n);
            r->off = (uint16_t)(r->off + n);
            return;
        }
        memcpy(to, from, here);
        to += here;
        n -= here;
        *r = (struct reader){r->at->next, 0};
        if (!n)
            return;
    }
}

/* IP's checksum, of a header that has none. */
static inline void sum_head(struct ip_hdr *ip, uint32_t sum)
{
    IPH_CHKSUM_SET(ip, lwip_htons((uint16_t)~folded(sum)));
}

/* A frame is a head and the packet, which stands behind SKIP bytes; where it went, or 0. */
static inline uint8_t *put(const uint8_t *head, const struct pbuf *p, uint16_t skip)
{
    uint32_t len = p->tot_len - skip;
    uint8_t *to = link_frame((uint16_t)(SIZEOF_ETH_HDR + len));
    struct reader r = {p, skip};

    if (!to)
        return 0;
    memcpy(to, head, SIZEOF_ETH_HDR);
    read_on(&r, to + SIZEOF_ETH_HDR, len);
    return to + SIZEOF_ETH_HDR;
}

static void sum_packet(struct ip_hdr *ip)
{
    IPH_CHKSUM_SET(ip, 0);
    sum_head(ip, sum_of(0, ip, IPH_HL(ip) * 4u));
}

static err_t put_ip(const uint8_t *head, const struct pbuf *p, uint16_t skip)
{
    struct ip_hdr *ip = (struct ip_hdr *)put(head, p, skip);

    if (!ip)
        return ERR_MEM;
    sum_packet(ip);
    return ERR_OK;
}

/* Bytes of data that a frame of a connection has at most. A SYN that comes again lets lwIP forget
 * that the MTU is less than the other side's MSS. */
static uint32_t piece_of(const struct ip_hdr *ip, const struct tcp_hdr *tcp)
{
    uint32_t heads = IP_HLEN + TCPH_HDRLEN_BYTES(tcp), most = link_netif.mtu - heads;
    const struct tcp_pcb *pcb = train_pcb(ip->src.addr, lwip_ntohs(tcp->src), ip->dest.addr,
                                          lwip_ntohs(tcp->dest));

    return pcb ? LWIP_MIN(most, pcb->mss + IP_HLEN + TCP_HLEN - heads) : most;
}

static uint16_t identification; /* the link's own for segments, as lwIP counts trains */

static EACH_FRAME void sum_segment(struct ip_hdr *ip, uint32_t len)
{
    struct tcp_hdr *tcp = (struct tcp_hdr *)(ip + 1);

    IPH_ID_SET(ip, lwip_htons(identification++));
    IPH_CHKSUM_SET(ip, 0);
    sum_head(ip, sum_of(0, ip, IP_HLEN));
    tcp->chksum = 0;
    tcp->chksum = lwip_htons((uint16_t)~train_sum(train_addresses(ip), tcp, len - IP_HLEN));
}

static err_t put_segment(const uint8_t *head, const struct pbuf *p, uint16_t skip)
{
    struct ip_hdr *ip = (struct ip_hdr *)put(head, p, skip);

    if (!ip)
        return ERR_MEM;
    sum_segment(ip, p->tot_len - skip);
    return ERR_OK;
}

/* The segments of a train behind their first one's heads: what differs is made here, and the
 * checksums of all. */
static err_t put_train(const uint8_t *head, const struct pbuf *p, uint16_t skip, uint32_t heads,
                       uint32_t piece)
{
    uint32_t data = p->tot_len - skip - heads, frames = (data + piece - 1) / piece;
    uint8_t first[TCP_HEADS_MAX];
    struct ip_hdr *ip = (struct ip_hdr *)(first + SIZEOF_ETH_HDR);
    struct tcp_hdr *tcp = (struct tcp_hdr *)(ip + 1);
    struct reader r = {p, skip};

    if (!link_has_room(frames * (2 + SIZEOF_ETH_HDR + heads) + data))
        return ERR_MEM;
    memcpy(first, head, SIZEOF_ETH_HDR);
    read_on(&r, first + SIZEOF_ETH_HDR, heads);
    IPH_LEN_SET(ip, 0);
    IPH_ID_SET(ip, 0);
    IPH_CHKSUM_SET(ip, 0);
    tcp->chksum = 0;
    uint32_t of_ip = sum_of(0, ip, IP_HLEN), of_addresses = train_addresses(ip);
    uint32_t seq = lwip_ntohl(tcp->seqno);
    lwip_stats.tcp.xmit += frames - 1;
    lwip_stats.ip.xmit += frames - 1;
    for (uint32_t n; data; data -= n, seq += n) {
        n = LWIP_MIN(data, piece);
        uint8_t *to = link_frame((uint16_t)(SIZEOF_ETH_HDR + heads + n));
        memcpy(to, first, SIZEOF_ETH_HDR + heads);
        ip = (struct ip_hdr *)(to + SIZEOF_ETH_HDR);
        tcp = (struct tcp_hdr *)(ip + 1);
        IPH_LEN_SET(ip, lwip_htons((uint16_t)(heads + n)));
        IPH_ID_SET(ip, lwip_htons(identification));
        sum_head(ip, plus(of_ip, heads + n + identification));
        identification++;
        tcp->seqno = lwip_htonl(seq);
        if (n < data)
            TCPH_UNSET_FLAG(tcp, TCP_FIN | TCP_PSH);
        read_on(&r, to + SIZEOF_ETH_HDR + heads, n);
        tcp->chksum = lwip_htons((uint16_t)~train_sum(of_addresses, tcp, heads - IP_HLEN + n));
    }
    return ERR_OK;
}

struct lone_ack {            /* a frame that is nothing else */
    uint8_t eth[SIZEOF_ETH_HDR];
    struct ip_hdr ip;
    struct tcp_hdr tcp;
} __attribute__((packed));

/* lwIP acknowledges a train: those that go ahead have the same heads and end of the window. What
 * differs is made here, and the checksums. */
static __attribute__((noinline)) void put_ahead(const uint8_t *head, const struct ip_hdr *ip,
                                                const struct tcp_hdr *tcp)
{
    unsigned count = acks_ahead.count;
    uint8_t scale = acks_ahead.pcb->rcv_scale;
    uint32_t edge = acks_ahead.next + ((uint32_t)lwip_ntohs(tcp->wnd) << scale);

    if (tcp->ackno != lwip_htonl(acks_ahead.next)
        || tcp->src != lwip_htons(acks_ahead.pcb->local_port)
        || tcp->dest != lwip_htons(acks_ahead.pcb->remote_port))
        return;
    acks_ahead.count = 0;
    struct lone_ack first = {.ip = *ip, .tcp = *tcp};
    memcpy(first.eth, head, SIZEOF_ETH_HDR);
    IPH_LEN_SET(&first.ip, PP_HTONS(IP_HLEN + TCP_HLEN));
    IPH_ID_SET(&first.ip, 0);
    IPH_CHKSUM_SET(&first.ip, 0);
    TCPH_HDRLEN_FLAGS_SET(&first.tcp, TCP_HLEN / 4, TCP_ACK);
    first.tcp.ackno = 0;
    first.tcp.wnd = first.tcp.chksum = 0;
    uint32_t of_ip = sum_of(0, &first.ip, IP_HLEN);
    uint32_t of_tcp = sum_of(plus(train_addresses(ip), IP_PROTO_TCP + TCP_HLEN), &first.tcp,
                             TCP_HLEN);
    for (unsigned i = 0; i < count; i++) {
        struct lone_ack *to = (struct lone_ack *)link_frame(sizeof(first));
        if (!to)
            return;
        uint32_t ack = acks_ahead.ack[i], window = LWIP_MIN((edge - ack) >> scale, 0xffff);
        *to = first;
        IPH_ID_SET(&to->ip, lwip_htons(identification));
        sum_head(&to->ip, plus(of_ip, identification));
        identification++;
        to->tcp.ackno = lwip_htonl(ack);
        to->tcp.wnd = lwip_htons((uint16_t)window);
        to->tcp.chksum = lwip_htons((uint16_t)~folded(plus(plus(of_tcp, ack), window)));
        lwip_stats.tcp.xmit++;
        lwip_stats.ip.xmit++;
    }
}

static inline err_t put_tcp(const uint8_t *head, const struct pbuf *p, uint16_t skip)
{
    const struct ip_hdr *ip = ip_of(p, skip);
    const struct tcp_hdr *tcp = (const struct tcp_hdr *)(ip + 1);

    if (acks_ahead.count)
        put_ahead(head, ip, tcp);
    uint32_t heads = IP_HLEN + TCPH_HDRLEN_BYTES(tcp), data = p->tot_len - skip - heads;
    uint32_t piece = data ? piece_of(ip, tcp) : 0;

    return data <= piece ? put_segment(head, p, skip) : put_train(head, p, skip, heads, piece);
}

static inline err_t put_packet(const uint8_t *head, const struct pbuf *p, uint16_t skip)
{
    return is_tcp(p, skip) ? put_tcp(head, p, skip) : put_ip(head, p, skip);
}

/* A whole frame: of ARP, or of a packet whose neighbour ARP was asked for. */
static err_t output(struct netif *n, struct pbuf *p)
{
    const struct eth_hdr *eth = p->payload;

    (void)n;
    neighbour.known = false;
    memcpy(neighbour.head, eth, SIZEOF_ETH_HDR);
    if (eth->type != PP_HTONS(ETHTYPE_IP))
        return put(neighbour.head, p, SIZEOF_ETH_HDR) ? ERR_OK : ERR_MEM;
    neighbour.sent = true;
    return put_packet(neighbour.head, p, SIZEOF_ETH_HDR);
}

/* A packet to an address. Packets go to few: ARP is asked for the first of each row to one address;
 * those behind it have the same header. */
static err_t output_to(struct netif *n, struct pbuf *p, const ip4_addr_t *to)
{
    if (neighbour.known && neighbour.ip == to->addr)
        return put_packet(neighbour.head, p, 0);
    neighbour.sent = false;  /* it stays so when the packet waits for ARP's answer */
    err_t e = etharp_output(n, p, to);
    neighbour.known = neighbour.sent;
    neighbour.ip = to->addr;
    neighbour.since = tcpip_now();
    return e;
}

err_t link_too_long(struct pbuf *p, struct netif *n, const ip4_addr_t *to)
{
    return is_tcp(p, 0) ? n->output(n, p, to) : ip4_frag(p, n, to);
}

void link_asks_again(void)
{
    neighbour.known = false;
}

void link_ages(void)
{
    if (tcpip_now() - neighbour.since >= NEIGHBOUR_MS)
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
    if (is_tcp(p, 0))
        sum_segment((struct ip_hdr *)at, p->tot_len);
    else
        sum_packet((struct ip_hdr *)at);
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
    link_looks(at, len, ethernet_input);
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
    NETIF_SET_CHECKSUM_CTRL(n, LINK_CHECKSUMS);
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
#endif
