/* SPDX-License-Identifier: MIT */
/* Frames to lwIP. Segments of a block that follow each other on a connection where nothing is
 * missing go to it as one train, which it acknowledges once. The first window of a connection, and
 * what comes after something was lost, is acknowledged as RFC 1122 has it, for each second segment:
 * a sender may let its window grow by acknowledgements (RFC 5681). The link makes these of lwIP's
 * one. */
#include "lwip/opt.h"
#if LWIP_IPV4                /* ipv6/link.c */
#include "lwip/etharp.h"
#include "lwip/ip4.h"
#include "lwip/stats.h"
#include "tcpip.h"
#include "train.h"

#define HEADS (IP_HLEN + TCP_HLEN)
#define TRAIN_BYTES 0xf000   /* with its heads it is an IP packet */

struct packet {
    struct ip_hdr ip;
    struct tcp_hdr tcp;
    uint8_t data[];
} __attribute__((packed));

static struct {
    struct pbuf *first, *last; /* NULL: there is no train */
    struct tcp_pcb *pcb;
    uint32_t next;             /* the sequence number of what may follow */
    uint32_t frames;
    bool by_two;               /* each second one is to be acknowledged */
    uint32_t unacknowledged;   /* then: those since the last that is */
    uint32_t bytes;
    uint32_t room;             /* bytes of the last pbuf that nothing is in */
} train;

struct acks_ahead acks_ahead;

static struct pbuf *copy_of(const void *at, uint32_t len)
{
    const uint8_t *from = at;
    struct pbuf *p = pbuf_alloc(PBUF_RAW, (uint16_t)len, PBUF_POOL);

    if (!p) {
        link_counts.no_buffer++;
        LINK_STATS_INC(link.memerr);
        return NULL;
    }
    for (struct pbuf *q = p; q; q = q->next) {
        memcpy(q->payload, from, q->len);
        from += q->len;
    }
    return p;
}

static void input(struct pbuf *p)
{
    if (ip4_input(p, &link_netif) != ERR_OK)
        pbuf_free(p);
}

/* A segment that is right, of a connection that is there: IP has nothing left to look at. What it
 * tells TCP of a packet it tells as well. */
static void input_tcp(struct pbuf *p)
{
    const struct ip_hdr *ip = p->payload;

    lwip_stats.ip.recv++;
    ip_data = (struct ip_globals){.current_netif = &link_netif,
                                  .current_input_netif = &link_netif,
                                  .current_ip4_header = ip,
                                  .current_ip_header_tot_len = IP_HLEN,
                                  .current_iphdr_src.addr = ip->src.addr,
                                  .current_iphdr_dest.addr = ip->dest.addr};
    p->payload = (void *)(ip + 1);
    p->len -= IP_HLEN;
    p->tot_len -= IP_HLEN;
    tcp_input(p, &link_netif);
    ip_data = (struct ip_globals){0};
}

/* A part of the first train is acknowledged: lwIP tells nobody of it, but its window moves. */
static bool within_train(const struct packet *f, const struct tcp_pcb *pcb)
{
    uint32_t ack = lwip_ntohl(f->tcp.ackno);

    return pcb->unacked && TCP_SEQ_GT(ack, pcb->lastack)
           && TCP_SEQ_LT(ack, lwip_ntohl(pcb->unacked->tcphdr->seqno) + pcb->unacked->len);
}

/* PCB: the connection that it comes to, NULL if there is none. */
static void input_to(const struct tcp_pcb *pcb, struct pbuf *p)
{
    if (!pcb) {
        input(p);
        return;
    }
    bool within = pcb->unsent && within_train(p->payload, pcb);

    input_tcp(p);
    if (within)
        train_push(pcb);
}

void link_looks(const uint8_t *at, uint16_t len, netif_input_fn input)
{
    struct pbuf *p = copy_of(at, len);

    if (!p)
        return;
    link_asks_again();
    NETIF_SET_CHECKSUM_CTRL(&link_netif, LINK_CHECKSUMS | LINK_LOOKS);
    if (input(p, &link_netif) != ERR_OK)
        pbuf_free(p);
    NETIF_SET_CHECKSUM_CTRL(&link_netif, LINK_CHECKSUMS);
}

/* A frame of the train was taken. */
static inline void count_frame(void)
{
    train.frames++;
    if (!train.by_two || ++train.unacknowledged < 2)
        return;
    train.unacknowledged = 0;
    acks_ahead.ack[acks_ahead.count++] = train.next;
}

static void train_ends(void)
{
    struct pbuf *p = train.first;

    train.first = NULL;
    struct packet *f = p->payload;
    uint32_t left = HEADS + train.bytes;
    IPH_LEN_SET(&f->ip, lwip_htons((uint16_t)left));
    for (struct pbuf *q = p; q; q = q->next) {
        q->tot_len = (u16_t)left;
        left -= q->len;
    }
    lwip_stats.tcp.recv += train.frames - 1;
    lwip_stats.ip.recv += train.frames - 1;
    if (train.frames > 1)
        tcp_ack_now(train.pcb);
    if (train.by_two) {
        struct stack_tcp *t = train.pcb->callback_arg;
        t->by_two -= LWIP_MIN(t->by_two, train.bytes);
        acks_ahead.count -= train.unacknowledged == 0; /* the last one is lwIP's own */
        acks_ahead.pcb = train.pcb;
        acks_ahead.next = train.next;
    }
    input_to(train.pcb, p);
    acks_ahead.count = 0;
}

/* FIN stands for one byte in the sequence. */
static inline uint32_t fin_of(const struct packet *f)
{
    return TCPH_FLAGS(&f->tcp) & TCP_FIN;
}
_Static_assert(TCP_FIN == 1, "fin_of");

/* Only an acknowledgement and data, no options, and of the flags none but these. */
static bool plain(const struct packet *f, uint8_t flags)
{
    return TCPH_HDRLEN_BYTES(&f->tcp) == TCP_HLEN
           && (TCPH_FLAGS(&f->tcp) & ~(TCP_PSH | flags)) == TCP_ACK;
}

/* An acknowledgement that lwIP has yet to get: one that follows it in its block may say more. */
static struct {
    struct pbuf *p;          /* NULL: there is none */
    struct tcp_pcb *pcb;
    uint32_t before;         /* what was acknowledged before it */
} held;

static void held_ends(void)
{
    struct pbuf *p = held.p;

    held.p = NULL;
    input_to(held.pcb, p);
}

void stack_input_ends(void)
{
    if (train.first)
        train_ends();
    if (held.p)
        held_ends();
}

/* What lwIP adds to its window for an acknowledgement in slow start. */
static void grow(struct tcp_pcb *pcb, uint32_t acked)
{
#ifdef TF_RTO
    uint32_t most = pcb->flags & TF_RTO ? pcb->mss : 2u * pcb->mss;
    uint32_t by = LWIP_MIN(acked, most);
#else
    uint32_t by = acked ? pcb->mss : 0;
#endif
    if (pcb->cwnd < pcb->ssthresh && pcb->cwnd + by > pcb->cwnd)
        pcb->cwnd += by;
}

/* The frame says all that the acknowledgement does that is held, and more: another one, data or
 * FIN, of LEN in sequence. */
static bool supersedes(const struct packet *f, uint32_t len)
{
    const struct packet *h = held.p->payload;
    uint32_t was = lwip_ntohl(h->tcp.ackno), ack = lwip_ntohl(f->tcp.ackno);

    if (memcmp(&f->ip.src, &h->ip.src, 8) != 0 || memcmp(&f->tcp.src, &h->tcp.src, 4) != 0
        || f->tcp.seqno != h->tcp.seqno || !plain(f, TCP_FIN)
        || !(len ? TCP_SEQ_GEQ(ack, was) : TCP_SEQ_GT(ack, was))
        || TCP_SEQ_GT(ack, held.pcb->snd_nxt))
        return false;
    lwip_stats.tcp.recv++;
    lwip_stats.ip.recv++;
    if (ack == was)
        return true;
    grow(held.pcb, was - held.before);
    held.before = was;
    return true;
}

/* The acknowledgement alone says something new while nothing is missing. */
static bool may_be_held(const struct packet *f, const struct tcp_pcb *pcb)
{
    const struct stack_tcp *t = pcb->callback_arg;
    uint32_t ack = lwip_ntohl(f->tcp.ackno);

    return !behavior_named && pcb->state >= ESTABLISHED && t && t->pcb == pcb && plain(f, 0)
           && !(pcb->flags & TF_INFR) && TCP_SEQ_GT(ack, pcb->lastack)
           && TCP_SEQ_LEQ(ack, pcb->snd_nxt);
}

/* The data goes behind what the train has. False: no storage. */
static bool append(const struct packet *f, uint32_t n)
{
    uint32_t here = LWIP_MIN(n, train.room);
    struct pbuf *rest = NULL;

    if (n > here) {
        rest = copy_of(f->data + here, n - here);
        if (!rest)
            return false;
    }
    memcpy((uint8_t *)train.last->payload + train.last->len, f->data, here);
    train.last->len = (u16_t)(train.last->len + here);
    train.room -= here;
    if (rest) {
        train.last->next = rest;
        while (rest->next)
            rest = rest->next;
        train.last = rest;
        train.room = PBUF_POOL_BUFSIZE - rest->len;
    }
    uint8_t flags = TCPH_FLAGS(&f->tcp) & (TCP_PSH | TCP_FIN);
    train.bytes += n;
    train.next += n + fin_of(f); /* nothing follows FIN */
    count_frame();
    if (flags)
        TCPH_SET_FLAG(&((struct packet *)train.first->payload)->tcp, flags);
    return true;
}

static bool follows(const struct packet *f, uint32_t n)
{
    const struct packet *h = train.first->payload;

    return lwip_ntohl(f->tcp.seqno) == train.next && n && acks_ahead.count < AHEAD_MAX
           && train.bytes + n <= TRAIN_BYTES && plain(f, TCP_FIN)
           && memcmp(&f->ip.src, &h->ip.src, 8) == 0 && memcmp(&f->tcp.src, &h->tcp.src, 4) == 0
           && f->tcp.ackno == h->tcp.ackno && f->tcp.wnd == h->tcp.wnd;
}

/* The frame may begin a train. */
static bool begins(const struct packet *f, struct tcp_pcb *pcb)
{
    struct stack_tcp *t = pcb->callback_arg;

    if (behavior_named || pcb->state < ESTABLISHED || !t || t->pcb != pcb || !plain(f, 0))
        return false;
    if (pcb->ooseq || lwip_ntohl(f->tcp.seqno) != pcb->rcv_nxt) {
        t->by_two = TCP_WND;
        return false;
    }
    train.by_two = t->by_two != 0;
    train.unacknowledged = (pcb->flags & TF_ACK_DELAY) != 0;
    return !pcb->refused_data;
}

/* An acknowledgement that says nothing new may mean that something was lost, or lets more go. */
static void acknowledged(const struct packet *f, struct tcp_pcb *pcb)
{
    uint32_t window = (uint32_t)lwip_ntohs(f->tcp.wnd) << pcb->snd_scale;

    if (lwip_ntohl(f->tcp.ackno) == pcb->lastack) {
        if (pcb->unacked && window == pcb->snd_wnd)
            train_uncouple(pcb);
        train_fit(pcb, pcb->lastack + LWIP_MIN(window, pcb->cwnd));
        train_fit(pcb, pcb->lastack + LWIP_MIN(window, pcb->cwnd + pcb->mss));
    }
    if (TCPH_HDRLEN_BYTES(&f->tcp) != TCP_HLEN)
        train_uncouple(pcb);
}

/* A whole TCP segment for this host without options of IP, in LEN bytes or fewer, and right. */
static bool is_segment(const struct packet *f, uint32_t len)
{
    uint32_t total = lwip_ntohs(IPH_LEN(&f->ip));

    if (f->ip._v_hl != 0x45 || IPH_PROTO(&f->ip) != IP_PROTO_TCP
        || f->ip.dest.addr != profile.address
        || IPH_OFFSET(&f->ip) & PP_HTONS(IP_MF | IP_OFFMASK) || total < HEADS || total > len)
        return false;
    return folded(sum_of(0, f, IP_HLEN)) == 0xffff
           && train_sum(train_addresses(&f->ip), &f->tcp, total - IP_HLEN) == 0xffff;
}

void stack_frame(const uint8_t *at, uint16_t len, bool more)
{
    const struct packet *f = (const struct packet *)(at + SIZEOF_ETH_HDR);

    if (len < SIZEOF_ETH_HDR + HEADS
        || ((const struct eth_hdr *)at)->type != PP_HTONS(ETHTYPE_IP)
        || !is_segment(f, len - SIZEOF_ETH_HDR)) {
        stack_input_ends();
        link_looks(at, len, link_netif.input);
        return;
    }
    uint32_t heads = IP_HLEN + TCPH_HDRLEN_BYTES(&f->tcp), total = lwip_ntohs(IPH_LEN(&f->ip));
    uint32_t n = total > heads ? total - heads : 0;
    if (train.first && follows(f, n) && append(f, n))
        return;
    if (held.p && supersedes(f, n + fin_of(f))) {
        if (!n && !fin_of(f)) {
            memcpy(held.p->payload, f, HEADS);
            return;
        }
        pbuf_free(held.p);
        held.p = NULL;
    }
    if (train.first || held.p)
        stack_input_ends();
    struct tcp_pcb *pcb = train_pcb(f->ip.dest.addr, lwip_ntohs(f->tcp.dest), f->ip.src.addr,
                                    lwip_ntohs(f->tcp.src));
    bool first = pcb && n && more && begins(f, pcb);
    if (pcb && !n)
        acknowledged(f, pcb);
    struct pbuf *p = copy_of(f, total);
    if (!p)
        return;
    if (pcb && !n && more && may_be_held(f, pcb)) {
        held.p = p;
        held.pcb = pcb;
        held.before = pcb->lastack;
        return;
    }
    if (!first) {
        input_to(pcb, p);
        return;
    }
    train.first = train.last = p;
    while (train.last->next)
        train.last = train.last->next;
    train.room = PBUF_POOL_BUFSIZE - train.last->len;
    train.pcb = pcb;
    train.next = lwip_ntohl(f->tcp.seqno) + n;
    train.frames = 0;
    train.bytes = n;
    count_frame();
}
#endif
