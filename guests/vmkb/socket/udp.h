/* SPDX-License-Identifier: MIT */
/* A datagram socket of the TCPIP machine for a program that waits for nothing else: what it sends
 * gathers until it waits, and goes with that in one message. */
#ifndef VMKB_UDP_H
#define VMKB_UDP_H
#include "net.h"

struct udp_port {
    struct net net;
    int sock;
    uint16_t port;           /* its own */
    uint32_t mtu;            /* of the link */
    bool held;               /* a RECVFROM is under way: in must stay */
    uint32_t out_len, in_len;
    uint8_t out[SOCK_DATAGRAMS_MAX] __attribute__((aligned(8)));
    struct {
        struct sock_reply head;
        uint8_t bytes[SOCK_DATAGRAMS_MAX];
    } in __attribute__((aligned(8)));
};

/* port 0: any. 0, an IUCV return code, or a SOCK_ or NET_ error; then nothing is open. */
long udp_open(struct udp_port *u, const char *userid, uint16_t port);
void udp_close(struct udp_port *u);
void udp_send(struct udp_port *u, uint32_t ip, uint16_t port, const void *bytes, uint32_t len);
/* Sends what was gathered and waits for datagrams, at most us microseconds (0: for ever). SOCK_EOK:
 * udp_next has them, until the next wait; NET_ETIME, NET_EATTN, or an error. */
int udp_wait(struct udp_port *u, uint64_t us);
/* The datagram at *at (0 at first), which is moved behind it; its bytes follow the head. 0: no
 * more. */
const struct sock_datagram *udp_next(const struct udp_port *u, uint32_t *at);
#endif
