/* SPDX-License-Identifier: MIT */
/* Random numbers that a seed gives (Marsaglia's xorshift). */
#ifndef GUESTS_CHANCE_H
#define GUESTS_CHANCE_H
#include <stdint.h>

static uint64_t chance_state = 88172645463325252u;

static inline void chance_seed(uint64_t seed)
{
    chance_state = seed * 2654435761u + 88172645463325252u;
}

/* 0 to BELOW - 1 */
static inline uint32_t chance(uint32_t below)
{
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (uint32_t)(chance_state >> 20) % below;
}
#endif
