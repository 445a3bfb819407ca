/* SPDX-License-Identifier: MIT */
/* Datagrams and echo requests on lwIP: the calls and events of stack.h. */
#include "lwip/icmp.h"
#include "lwip/inet_chksum.h"
#include "lwip/raw.h"
#include "lwip/udp.h"
#include "stack.h"

static void received(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                     u16_t port)
{
    (void)pcb;
    client_datagram(arg, p, p->tot_len, from->addr, port);
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
    const ip_addr_t to = {ip};
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

static struct raw_pcb *raw;  /* of ICMP */

static u8_t pong(void *arg, struct raw_pcb *pcb, struct pbuf *p, const ip_addr_t *from)
{
    struct icmp_echo_hdr h;
    (void)arg, (void)pcb, (void)from;
    if (p->tot_len < 28 || pbuf_copy_partial(p, &h, sizeof(h), 20) != sizeof(h)
        || ICMPH_TYPE(&h) != ICMP_ER || !client_pong(h.id, h.seqno))
        return 0;
    pbuf_free(p);
    return 1;
}

void stack_ping_init(void)
{
    raw = raw_new(IP_PROTO_ICMP);
    raw_recv(raw, pong, 0);
    raw_bind(raw, IP_ADDR_ANY);
}

int stack_ping(uint32_t ip, uint16_t id, uint16_t sequence, uint16_t len)
{
    ip4_addr_t to = {ip};
    struct pbuf *p = pbuf_alloc(PBUF_IP, (u16_t)(sizeof(struct icmp_echo_hdr) + len), PBUF_RAM);

    if (!p)
        return SOCK_ELIMIT;
    struct icmp_echo_hdr *h = p->payload;
    memset(h, 0, p->len);
    ICMPH_TYPE_SET(h, ICMP_ECHO);
    h->id = id;
    h->seqno = sequence;
    h->chksum = inet_chksum(h, p->len);
    err_t e = raw_sendto(raw, p, &to);
    pbuf_free(p);
    return e == ERR_OK ? SOCK_EOK : SOCK_EUNREACH;
}
