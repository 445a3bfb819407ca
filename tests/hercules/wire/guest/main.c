/* SPDX-License-Identifier: MIT */
/* A guest that answers test frames (ethertype 88B5, IEEE local experimental) on the wire:
   ECHO comes back, QUERY is answered with the counts, START makes it stream frames to a given
   address. Its MAC address is 02:00:00:00:00:0n, n being the ASCII digit that the .ins file loads
   at 0x8000. */
#include "ctc.h"

#define STATION      (lowcore[0x8000] - 0x30)
#define SUBCHANNEL   (*(volatile u32 *)(lowcore + 0xb8)) /* subchannel id of an I/O interruption */

enum { OP_ECHO = 1, OP_ECHOED, OP_QUERY, OP_COUNTS, OP_START, OP_DATA, OP_DONE };

struct test_frame {
    u8 to[6], from[6];
    u16 type;
    u8 op, pad;
    u32 number;                      /* START: how many frames; DATA: which one */
    u32 size;                        /* START: bytes of each frame */
    u8 target[6];                    /* START: where to */
    u16 per_block;                   /* START: at most so many frames in a block, 0: as fits */
} __attribute__((packed));

struct counts_frame {
    struct test_frame head;
    struct ctc_counts counts;
    u64 data_frames, data_bytes, out_of_order, first_tod, last_tod;
} __attribute__((packed));

extern u8 lowcore[];                 /* address 0, from start.S */

static struct ctc ctc;
static u8 mac[6];
static u8 stream_frame[CTC_FRAME_MAX] __attribute__((aligned(8)));
static u32 stream_left, stream_next, stream_size, stream_per_block, in_block;
static u64 data_frames, data_bytes, out_of_order, first_tod, last_tod, expected;

void io_wait(void);

void *memcpy(void *to, const void *from, unsigned long n)
{
    u8 *t = to;
    const u8 *f = from;

    for (; n >= 256; n -= 256, t += 256, f += 256)
        asm volatile("mvc 0(256,%0),0(%1)" : : "a"(t), "a"(f) : "memory");
    while (n--)
        *t++ = *f++;
    return to;
}

void *memset(void *to, int value, unsigned long n)
{
    for (u8 *t = to; n--; t++)
        *t = (u8)value;
    return to;
}

static void reply(const struct test_frame *to, u8 op, u8 *frame, u32 length)
{
    struct test_frame *head = (struct test_frame *)frame;

    memcpy(head->to, to->from, 6);
    memcpy(head->from, mac, 6);
    head->op = op;
    ctc_send(&ctc, frame, length);
}

static int is_mine(const u8 *address)
{
    for (int i = 0; i < 6; i++)
        if (address[i] != mac[i])
            return 0;
    return 1;
}

static void start_stream(const struct test_frame *in)
{
    struct test_frame *head = (struct test_frame *)stream_frame;

    stream_size = in->size;
    stream_left = in->number;
    stream_next = 0;
    stream_per_block = in->per_block;
    in_block = 0;
    for (u32 i = 0; i < stream_size; i++)
        stream_frame[i] = (u8)(i * 7);
    memcpy(head->to, in->target, 6);
    memcpy(head->from, mac, 6);
    head->type = 0x88b5;
    head->op = OP_DATA;
}

static void take_frame(struct ctc *c, const u8 *frame, u32 length)
{
    const struct test_frame *in = (const struct test_frame *)frame;
    static u8 answer[CTC_FRAME_MAX];
    struct counts_frame *counts = (struct counts_frame *)answer;

    if (length < sizeof *in || in->type != 0x88b5 || !is_mine(in->to))
        return;                      /* a switch also floods what it has no address for */
    switch (in->op) {
    case OP_ECHO:
        memcpy(answer, frame, length);
        reply(in, OP_ECHOED, answer, length);
        break;
    case OP_QUERY:
        memcpy(answer, frame, sizeof *in);
        counts->counts = c->counts;
        counts->data_frames = data_frames;
        counts->data_bytes = data_bytes;
        counts->out_of_order = out_of_order;
        counts->first_tod = first_tod;
        counts->last_tod = last_tod;
        reply(in, OP_COUNTS, answer, sizeof *counts);
        break;
    case OP_START:
        start_stream(in);
        break;
    case OP_DATA:
        last_tod = tod();
        if (in->number == 0) {
            data_frames = data_bytes = out_of_order = expected = 0;
            first_tod = last_tod;
        }
        data_frames++;
        data_bytes += length;
        if (in->number != expected)
            out_of_order++;
        expected = in->number + 1;
        break;
    }
}

/* Fills the block that is not on its way, up to per_block frames. */
static void stream(void)
{
    struct test_frame *head = (struct test_frame *)stream_frame;

    if (ctc.filling == 4)
        in_block = 0;
    while (stream_left && (!stream_per_block || in_block < stream_per_block)) {
        head->number = stream_next;
        if (ctc_send(&ctc, stream_frame, stream_size) != 0)
            break;
        stream_next++;
        stream_left--;
        in_block++;
    }
}

void guest_main(void)
{
    mac[0] = 2;
    mac[5] = STATION;
    ctc.input = take_frame;
    if (ctc_open(&ctc, 0x0500, 0x0501) != 0)
        return;
    for (;;) {
        while (ctc_poll(&ctc, tod()) != 0) { /* only after an error: no timer here, so it spins */
            u32 pending = tpi();
            if (pending)
                ctc_interrupt(&ctc, pending);
        }
        stream();
        ctc_kick(&ctc);
        stream();
        io_wait();
        ctc_interrupt(&ctc, SUBCHANNEL);
    }
}
