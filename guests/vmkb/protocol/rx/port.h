/* SPDX-License-Identifier: MIT */
/* Rx on a port of the TCPIP machine: joins the core to a datagram socket and the clock. */
#ifndef VMKB_RX_PORT_H
#define VMKB_RX_PORT_H
#include "rx_core.h"
#include "udp.h"

struct rx_port {
    struct udp_port udp;
    struct rx rx;
    struct rx_ops ops;
    void *arg;
};

/* Opens the port (0: any) and the core over it; of ops, all but send. config's mtu and epoch are
 * filled in here. storage as for rx_init. 0, or as udp_open, or SOCK_ELIMIT when storage is too
 * small. */
long rx_port_open(struct rx_port *p, uint16_t port, struct rx_config *config,
                  const struct rx_ops *ops, void *arg, void *storage, size_t size);
/* What is to be sent goes out; then whatever comes next is done: datagrams, timers. SOCK_EOK,
 * NET_EATTN, or an error that ends the port. */
int rx_port_turn(struct rx_port *p);
uint64_t rx_port_now(void);
#endif
