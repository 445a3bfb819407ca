/* SPDX-License-Identifier: MIT */
/* Datagrams and echo requests on lwIP: the calls and events of stack.h. */
#include "lwip/icmp.h"
#include "lwip/icmp6.h"
#include "lwip/inet_chksum.h"
#include "lwip/raw.h"
#include "lwip/udp.h"
#include "address.h"
#include "stack.h"
#include "tcpip.h"

static void received(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                     u16_t port)
{
    (void)pcb;
    client_datagram(arg, p, p->tot_len, number_of(from), port);
}

bool stack_udp_new(struct stack_udp *u)
{
    u->pcb = udp_new();
    if (!u->pcb)
        return false;
    ip_set_option(u->pcb, SOF_BROADCAST);
    udp_recv(u->pcb, received, u);
    return true;
}

int stack_udp_bind(struct stack_udp *u, uint16_t port)
{
    return sock_from_err(udp_bind(u->pcb, IP_ADDR_ANY, port));
}

int stack_udp_send(struct stack_udp *u, uint32_t ip, uint16_t port, const void *bytes,
                   uint16_t len)
{
    const ip_addr_t to = address_of(ip);
    const uint8_t *from = bytes;
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, len, PBUF_POOL);

    if (!p)
        return SOCK_ELIMIT;
    for (struct pbuf *q = p; q; from += q->len, q = q->next)
        memcpy(q->payload, from, q->len);
    err_t e = udp_sendto(u->pcb, p, &to, port);
    pbuf_free(p);
    return sock_from_err(e);
}

void stack_udp_remove(struct stack_udp *u)
{
    udp_remove(u->pcb);
    u->pcb = NULL;
}

void stack_datagram_copy(const void *data, uint8_t *to)
{
    for (const struct pbuf *q = data; q; to += q->len, q = q->next)
        memcpy(to, q->payload, q->len);
}

void stack_datagram_free(void *data)
{
    pbuf_free(data);
}

#if LWIP_IPV6
enum {
    IP_HEAD = 40, ICMP_KIND = IP6_NEXTH_ICMP6, ASKS = ICMP6_TYPE_EREQ, ANSWERS = ICMP6_TYPE_EREP
};
#else
enum { IP_HEAD = 20, ICMP_KIND = IP_PROTO_ICMP, ASKS = ICMP_ECHO, ANSWERS = ICMP_ER };
#endif
static struct raw_pcb *raw;  /* of ICMP */

static u8_t pong(void *arg, struct raw_pcb *pcb, struct pbuf *p, const ip_addr_t *from)
{
    struct icmp_echo_hdr h;
    (void)arg, (void)pcb, (void)from;
    if (p->tot_len < IP_HEAD + 8 || pbuf_copy_partial(p, &h, sizeof(h), IP_HEAD) != sizeof(h)
        || ICMPH_TYPE(&h) != ANSWERS || !client_pong(h.id, h.seqno))
        return 0;
    pbuf_free(p);
    return 1;
}

void stack_ping_init(void)
{
    raw = raw_new(ICMP_KIND);
    raw_recv(raw, pong, 0);
    raw_bind(raw, IP_ADDR_ANY);
}

int stack_ping(uint32_t ip, uint16_t id, uint16_t sequence, uint16_t len)
{
    const ip_addr_t to = address_of(ip);
    struct pbuf *p = pbuf_alloc(PBUF_IP, (u16_t)(sizeof(struct icmp_echo_hdr) + len), PBUF_RAM);

    if (!p)
        return SOCK_ELIMIT;
    struct icmp_echo_hdr *h = p->payload;
    memset(h, 0, p->len);
    ICMPH_TYPE_SET(h, ASKS);
    h->id = id;
    h->seqno = sequence;
#if LWIP_IPV6
    const ip_addr_t own = address_of(profile.address);
    h->chksum = ip6_chksum_pseudo(p, ICMP_KIND, p->tot_len, &own, &to);
#else
    h->chksum = inet_chksum(h, p->len);
#endif
    err_t e = raw_sendto(raw, p, &to);
    pbuf_free(p);
    return e == ERR_OK ? SOCK_EOK : SOCK_EUNREACH;
}
