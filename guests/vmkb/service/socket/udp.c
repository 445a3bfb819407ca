/* SPDX-License-Identifier: MIT */
#include "udp.h"

#define CALL_US  5000000   /* what a call that waits for nobody may take */
#define RECV_TAG 1

long udp_open(struct udp_port *u, const char *userid, uint16_t port)
{
    struct {
        struct sock_reply head;
        struct sock_address a[2];
    } name;
    struct sock_address a = {0, port, 0};
    int32_t mtu = 0;
    long rc = net_open(&u->net, userid);

    if (rc != 0)
        return rc;
    u->held = false;
    u->out_len = 0;
    rc = net_call(&u->net, SOCK_UDP, 0, 0, 0, 0, 0, &u->sock, 0, CALL_US);
    if (rc == SOCK_EOK)
        rc = net_call(&u->net, SOCK_BIND, u->sock, &a, sizeof(a), 0, 0, 0, 0, CALL_US);
    if (rc == SOCK_EOK)
        rc = net_call(&u->net, SOCK_NAME, u->sock, 0, 0, &name, sizeof(name), &mtu, 0, CALL_US);
    u->port = name.a[0].port;
    u->mtu = (uint32_t)mtu;
    if (rc != SOCK_EOK)
        net_close(&u->net);
    return rc;
}

static void flush(struct udp_port *u)
{
    uint32_t len = u->out_len;

    u->out_len = 0;
    if (len)
        net_call(&u->net, SOCK_SENDTO, u->sock, u->out, len, 0, 0, 0, 0, CALL_US);
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
        ended = net_start_and_wait(&u->net, SOCK_RECVFROM, u->sock, u->out, len, &u->in, sizeof(u->in), RECV_TAG, &d,
                                   us);
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
