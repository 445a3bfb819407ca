/* SPDX-License-Identifier: MIT */
#include "port.h"

uint64_t rx_port_now(void)
{
    uint64_t t;
    __asm__ volatile("stckf %0" : "=Q"(t) : : "cc");
    return t >> 12;
}

static void send(void *arg, const struct rx_address *to, const uint8_t *packet, uint32_t len)
{
    struct rx_port *p = arg;

    udp_send(&p->udp, to->ip, to->port, packet, len);
}

static void data(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    struct rx_port *p = arg;

    p->ops.data(p->arg, call, bytes, len);
}

static void event(void *arg, struct rx_call *call, enum rx_event what)
{
    struct rx_port *p = arg;

    p->ops.event(p->arg, call, what);
}

static bool serves(void *arg, uint16_t service)
{
    struct rx_port *p = arg;

    return p->ops.serves && p->ops.serves(p->arg, service);
}

long rx_port_open(struct rx_port *p, uint16_t port, struct rx_config *config,
                  const struct rx_ops *ops, void *arg, void *storage, size_t size)
{
    const struct rx_ops own = {send, data, event, serves};
    long rc = udp_open(&p->udp, "TCPIP", port);

    if (rc != 0)
        return rc;
    p->ops = *ops;
    p->arg = arg;
    config->mtu = p->udp.mtu;
    /* what all channels of a connection may have under way is what TCPIP keeps for a port */
    uint32_t most = SOCK_UNREAD_MAX / RX_CHANNELS / SOCK_DATAGRAM_ROOM(config->mtu);
    if (config->window > most)
        config->window = most;
    config->epoch = (uint32_t)(rx_port_now() / 1000000);
    if (!rx_init(&p->rx, &own, p, config, storage, size)) {
        udp_close(&p->udp);
        return SOCK_ELIMIT;
    }
    p->rx.now = rx_port_now();
    return 0;
}

int rx_port_turn(struct rx_port *p)
{
    uint64_t now = rx_port_now(), next = p->rx.next;
    uint32_t at = 0;
    int rc = udp_wait(&p->udp, next == ~0UL ? 0 : next > now ? next - now : 1);

    now = rx_port_now();
    for (const struct sock_datagram *d; rc == SOCK_EOK && (d = udp_next(&p->udp, &at)) != 0;) {
        const struct rx_address from = {d->ip, d->port};
        rx_input(&p->rx, &from, (const uint8_t *)(d + 1), d->len, now);
    }
    rx_tick(&p->rx, now);
    return rc == NET_ETIME ? SOCK_EOK : rc;
}
