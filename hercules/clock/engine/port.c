/* SPDX-License-Identifier: MIT */
/* A place on the LAN: its two directions, and the frames that its owner has yet to take.
 * hercules/wire/lan.py is the same for a wire on the host's clock. */
#include "engine.h"
#include <string.h>

#define BLOCK_MAX      61440
#define BLOCKS_WAITING 16              /* with more its receiver cannot follow */

static struct frame *waiting(const struct port *p, size_t i)
{
    return words_at(&p->queue, i)->pointer;
}

static int64_t last_end(const struct port *p)
{
    return p->ends.count ? words_at(&p->ends, p->ends.count - 1)->number : p->number;
}

/* What is in the queue now is the end of a block. */
void port_end_block(struct port *p)
{
    int64_t end = p->number + (int64_t)p->queue.count;

    if (end > last_end(p))
        words_add(&p->ends, (union word){.number = end});
}

/* Frames of the queue that may go up by themselves: gms_net's wait for the end of the block that
 * they were sent in. */
int64_t port_whole(const struct port *p)
{
    int64_t ended = p->ends.count ? last_end(p) - p->number : 0;

    for (int64_t i = ended; i < (int64_t)p->queue.count; i++)
        if (frame_is(waiting(p, (size_t)i), PAGED))
            return i;
    return (int64_t)p->queue.count;
}

static int full(const struct port *p)
{
    int64_t ahead = p->queued_bytes + p->in_flight_bytes + p->expected_bytes;
    int64_t queue = p->down.profile.queue;
    int64_t most = queue - BLOCK_MAX > queue / 2 ? queue - BLOCK_MAX : queue / 2;

    return p->connected && ahead > most;
}

/* Whether it had better wait before it sends more. */
int port_held(const struct port *p)
{
    for (int i = 0; i < p->towards_count; i++)
        if (full(p->towards[i]))
            return 1;
    return 0;
}

static void let_go(struct port *p, struct frame *f, struct words *into)
{
    p->queued_bytes -= f->length;
    p->taken_frames++;
    p->taken_bytes += f->length;
    p->number++;
    if (into)
        words_add(into, (union word){.pointer = f});
    else
        frame_drop(f);
}

/* Frames from the queue, in order, as many as fit. */
int port_take(struct port *p, int64_t room, int64_t per_frame, int together, struct words *into)
{
    int64_t most = (int64_t)p->queue.count;
    int taken = 0;

    if (together && p->ends.count && p->ends.count <= BLOCKS_WAITING)
        most = words_at(&p->ends, 0)->number - p->number;
    while (taken < most && (room -= waiting(p, 0)->length + per_frame) >= 0) {
        let_go(p, words_take(&p->queue).pointer, into);
        taken++;
    }
    while (p->ends.count && words_at(&p->ends, 0)->number <= p->number)
        words_take(&p->ends);
    return taken;
}

int port_take_block(struct port *p, int64_t room, int64_t gathered, int64_t per_frame,
                    struct words *into)
{
    if (p->queue.count && p->up.profile.rate) {
        struct frame *first = waiting(p, 0);
        int64_t all = p->queued_bytes + per_frame * (int64_t)p->queue.count;

        if (!frame_is(first, PAGED))
            room = gathered > first->length + per_frame ? gathered : first->length + per_frame;
        if (p->followed && !p->ends.count && all < room)
            return 0;
    }
    return port_take(p, room, per_frame, 1, into);
}

/* A frame that was taken was not wanted. */
void port_refuse(struct port *p, struct frame *f)
{
    p->taken_frames--;
    p->taken_bytes -= f->length;
    direction_drop_late(&p->down, f, DROP_REFUSED);
}
