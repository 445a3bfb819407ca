/* SPDX-License-Identifier: MIT */
/* What Python needs beside the rest (hercules/clock/native.py): frames as bytes, and parts of a
 * world to be made. */
#include "engine.h"
#include <stdlib.h>
#include <string.h>

/* FRAMES, COUNT of them behind each other, come in at a port now. */
void python_ingress(struct world *w, struct port *p, const uint8_t *frames,
                    const uint32_t *lengths, int count, int together)
{
    struct frame **made = must(calloc((size_t)count + 1, sizeof(*made)));

    for (int i = 0; i < count; i++) {
        made[i] = frame_new(frames, lengths[i]);
        frames += lengths[i];
    }
    lan_ingress(p, made, count, world_seconds(w), together);
    for (int i = 0; i < count; i++)
        frame_drop(made[i]);
    free(made);
}

/* Frames from a port's queue: how many, and behind each other in DATA, which is good until the next
 * call. GATHERED < 0: those that fit; else the next block. */
int python_take(struct port *p, int64_t room, int64_t gathered, int64_t per_frame,
                const uint8_t **data, const uint32_t **lengths)
{
    static struct words taken;
    static uint8_t *bytes;
    static uint32_t *sizes;
    size_t total = 0, at = 0;
    int count = gathered < 0 ? port_take(p, room, per_frame, 0, &taken)
                             : port_take_block(p, room, gathered, per_frame, &taken);

    for (int i = 0; i < count; i++)
        total += ((struct frame *)words_at(&taken, (size_t)i)->pointer)->length;
    bytes = must(realloc(bytes, total + 1));
    sizes = must(realloc(sizes, ((size_t)count + 1) * sizeof(*sizes)));
    for (int i = 0; i < count; i++) {
        struct frame *f = words_take(&taken).pointer;
        memcpy(bytes + at, f->data, f->length);
        at += f->length;
        sizes[i] = f->length;
        frame_drop(f);
    }
    *data = bytes;
    *lengths = sizes;
    return count;
}

/* A frame that was taken is not wanted. */
void python_refuse(struct port *p, const uint8_t *data, uint32_t length)
{
    struct frame *f = frame_new(data, length);

    port_refuse(p, f);
    frame_drop(f);
}

/* Bytes of the first frame that waits; 0 if none does. */
uint32_t python_waiting(const struct port *p)
{
    return p->queue.count ? ((struct frame *)words_at(&p->queue, 0)->pointer)->length : 0;
}

/* The next of Python's ports that something has come for, or -1. */
int python_woken(struct world *w)
{
    return w->lan.woken.count ? (int)words_take(&w->lan.woken).number : -1;
}

struct port *python_port(struct world *w, int python)
{
    return lan_attach(&w->lan, python);
}

/* The draws of an effect begin at STATE: 624 words and the place of the next. */
void python_chance(struct direction *d, int effect, const uint32_t *state)
{
    d->chance[effect] = must(malloc(sizeof(struct chance)));
    memcpy(d->chance[effect]->state, state, sizeof(d->chance[effect]->state));
    d->chance[effect]->at = (int)state[624];
}

void python_watch(struct world *w, void (*watch)(double, int, const uint8_t *, uint32_t))
{
    w->lan.watch = watch;
}

void python_lines(int64_t (*waiting)(void *, double),
                  double (*send)(void *, const uint8_t *, uint32_t, double, int64_t *))
{
    line_waiting = waiting;
    line_send = send;
}

/* The I-th address that the switch knows: its port's index, or -1. */
int python_address(const struct world *w, int i, uint8_t mac[6])
{
    if (i >= w->lan.address_count)
        return -1;
    memcpy(mac, w->lan.addresses[i].mac, 6);
    return w->lan.addresses[i].port->index;
}

int64_t python_filtered(const struct world *w)
{
    return w->lan.filtered;
}

struct adapter *python_adapter(struct node *n, struct port *p, int packets, int write, int read)
{
    struct adapter *a = must(calloc(1, sizeof(*a)));

    a->node = n;
    a->port = p;
    a->station = packets ? station_new() : NULL;
    a->write_device = (uint16_t)write;
    a->read_device = (uint16_t)read;
    n->adapter = a;
    p->adapter = a;
    return a;
}

/* What was recorded since this was asked last, but what may yet be preceded unless it is OVER: its
 * length. */
size_t python_trace(struct world *w, int over, const char **text)
{
    uint64_t floor = world_floor(w);   /* who waits may be woken by what is due from `now` on */
    size_t length;

    trace_until(w, over ? NEVER : floor < w->now ? floor : w->now);
    length = w->trace_length;

    *text = w->trace;
    w->trace_length = 0;
    return length;
}
