/* SPDX-License-Identifier: MIT */
/* Trains: segments of one connection that lwIP has as one, out to the link (train.c) and in from it
 * (gather.c). On the wire each is a frame of its own, of at most the MSS. */
#ifndef VMKB_TRAIN_H
#define VMKB_TRAIN_H
#include "../cksm.h"
#include "lwip/prot/ip4.h"
#include "lwip/priv/tcp_priv.h"
#include "tcpip.h"

/* A version whose IP does not ask the link what to do with a long packet sends none, nor does IPv6:
 * the link's part is IPv4's. */
#if defined LACKS_HOOKS_OF_IP || LWIP_IPV6
#define NO_TRAINS true
#else
#define NO_TRAINS false
#endif

/* TCP's checksum of a segment of LEN bytes, 0xffff where it is in it and right. SUM is that of the
 * addresses. */
static inline uint16_t train_sum(uint32_t sum, const void *tcp, uint32_t len)
{
    return folded(sum_of(plus(sum, IP_PROTO_TCP + len), tcp, len));
}

#if LWIP_IPV4
static inline uint32_t train_addresses(const struct ip_hdr *ip)
{
    return plus(lwip_ntohl(ip->src.addr), lwip_ntohl(ip->dest.addr));
}

/* The connection of an IP packet with 20 bytes of header, as `from` and `to` have it; or NULL. */
static inline struct tcp_pcb *train_pcb(uint32_t local_ip, uint16_t local_port, uint32_t remote_ip,
                                        uint16_t remote_port)
{
    struct tcp_pcb *p = tcp_active_pcbs;

    while (p && (p->remote_port != remote_port || p->local_port != local_port
                 || p->remote_ip.addr != remote_ip || p->local_ip.addr != local_ip))
        p = p->next;
    return p;
}
#endif

/* Not where what is sent stays in this machine, or goes to the second link's host. */
static inline bool link_carries_trains(uint32_t to)
{
    return to != profile.address && to != profile.peer && to >> 24 != 127;
}

/* What stands for the MSS while something is written: whole segments, as many as a train has. */
uint16_t train_limit(const struct stack_tcp *t);

/* Of what waits to be sent as much goes as the window up to LIMIT lets through without trains. */
void train_fit(struct tcp_pcb *pcb, uint32_t limit);

/* What the window lets through goes out, if the connection is still there. */
void train_push(const struct tcp_pcb *pcb);

/* A train in place of which the sender counts on an acknowledgement of each second segment: those
 * before lwIP's, which is of NEXT, are the link's. */
#define AHEAD_MAX 16
extern struct acks_ahead {
    const struct tcp_pcb *pcb;
    uint32_t next;
    unsigned count;          /* 0: there is none */
    uint32_t ack[AHEAD_MAX];
} acks_ahead;

/* Each segment that waits for an acknowledgement is one again: one of them may have been lost. */
void train_uncouple(struct tcp_pcb *pcb);

/* To be called each 500 ms: those whose timer may go off at the next tick. */
void train_tick(void);

static inline uint32_t train_window(const struct tcp_pcb *pcb)
{
    return pcb->lastack + LWIP_MIN(pcb->snd_wnd, pcb->cwnd);
}

/* netif.c: the checksums of IP and TCP are the link's work. */
extern struct netif link_netif;
#define LINK_LOOKS (NETIF_CHECKSUM_CHECK_IP | NETIF_CHECKSUM_CHECK_TCP)
#define LINK_CHECKSUMS \
    (NETIF_CHECKSUM_ENABLE_ALL & ~(LINK_LOOKS | NETIF_CHECKSUM_GEN_IP | NETIF_CHECKSUM_GEN_TCP))
void link_asks_again(void);          /* ARP, for the next packet */
#if LWIP_IPV4
void link_ages(void);                /* to be called when time has passed */
#else
#define link_ages() ((void)0)
#endif
/* gather.c: a frame of which lwIP makes out what is wrong. */
void link_looks(const uint8_t *at, uint16_t len, netif_input_fn input);
#endif
