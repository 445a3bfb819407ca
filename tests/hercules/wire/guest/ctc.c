/* SPDX-License-Identifier: MIT */
/* CTC driver over Hercules' CTCE. Two devices because one device does one operation at a time.
   Output: WRITE + SENSE COMMAND BYTE for each block; the wire answers every WRITE.
   Input: READ + SENSE COMMAND BYTE, kept posted; the wire completes it when it has frames, so there
   is one interruption for each block and no attention in the normal course. */
#include "ctc.h"

#define CMD_WRITE  0x01
#define CMD_READ   0x02
#define CMD_SENSE  0x04
#define CMD_SCB    0x14              /* sense command byte */

#define PMCW_ENABLED  0x00800000u    /* word 1 */
#define PMCW_VALID    0x00010000u    /* word 1, beside the device number */

void *memcpy(void *to, const void *from, unsigned long n);

static u8 ctc_space[4][CTC_BLOCK_MAX] __attribute__((aligned(4096)));

static u32 find_device(u16 number)
{
    struct schib schib;

    for (u32 id = 0x00010000; stsch(id, &schib) != 3; id++) {
        if ((schib.words[1] & PMCW_VALID) && (schib.words[1] & 0xffff) == number) {
            schib.words[1] |= PMCW_ENABLED;
            return msch(id, &schib) == 0 ? id : 0;
        }
    }
    return 0;
}

/* Starts what half->program holds. Condition code 1 is an attention that came since the last
   program ended: it is taken off and the program started again; anything else is tried again
 * later. */
static void start(struct ctc_half *half)
{
    struct irb irb;
    int cc;

    half->orb = (struct orb){ 0, 0x0080ff00, (u32)(u64)half->program };
    half->retry_at = 0;
    cc = ssch(half->subchannel, &half->orb);
    if (cc == 1) {
        tsch(half->subchannel, &irb);
        cc = ssch(half->subchannel, &half->orb);
    }
    half->busy = cc == 0;
    if (!half->busy)
        half->retry_at = tod() + CTC_RETRY_TOD;
}

/* The last CCW is always SENSE COMMAND BYTE: it stays inside Hercules, and with a READ or WRITE as
   the last CCW an attention that meets a busy device keeps Hercules' receiver retrying for up to 21
   s. */
static void start_transfer(struct ctc_half *half, u8 command, u8 flags, u32 count)
{
    half->sensing = 0;
    half->program[0] = (struct ccw1){ command, CCW_CC | flags, (u16)count,
                                      (u32)(u64)half->buffer[half->current] };
    half->program[1] = (struct ccw1){ CMD_SCB, CCW_SLI, 1, (u32)(u64)&half->peer_command };
    start(half);
}

static void start_sense(struct ctc_half *half)
{
    half->sensing = 1;
    half->program[0] = (struct ccw1){ CMD_SENSE, CCW_SLI, 2, (u32)(u64)half->sense };
    start(half);
}

static void put32(u8 *at, u32 value)
{
    at[0] = (u8)(value >> 24);
    at[1] = (u8)(value >> 16);
    at[2] = (u8)(value >> 8);
    at[3] = (u8)value;
}

/* Posts the READ. Its count is the whole buffer: SLI, and the true length stands in the block
   itself, because the residual count describes the last CCW. The first READ after the wire connects
   may end well but without data (Hercules' receiver resets the command register while it starts):
   the length word is cleared, and 0 is no block. */
static void post_read(struct ctc *ctc)
{
    put32(ctc->in.buffer[ctc->in.current], 0);
    start_transfer(&ctc->in, CMD_READ, CCW_SLI, CTC_BLOCK_MAX);
}

static u32 get32(const u8 *at)
{
    return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3];
}

/* Finds and enables the two devices, writes an empty block and posts the first READ: with the first
   channel program of each device Hercules connects to the wire. Returns 0, or -1 if a device is
   missing. Caller must have I/O interruptions masked, as for every function here. */
int ctc_open(struct ctc *ctc, u16 write_device, u16 read_device)
{
    ctc->out.subchannel = find_device(write_device);
    ctc->in.subchannel = find_device(read_device);
    if (!ctc->out.subchannel || !ctc->in.subchannel)
        return -1;
    for (int i = 0; i < 2; i++) {
        ctc->out.buffer[i] = ctc_space[i];
        ctc->in.buffer[i] = ctc_space[2 + i];
    }
    ctc->filling = ctc->writing = 4;
    put32(ctc->out.buffer[0], 4);
    start_transfer(&ctc->out, CMD_WRITE, 0, 4);
    post_read(ctc);
    return 0;
}

/* Adds a frame to the block being filled. Returns 0, or -1 if the block is full (call again after
   the next interruption) or the length is not one of a frame. ctc_kick() sends what was added. */
int ctc_send(struct ctc *ctc, const u8 *frame, u32 length)
{
    u8 *block = ctc->out.buffer[!ctc->out.current];

    if (length < CTC_FRAME_MIN || length > CTC_FRAME_MAX)
        return -1;
    if (ctc->filling + 2 + length > CTC_BLOCK_MAX) {
        ctc->counts.full++;
        return -1;
    }
    block[ctc->filling] = (u8)(length >> 8);
    block[ctc->filling + 1] = (u8)length;
    memcpy(block + ctc->filling + 2, frame, length);
    ctc->filling += 2 + length;
    ctc->counts.frames_out++;
    ctc->counts.bytes_out += length;
    return 0;
}

/* Starts writing the block being filled, unless a block is already on its way: then the frames wait
   and travel together in one block when that WRITE ends. */
void ctc_kick(struct ctc *ctc)
{
    struct ctc_half *half = &ctc->out;

    if (ctc->writing || ctc->filling == 4)
        return;
    half->current = !half->current;
    put32(half->buffer[half->current], ctc->filling);
    ctc->writing = ctc->filling;
    ctc->filling = 4;
    start_transfer(half, CMD_WRITE, 0, ctc->writing);
}

static void read_block(struct ctc *ctc, const u8 *block)
{
    u32 end = get32(block), at = 4;

    if (end == 0)
        return;
    if (end < 4 || end > CTC_BLOCK_MAX) {
        ctc->counts.malformed++;
        return;
    }
    ctc->counts.blocks_in++;
    while (at + 2 <= end) {
        u32 length = (u32)block[at] << 8 | block[at + 1];
        at += 2;
        if (length < CTC_FRAME_MIN || length > end - at) {
            ctc->counts.malformed++;
            return;
        }
        ctc->counts.frames_in++;
        ctc->counts.bytes_in += length;
        ctc->input(ctc, block + at, length);
        at += length;
    }
}

static void write_ended(struct ctc *ctc, int good)
{
    if (!good) {
        ctc->counts.retries++;
        start_transfer(&ctc->out, CMD_WRITE, 0, ctc->writing);
        return;
    }
    ctc->counts.blocks_out++;
    ctc->writing = 0;
    ctc_kick(ctc);
}

/* The next READ is posted into the other buffer before the frames of this one are looked at, so the
   wire works on the next block meanwhile. */
static void read_ended(struct ctc *ctc, int good)
{
    const u8 *block = ctc->in.buffer[ctc->in.current];

    if (!good) {
        ctc->counts.retries++;
        post_read(ctc);
        return;
    }
    ctc->in.current = !ctc->in.current;
    post_read(ctc);
    read_block(ctc, block);
}

/* To be called for each I/O interruption of one of the two subchannels.
   Unit check: sense, then ctc_poll() tries again 50 ms later: at the start the wire may not be
   connected yet (sense 40, intervention required). Busy with attention, no unit check: a READ that
   waited 60 s, or a collision: post it again at once. */
void ctc_interrupt(struct ctc *ctc, u32 subchannel)
{
    struct ctc_half *half = subchannel == ctc->out.subchannel ? &ctc->out : &ctc->in;
    struct irb irb;

    if (tsch(subchannel, &irb) != 0)
        return;
    if (!(irb.control & (SCSW_PRIMARY | SCSW_SECONDARY))) {
        ctc->counts.attentions++;    /* harmless: a READ is posted anyhow, and will find the data */
        return;
    }
    if (!half->busy)
        return;
    half->busy = 0;
    if (half->sensing) {
        ctc->counts.last_error |= (u64)half->sense[0] << 8 | half->sense[1];
        half->retry_at = tod() + CTC_RETRY_TOD;
        return;
    }
    if (irb.device_status != (DEV_CHANNEL_END | DEV_DEVICE_END) || irb.channel_status)
        ctc->counts.last_error = (u64)irb.device_status << 24 | (u64)irb.channel_status << 16;
    if (irb.device_status & DEV_UNIT_CHECK) {
        start_sense(half);
        return;
    }
    int good = irb.device_status == (DEV_CHANNEL_END | DEV_DEVICE_END) && irb.channel_status == 0;
    if (half == &ctc->out)
        write_ended(ctc, good);
    else
        read_ended(ctc, good);
}

/* Retries what is due. Returns the TOD clock at which it wants to be called again, 0 for not at
 * all. */
u64 ctc_poll(struct ctc *ctc, u64 now)
{
    u64 next = 0;

    if (ctc->out.retry_at && ctc->out.retry_at <= now)
        write_ended(ctc, 0);
    if (ctc->in.retry_at && ctc->in.retry_at <= now)
        read_ended(ctc, 0);
    if (ctc->out.retry_at)
        next = ctc->out.retry_at;
    if (ctc->in.retry_at && (!next || ctc->in.retry_at < next))
        next = ctc->in.retry_at;
    return next;
}
