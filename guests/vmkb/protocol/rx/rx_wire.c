/* SPDX-License-Identifier: MIT */
#include "rx_wire.h"

bool rx_header_get(struct rx_header *h, const uint8_t *p, uint32_t len)
{
    if (len < RX_HEADER)
        return false;
    h->epoch = rx_get32(p);
    h->cid = rx_get32(p + 4);
    h->call = rx_get32(p + 8);
    h->seq = rx_get32(p + 12);
    h->serial = rx_get32(p + 16);
    h->type = p[20];
    h->flags = p[21];
    h->status = p[22];
    h->security = p[23];
    h->spare = rx_get16(p + 24);
    h->service = rx_get16(p + 26);
    return true;
}

void rx_header_put(uint8_t p[RX_HEADER], const struct rx_header *h)
{
    rx_put32(p, h->epoch);
    rx_put32(p + 4, h->cid);
    rx_put32(p + 8, h->call);
    rx_put32(p + 12, h->seq);
    rx_put32(p + 16, h->serial);
    p[20] = h->type;
    p[21] = h->flags;
    p[22] = h->status;
    p[23] = h->security;
    rx_put16(p + 24, h->spare);
    rx_put16(p + 26, h->service);
}

bool rx_ack_get(struct rx_ack *a, const uint8_t *p, uint32_t len)
{
    if (len < RX_ACK_FIXED || len < RX_ACK_FIXED + (uint32_t)p[17])
        return false;
    *a = (struct rx_ack){.first = rx_get32(p + 4),
                         .previous = rx_get32(p + 8),
                         .serial = rx_get32(p + 12),
                         .reason = p[16],
                         .count = p[17],
                         .acks = p + RX_ACK_FIXED};
    uint32_t *const words[] = {&a->max_mtu, &a->if_mtu, &a->window, &a->jumbo};
    uint32_t at = RX_ACK_FIXED + a->count + 3u;
    for (unsigned i = 0; i < 4 && at + 4 <= len; i++, at += 4)
        *words[i] = rx_get32(p + at);
    return true;
}

uint32_t rx_ack_put(uint8_t *p, const struct rx_ack *a)
{
    memset(p, 0, 4);         /* buffer space and skew: nobody uses them */
    rx_put32(p + 4, a->first);
    rx_put32(p + 8, a->previous);
    rx_put32(p + 12, a->serial);
    p[16] = a->reason;
    p[17] = a->count;
    if (a->count)
        memcpy(p + RX_ACK_FIXED, a->acks, a->count);
    uint8_t *t = p + RX_ACK_FIXED + a->count;
    memset(t, 0, 3);
    rx_put32(t + 3, a->max_mtu);
    rx_put32(t + 7, a->if_mtu);
    rx_put32(t + 11, a->window);
    rx_put32(t + 15, a->jumbo);
    return RX_ACK_FIXED + a->count + RX_ACK_TRAILER;
}
