/* SPDX-License-Identifier: MIT */
#include "udp.h"

#define RECV_TAG 1

long udp_open(struct udp_port *u, const char *userid, uint16_t port)
{
    struct net_names name;
    struct sock_address a = {0, port, 0};
    struct net_done d;
    long rc = net_open(&u->net, userid);

    if (rc != 0)
        return rc;
    u->held = false;
    u->out_len = 0;
    rc = net_call(&u->net, &(struct net_ask){.function = SOCK_UDP}, &d, NET_CALL_US);
    u->sock = d.value;
    if (rc == SOCK_EOK)
        rc = net_call(
            &u->net,
            &(struct net_ask){.function = SOCK_BIND, .sock = u->sock, .data = &a, .len = sizeof(a)},
            0, NET_CALL_US);
    if (rc == SOCK_EOK)
        rc = net_call(
            &u->net,
            &(struct net_ask){
                .function = SOCK_NAME, .sock = u->sock, .reply = &name, .room = sizeof(name)},
            &d, NET_CALL_US);
    u->port = name.own.port;
    u->mtu = (uint32_t)d.value;
    if (rc != SOCK_EOK)
        net_close(&u->net);
    return rc;
}

static void flush(struct udp_port *u)
{
    uint32_t len = u->out_len;

    u->out_len = 0;
    if (len)
        net_call(
            &u->net,
            &(struct net_ask){.function = SOCK_SENDTO, .sock = u->sock, .data = u->out, .len = len},
            0, NET_CALL_US);
}

void udp_close(struct udp_port *u)
{
    flush(u);
    net_close(&u->net);
}

void udp_send(struct udp_port *u, uint32_t ip, uint16_t port, const void *bytes, uint32_t len)
{
    if (SOCK_DATAGRAM_ROOM(len) > sizeof(u->out))
        return;              /* as lost on the way: no link carries it in one piece */
    if (u->out_len + SOCK_DATAGRAM_ROOM(len) > sizeof(u->out))
        flush(u);
    struct sock_datagram *d = (struct sock_datagram *)(u->out + u->out_len);
    *d = (struct sock_datagram){ip, port, (uint16_t)len};
    memcpy(d + 1, bytes, len);
    u->out_len += SOCK_DATAGRAM_ROOM(len);
}

int udp_wait(struct udp_port *u, uint64_t us)
{
    struct net_done d;
    uint32_t len = u->out_len;
    bool ended;

    u->in_len = 0;
    if (u->held) {
        flush(u);
        ended = net_wait(&u->net, &d, us);
    } else {
        u->out_len = 0;
        u->held = true;
        struct net_ask ask = {.function = SOCK_RECVFROM,
                              .sock = u->sock,
                              .data = u->out,
                              .len = len,
                              .reply = &u->in,
                              .room = sizeof(u->in)};
        ended = net_start_and_wait(&u->net, &ask, RECV_TAG, &d, us);
    }
    if (!ended)
        return d.rc;
    u->held = false;
    u->in_len = d.rc == SOCK_EOK ? d.len : 0;
    return d.rc;
}

const struct sock_datagram *udp_next(const struct udp_port *u, uint32_t *at)
{
    const struct sock_datagram *d = (const struct sock_datagram *)(u->in.bytes + *at);

    if (*at + sizeof(*d) > u->in_len || *at + sizeof(*d) + d->len > u->in_len)
        return 0;
    *at += SOCK_DATAGRAM_ROOM(d->len);
    return d;
}
