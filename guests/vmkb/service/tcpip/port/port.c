/* SPDX-License-Identifier: MIT */
/* What lwIP needs of the machine: time, randomness, checksums, an end. */
#include "arch/cc.h"
#include "diag.h"
#include "lib.h"
#include "s390.h"
#include "tcpip.h"

uint64_t tcpip_summed;

uint32_t sys_now(void);
uint32_t sys_now(void)
{
    return (uint32_t)(tod() / (4096 * 1000));
}

/* xorshift64* seeded by the clock: sequence numbers that a stranger cannot guess are not
 * promised. */
uint32_t tcpip_random(void)
{
    static uint64_t x;

    if (!x)
        x = tod() | 1;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    return (uint32_t)((x * 0x2545f4914f6cdd1dUL) >> 32);
}

/* One's complement sum of big-endian 16-bit words, not complemented (RFC 1071); an odd last byte
 * counts as if a zero followed it, which is how CHECKSUM pads. */
uint16_t tcpip_checksum(const void *data, int len)
{
    register uint64_t at __asm__("2") = (uintptr_t)data;
    register uint64_t left __asm__("3") = (uint64_t)len;
    uint64_t sum = 0;

    __asm__ volatile("0:\tcksm %0,%1\n\tjo 0b"
                     : "+d"(sum), "+d"(at), "+d"(left)
                     :
                     : "cc", "memory");
    tcpip_summed += (uint64_t)len;
    uint32_t s = (uint32_t)sum;
    return (uint16_t)((s + (s << 16 | s >> 16)) >> 16); /* the lower half's carry is in it */
}

void tcpip_stop(const char *why)
{
    diag_write(why, (long)strlen(why), LINE_HIGH);
    diag_end(0x7c9);
}
