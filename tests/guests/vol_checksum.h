/* SPDX-License-Identifier: MIT */
#ifndef GUESTS_VOL_CHECKSUM_H
#define GUESTS_VOL_CHECKSUM_H
#include <stdint.h>
#include <string.h>

/* In the guest words are in the disk's byte order; here the disk is in this machine's. */
static uint32_t vol_checksum(const void *p, uint64_t size)
{
    uint64_t h = 0xCBF29CE484222325U, w;

    for (uint64_t i = 0; i < size; i += 8) {
        memcpy(&w, (const char *)p + i, 8);
        h = (h ^ w) * 0x100000001B3U;
    }
    return (uint32_t)(h ^ (h >> 32));
}
#endif
