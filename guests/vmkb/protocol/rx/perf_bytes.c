/* SPDX-License-Identifier: MIT */
/* The stream of bytes: a pattern of a length that no packet's is a multiple of, again and again. */
#include "perf.h"

#define PATTERN 8191

static uint8_t pattern[PATTERN];

static void make(void)
{
    uint32_t x = 1;

    for (unsigned i = 0; i < PATTERN; i++) {
        x = x * 1664525u + 1013904223u;
        pattern[i] = (uint8_t)(x >> 24);
    }
}

/* The longest piece of the pattern in one go. */
static uint32_t piece(uint32_t at, uint32_t len, const uint8_t **from)
{
    uint32_t in = at % PATTERN;

    if (!pattern[0])
        make();
    *from = pattern + in;
    return len < PATTERN - in ? len : PATTERN - in;
}

bool perf_right(const uint8_t *bytes, uint32_t at, uint32_t len)
{
    const uint8_t *want;

    for (uint32_t n; len; bytes += n, at += n, len -= n) {
        n = piece(at, len, &want);
        if (memcmp(bytes, want, n) != 0)
            return false;
    }
    return true;
}

bool perf_send(struct rx *rx, struct rx_call *call, uint32_t *at, uint32_t *left)
{
    const uint8_t *from;

    while (*left) {
        uint32_t n = piece(*at, *left, &from), taken = rx_write(rx, call, from, n);
        *at += taken;
        *left -= taken;
        if (taken < n)
            return false;
    }
    return true;
}
