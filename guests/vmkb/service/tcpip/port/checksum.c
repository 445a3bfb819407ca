/* SPDX-License-Identifier: MIT */
/* lwIP's checksums (lwip/inet_chksum.h; RFC 1071), in place of its core/inet_chksum.c: that folds
 * and looks for an odd end behind each piece of a packet, where CHECKSUM (CKSM) goes on with the
 * sum that it is given. Or (LWIP_SUMS) the link's, by that file. Compiled on the host too
 * (tests/guests). */
#include "lwip/inet_chksum.h"
#include "lwip/pbuf.h"
#include "../cksm.h"
#include "stack.h"

#ifdef LWIP_SUMS
uint32_t sum_of(uint32_t sum, const void *data, uint32_t len)
{
    return plus(sum, lwip_htons((uint16_t)~inet_chksum(data, (u16_t)len)));
}
#else
/* What follows an odd number of bytes stands one byte further in its words: the sum is turned by
 * one for it, and in the end back, or on by one. */
static inline uint32_t sum_of_chain(uint32_t sum, const struct pbuf *p)
{
    uint32_t odd = 0;
    do {
        sum = sum_of(sum, p->payload, p->len);
        if (p->len & 1) {
            sum = turned(sum, 8);
            odd ^= 1;
        }
        p = p->next;
    } while (p);
    return odd ? turned(sum, 8) : sum;
}

u16_t inet_chksum(const void *data, u16_t len)
{
    return (u16_t)~folded(sum_of(0, data, len));
}

u16_t inet_chksum_pbuf(struct pbuf *p)
{
    return (u16_t)~folded(sum_of_chain(0, p));
}

#if LWIP_IPV4
u16_t ip_chksum_pseudo(struct pbuf *p, u8_t proto, u16_t proto_len, const ip_addr_t *from,
                       const ip_addr_t *to)
{
    uint32_t sum = plus(plus(ip4_addr_get_u32(from), ip4_addr_get_u32(to)),
                        (uint32_t)proto + proto_len);

    return (u16_t)~folded(sum_of_chain(sum, p));
}
#else
u16_t ip6_chksum_pseudo(struct pbuf *p, u8_t proto, u16_t proto_len, const ip6_addr_t *from,
                        const ip6_addr_t *to)
{
    uint32_t sum = sum_of((uint32_t)proto + proto_len, from->addr, sizeof(from->addr));

    return (u16_t)~folded(sum_of_chain(sum_of(sum, to->addr, sizeof(to->addr)), p));
}

u16_t ip_chksum_pseudo(struct pbuf *p, u8_t proto, u16_t proto_len, const ip_addr_t *from,
                       const ip_addr_t *to)
{
    return ip6_chksum_pseudo(p, proto, proto_len, from, to);
}
#endif
#endif
