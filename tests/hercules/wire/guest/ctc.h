/* SPDX-License-Identifier: MIT */
/* The CTC driver: Ethernet frames in blocks over two CTCE devices, one for each direction.
   It never blocks: the caller gives it I/O interruptions and the time. docs/reference/wire.md is
   the contract. */
#ifndef CTC_H
#define CTC_H

#include "channel.h"

#define CTC_BLOCK_MAX   61440        /* bytes of a block, its own length word included */
#define CTC_FRAME_MIN   14
#define CTC_FRAME_MAX   32781        /* 14 + the largest MTU, 32767 */
#define CTC_RETRY_TOD   (50000UL << 12)   /* 50 ms between two tries after an error */

struct ctc_half {                    /* one device: its subchannel and the program in progress */
    struct ccw1 program[2];
    struct orb orb;
    u32 subchannel;
    int busy;                        /* a channel program is running */
    int sensing;                     /* ... and it is the SENSE after a unit check */
    u64 retry_at;                    /* 0, or the TOD clock at which to try again */
    u8 sense[2];
    u8 peer_command;                 /* where SENSE COMMAND BYTE puts its answer */
    int current;                     /* index of the buffer in the channel program */
    u8 *buffer[2];
};

struct ctc_counts {
    u64 blocks_out, frames_out, bytes_out;
    u64 blocks_in, frames_in, bytes_in;
    u64 attentions, retries, malformed, full;
    u64 last_error;                  /* device and channel status, sense: 4 bytes */
};

struct ctc {
    struct ctc_half out, in;
    u32 filling;                     /* bytes in the block being filled, 4 when empty */
    u32 writing;                     /* bytes in the block on its way, kept for a retry; else 0 */
    struct ctc_counts counts;
    void (*input)(struct ctc *ctc, const u8 *frame, u32 length);
};

int ctc_open(struct ctc *ctc, u16 write_device, u16 read_device);
int ctc_send(struct ctc *ctc, const u8 *frame, u32 length);
void ctc_kick(struct ctc *ctc);
void ctc_interrupt(struct ctc *ctc, u32 subchannel);
u64 ctc_poll(struct ctc *ctc, u64 now);

#endif
