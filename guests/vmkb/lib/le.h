/* SPDX-License-Identifier: MIT */
/* Little-endian fields of the protocols of Digital's machines: LAT, DECnet. */
#ifndef VMKB_LE_H
#define VMKB_LE_H
#include <stdint.h>

static inline unsigned le16(const uint8_t *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static inline uint8_t *put16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    return p + 2;
}

#endif
