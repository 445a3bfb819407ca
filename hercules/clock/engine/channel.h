/* SPDX-License-Identifier: MIT */
/* The storage that a world's clock and one emulator share: each has its turn, reads what the other
 * has said, says something, and gives the turn away. docs/reference/clock.md has the messages:
 * u8 kind, u32 length of what follows, u64 time in ps, then the rest. */
#ifndef VMKB_CHANNEL_H
#define VMKB_CHANNEL_H

#include <stdint.h>

#define CHANNEL_ROOM (1u << 20)
#define MESSAGE_HEAD 13                /* kind, length, time */

enum { WORLDS_TURN, EMULATORS_TURN };

struct channel {
    uint32_t turn;                     /* a futex */
    uint32_t in_length, out_length;    /* bytes for the emulator, and from it */
    uint32_t unused;
    uint8_t in[CHANNEL_ROOM], out[CHANNEL_ROOM];
};

#endif
