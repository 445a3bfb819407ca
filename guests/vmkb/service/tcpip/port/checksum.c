/* SPDX-License-Identifier: MIT */
/* lwIP's checksums (lwip/inet_chksum.h; RFC 1071), in place of its core/inet_chksum.c: that folds
 * and looks for an odd end behind each piece of a packet, where CHECKSUM (CKSM) goes on with the
 * sum that it is given. Compiled on the host too (tests/guests). */
#include "lwip/inet_chksum.h"
#include "lwip/pbuf.h"
#include "tcpip.h"



/* Words of 32 bits with the carry added at the end: modulo 65535 the same as words of 16. */
static inline uint32_t plus(uint32_t a, uint32_t b)
{
#ifdef __s390x__
    __asm__("alr %0,%1\n\talcr %0,%2" : "+d"(a) : "d"(b), "d"(0) : "cc");
    return a;
#else
    uint64_t sum = (uint64_t)a + b;
    return (uint32_t)sum + (uint32_t)(sum >> 32);
#endif
}

/* len bytes, big-endian, as if zeros followed up to a whole word. */
static inline uint32_t sum_of(uint32_t sum, const void *data, uint32_t len)
{
#ifdef __s390x__
    register uint64_t at __asm__("2") = (uintptr_t)data;
    register uint64_t left __asm__("3") = len;

    __asm__ volatile("0:\tcksm %0,%1\n\tjo 0b"
                     : "+d"(sum), "+d"(at), "+d"(left)
                     :
                     : "cc", "memory");
#else
    const uint8_t *p = data;

    for (uint32_t i = 0; i < len; i++)
        sum = plus(sum, (uint32_t)p[i] << (24 - i % 4 * 8));
#endif
    return sum;
}

static inline uint32_t turned(uint32_t sum, int bits)
{
    return sum << bits | sum >> (32 - bits);
}

static inline uint16_t folded(uint32_t sum)
{
    return (uint16_t)((sum + turned(sum, 16)) >> 16); /* the lower half's carry is in it */
}

/* What follows an odd number of bytes stands one byte further in its words: the sum is turned by
 * one for it, and in the end back, or on by one. */
static inline uint32_t sum_of_chain(uint32_t sum, const struct pbuf *p)
{
    uint32_t odd = 0;

    tcpip_summed += p->tot_len;
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
    tcpip_summed += len;
    return (u16_t)~folded(sum_of(0, data, len));
}

u16_t inet_chksum_pbuf(struct pbuf *p)
{
    return (u16_t)~folded(sum_of_chain(0, p));
}

u16_t ip_chksum_pseudo(struct pbuf *p, u8_t proto, u16_t proto_len, const ip_addr_t *from,
                       const ip_addr_t *to)
{
    uint32_t sum = plus(plus(ip4_addr_get_u32(from), ip4_addr_get_u32(to)),
                        (uint32_t)proto + proto_len);

    return (u16_t)~folded(sum_of_chain(sum, p));
}
