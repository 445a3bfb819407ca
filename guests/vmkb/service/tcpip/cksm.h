/* SPDX-License-Identifier: MIT */
/* Checksums of RFC 1071, for the stacks' ports: CHECKSUM (CKSM) goes on with the sum that it is
 * given. Sums are words of 32 bits; compiled on the host too (tests/guests). */
#ifndef VMKB_CKSM_H
#define VMKB_CKSM_H
#include <stdint.h>

/* Words of 32 bits with the carry added at the end: modulo 65535 the same as words of 16. */
static inline uint32_t plus(uint32_t a, uint32_t b)
{
#ifdef __s390x__
    __asm__("alr %0,%1\n\talcr %0,%2" : "+&d"(a) : "d"(b), "d"(0) : "cc");
    return a;
#else
    uint64_t sum = (uint64_t)a + b;
    return (uint32_t)sum + (uint32_t)(sum >> 32);
#endif
}

/* len bytes, big-endian, as if zeros followed up to a whole word. */
#ifdef LWIP_SUMS
uint32_t sum_of(uint32_t sum, const void *data, uint32_t len);  /* port/checksum.c */
#else
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
#endif

static inline uint32_t turned(uint32_t sum, int bits)
{
    return sum << bits | sum >> (32 - bits);
}

static inline uint16_t folded(uint32_t sum)
{
    return (uint16_t)((sum + turned(sum, 16)) >> 16); /* the lower half's carry is in it */
}
#endif
