/* SPDX-License-Identifier: MIT */
/* What a stack needs of the machine: time, randomness, an end. */
#include "diag.h"
#include "lib.h"
#include "s390.h"
#include "stack.h"

uint32_t tcpip_now(void)
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

void tcpip_stop(const char *why)
{
    diag_write(why, (long)strlen(why), LINE_HIGH);
    diag_end(0x7c9);
}
