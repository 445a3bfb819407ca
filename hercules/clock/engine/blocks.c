/* SPDX-License-Identifier: MIT */
/* Blocks as guests write them: frames (hercules/wire/block.py) or Linux' packets
 * (hercules/wire/ctcm.py). A length that does not fit: no part of the block is to be believed. */
#include "engine.h"
#include <string.h>

#define FRAME_MIN     14
#define FRAME_MAX     (14 + 32767)
#define BLOCK_MAX     61440
#define PAGED_CONTROL 60
#define PAGE          4096
#define PAGES_MAX     2
#define PACKET_MIN    20

static uint32_t half(const uint8_t *p)
{
    return (uint32_t)(p[0] << 8 | p[1]);
}

static int no_block(struct words *out)
{
    while (out->count)
        frame_drop(words_take(out).pointer);
    return -1;
}

int block_frames(const uint8_t *block, uint32_t length, struct words *out)
{
    uint32_t end, at = 4, behind;

    if (length < 4)
        return -1;
    end = half(block) << 16 | half(block + 2);
    if (end < 4 || end > length || end > BLOCK_MAX)
        return -1;
    behind = (end + PAGE - 1) / PAGE * PAGE;
    while (at < end) {
        uint32_t size, pages = 0;
        const uint8_t *data;
        struct frame *f;

        if (at + 2 > end)
            return no_block(out);
        size = half(block + at);
        at += 2;
        if (size < FRAME_MIN || size > FRAME_MAX || at + size > end)
            return no_block(out);
        data = block + at;
        if (half(data + 12) == PAGED && size == PAGED_CONTROL && data[14]) {
            pages = data[14] * (uint32_t)PAGE;
            if (data[14] > PAGES_MAX || behind + pages > length)
                return no_block(out);
        }
        f = frame_of(size + pages);
        memcpy(f->data, data, size);
        if (pages) {
            f->data[15] = 0;
            memcpy(f->data + size, block + behind, pages);
            behind += pages;
        }
        words_add(out, (union word){.pointer = f});
        at += size;
    }
    return (int)out->count;
}

int ctcm_packets(const uint8_t *block, uint32_t length, struct words *out)
{
    uint32_t end, at = 2;

    if (length < 2)
        return -1;
    end = half(block);
    if (end < 2 || end > length)
        return -1;
    while (at + 2 <= end && half(block + at)) {
        uint32_t size;

        if (at + CTCM_HEAD > end)
            return no_block(out);
        size = half(block + at);
        if (size < CTCM_HEAD || at + size > end)
            return no_block(out);
        if (half(block + at + 2) == 0x0800 && size >= CTCM_HEAD + PACKET_MIN
            && block[at + CTCM_HEAD] >> 4 == 4)
            words_add(out, (union word){.pointer = frame_new(block + at + CTCM_HEAD,
                                                            size - CTCM_HEAD)});
        at += size;
    }
    return (int)out->count;
}
