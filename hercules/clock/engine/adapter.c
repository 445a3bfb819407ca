/* SPDX-License-Identifier: MIT */
/* A guest's two devices: blocks of frames that it writes, frames that arrive for it. A frame goes
 * to the emulator as it arrives, gms_net's with the others of its block. Until the guest has read
 * it, it stands in the port's queue too, which bounds what may wait. */
#include "engine.h"
#include <string.h>

#define HELD_POLL 100e-6               /* seconds between two looks whether a router has room */

static void links(struct adapter *a)
{
    int present = a->reads && a->writes;

    if (present == a->port->connected)
        return;
    a->given = 0;
    if (present)
        a->port->connected = 1;
    else
        lan_disconnect(a->port);
    world_look(a->node->world);        /* who waits for it */
}

static void let_go(struct adapter *a, uint32_t frames)
{
    int64_t n = frames < a->given ? frames : a->given, bytes = 0;

    for (int64_t i = 0; i < n; i++)
        bytes += ((struct frame *)words_at(&a->port->queue, (size_t)i)->pointer)->length;
    port_take(a->port, bytes, 0, 0, NULL);
    a->given -= n;
}

static void taken(struct adapter *a, const struct message *m)
{
    uint32_t frames = 0;

    memcpy(&frames, m->content, m->length < 4 ? m->length : 4);
    if (!frames) {
        a->reads = 1;
        links(a);
        return;
    }
    a->blocks_out++;
    if (!a->station)
        let_go(a, frames);
}

void adapter_heard(struct adapter *a, const struct message *m)
{
    if (m->kind == KIND_TAKEN) {
        taken(a, m);
        return;
    }
    a->reads = a->writes = 0;
    links(a);
    if (a->station) {
        station_free(a->station);
        a->station = station_new();
    }
}

static void out(struct adapter *a, struct words *frames)
{
    lan_ingress(a->port, (struct frame **)(frames->at + frames->first), (int)frames->count,
                world_seconds(a->node->world), 1);
    while (frames->count)
        frame_drop(words_take(frames).pointer);
}

/* A block is on the adapter. Its WRITE ends at once, or, on a link with a rate, when there is room
 * for another. */
void adapter_written(struct adapter *a, const struct message *m)
{
    static struct words frames, packets;

    if (!a->writes) {
        a->writes = 1;
        links(a);
    }
    a->blocks_in++;
    if (!a->station) {
        a->bad_blocks += block_frames(m->content, m->length, &frames) < 0;
    } else if (ctcm_packets(m->content, m->length, &packets) < 0) {
        a->bad_blocks++;
    } else {
        while (packets.count) {
            struct frame *p = words_take(&packets).pointer;
            station_sent(a->station, p->data, p->length, &frames);
            frame_drop(p);
        }
    }
    out(a, &frames);
    adapter_end_write(a);
}

static double busy(const struct adapter *a)
{
    const struct direction *up = &a->port->up;
    double left;

    if (!up->profile.rate)
        return 0;
    left = direction_ready_at(up, up->profile.queue / 2) - world_seconds(a->node->world);
    return left > 0 ? left : 0;
}

void adapter_end_write(struct adapter *a)
{
    struct world *w = a->node->world;
    double wait = busy(a);

    if (wait == 0 && port_held(a->port))
        wait = HELD_POLL;
    if (wait > 0)
        world_event(w, (struct event){.time = w->now + picoseconds(wait), .rank = RANK_STATION,
                                      .who = (uint32_t)a->node->index, .adapter = a,
                                      .kind = EVENT_END_WRITE});
    else
        node_tell(a->node, KIND_DONE, w->now, &a->write_device, 2, NULL, 0);
}

static void give(struct adapter *a, const struct frame *f, uint64_t time)
{
    struct {
        uint16_t device;
        uint8_t length[2];
    } head = {a->read_device, {(uint8_t)(f->length >> 8), (uint8_t)f->length}};

    node_tell(a->node, KIND_BLOCK, time, &head, 4, f->data, f->length);
}

/* The guest is told what arrives before LIMIT, when it does: nothing that it does meanwhile changes
 * that. Returns when something arrives that it cannot be told of yet, or LIMIT. */
uint64_t adapter_ahead(struct adapter *a, uint64_t limit)
{
    const struct crossing *coming[COMING];
    int count = lan_coming(a->port, coming);
    int sure = a->port->connected && !a->port->down.cut && !a->station
               && a->given == (int64_t)a->port->queue.count;

    for (int i = (int)a->ahead; i < count; i++) {
        uint64_t time = picoseconds(coming[i]->at);

        if (time >= limit)
            break;
        if (!sure || coming[i]->sender || frame_is(coming[i]->transit.frame, PAGED))
            return time;
        give(a, coming[i]->transit.frame, time);
        a->ahead++;
    }
    return limit;
}

/* What it was told ahead does not come from now on, or is told again. */
void adapter_lost(struct adapter *a)
{
    if (!a || !a->ahead)
        return;
    a->ahead = 0;
    node_tell(a->node, KIND_LOST, a->node->world->now, NULL, 0, NULL, 0);
}

static void give_packet(struct adapter *a, const struct frame *packet)
{
    uint32_t length = CTCM_HEAD + packet->length;
    struct {
        uint16_t device;
        uint8_t head[CTCM_HEAD];
    } head = {a->read_device, {(uint8_t)(length >> 8), (uint8_t)length, 8, 0, 0, 0}};

    node_tell(a->node, KIND_BLOCK, a->node->world->now, &head, sizeof(head), packet->data,
              packet->length);
}

static void wake_station(struct adapter *a)
{
    static struct words came;
    struct world *w = a->node->world;
    struct words replies = {0};

    port_take(a->port, 1 << 30, 0, 0, &came);
    while (came.count) {
        struct frame *f = words_take(&came).pointer;
        size_t before = replies.count;
        struct frame *packet = station_came(a->station, f, &replies);

        if (packet && packet->length <= CTCM_PACKET_MAX)
            give_packet(a, packet);
        else if (replies.count == before)
            port_refuse(a->port, f);
        if (packet)
            frame_drop(packet);
        frame_drop(f);
    }
    if (replies.count)                 /* whoever is woken must not send */
        world_event(w, (struct event){.time = w->now, .rank = RANK_STATION,
                                      .who = (uint32_t)a->node->index, .adapter = a,
                                      .frames = replies, .kind = EVENT_FRAMES});
}

void adapter_wake(struct adapter *a)
{
    int64_t whole = port_whole(a->port);

    if (a->station) {
        wake_station(a);
        return;
    }
    for (; a->given < whole; a->given++)
        if (a->ahead)
            a->ahead--;
        else
            give(a, words_at(&a->port->queue, (size_t)a->given)->pointer, a->node->world->now);
}
