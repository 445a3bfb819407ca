/* SPDX-License-Identifier: MIT */
/* Rx on the wire (docs/reference/rx.md): the header, packet types, flags, reasons of
 * acknowledgements. All big-endian. */
#ifndef VMKB_RX_WIRE_H
#define VMKB_RX_WIRE_H
#include "lib.h"

#define RX_HEADER        28
#define RX_IP_UDP        28     /* what IP and UDP put before it */
/* bytes of DATA in a packet when nothing else was agreed: an MTU of 1500 */
#define RX_DATA_DEFAULT  1444
#define RX_JUMBO_DATA    1412   /* bytes of each packet of a jumbogram but the last */
#define RX_JUMBO_HEADER  4
#define RX_ACK_FIXED     18     /* an acknowledgement's bytes before those for single packets, */
#define RX_ACK_TRAILER   19     /* and behind them: 3 of padding and four words */
#define RX_ACK_MAX       255
#define RX_VERSION_BYTES 65     /* of the answer to VERSION */

enum {
    RX_DATA = 1,
    RX_ACK,
    RX_BUSY,
    RX_ABORT,
    RX_ACKALL,
    RX_CHALLENGE,
    RX_RESPONSE,
    RX_DEBUG,
    RX_VERSION = 13
};

enum {
    RX_F_CLIENT = 0x01,        /* sent by the side that made the connection */
    RX_F_REQUEST_ACK = 0x02,
    RX_F_LAST = 0x04,          /* of this direction of the call */
    RX_F_MORE = 0x08,          /* another packet follows at once */
    RX_F_JUMBO = 0x20          /* in DATA: another packet is in the same datagram */
};

enum {
    RX_ACK_REQUESTED = 1,
    RX_ACK_DUPLICATE,
    RX_ACK_OUT_OF_SEQUENCE,
    RX_ACK_EXCEEDS_WINDOW,
    RX_ACK_NO_SPACE,
    RX_ACK_PING,
    RX_ACK_PING_RESPONSE,
    RX_ACK_DELAY,
    RX_ACK_IDLE
};

#define RX_EDEAD     (-1)      /* codes of calls that ended badly, as ABORT carries them */
#define RX_EINVALID  (-2)      /* no such service, or a security that is not spoken */
#define RX_ETIMEOUT  (-3)
#define RX_EEOF      (-4)
#define RX_EPROTOCOL (-5)
#define RX_EUSER     (-6)
#define RX_EOPCODE   (-455)    /* what a server says to an operation that it does not know */

struct rx_header {
    uint32_t epoch, cid, call, seq, serial;
    uint8_t type, flags, status, security;
    uint16_t spare, service;
};

struct rx_ack {
    uint32_t first, previous, serial;
    uint8_t reason, count;
    const uint8_t *acks;       /* count bytes */
    /* 0: not said. MTUs: bytes of a packet with its header */
    uint32_t max_mtu, if_mtu, window, jumbo;
};

static inline uint32_t rx_get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

static inline void rx_put32(uint8_t *p, uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    memcpy(p, &v, sizeof(v));
}

static inline uint16_t rx_get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline void rx_put16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

/* False: too short. What follows the header is at p + RX_HEADER. */
bool rx_header_get(struct rx_header *h, const uint8_t *p, uint32_t len);
void rx_header_put(uint8_t p[RX_HEADER], const struct rx_header *h);
/* The body of an ACK packet. False: too short for what it says. */
bool rx_ack_get(struct rx_ack *a, const uint8_t *p, uint32_t len);
/* Returns the bytes put, at most RX_ACK_FIXED + RX_ACK_MAX + RX_ACK_TRAILER. */
uint32_t rx_ack_put(uint8_t *p, const struct rx_ack *a);
#endif
