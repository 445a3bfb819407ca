/* SPDX-License-Identifier: MIT */
/* Drives guests/vmkb/service/afs from a pipe: big-endian records of u16 length and that many bytes,
 * the first an operation letter; each is answered by one record (u32 length) of what happened, in
 * order. The server and the location service share one Rx. `harness fuzz SEED ROUNDS` runs without
 * a pipe: requests of every kind, most nearly right, and packets damaged on the way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "../fs/ramdisk.h"
#include "../pipe.h"
#include "location.h"
#include "server.h"

#define DISKS    3
#define VOLUME_1 1001u

static struct rx rx;
static struct afs_server server;
static struct location places;
static struct ramdisk disks[DISKS];
static struct volume volumes[DISKS];
static unsigned disk_count;
static uint8_t *storage;
static uint64_t now = 3000000000u * 1000000ull;

static void op_send(void *arg, const struct rx_address *to, const uint8_t *packet, uint32_t len)
{
    (void)arg;
    put8('p');
    put32(to->ip);
    put32(to->port);
    put32(len);
    put(packet, len);
}

static bool of_places(const struct rx_call *call)
{
    return !call->conn->client && call->conn->service == AFS_SERVICE_LOCATION;
}

static void op_data(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    (void)arg;
    if (of_places(call))
        location_data(&places, call, bytes, len);
    else
        afs_data(&server, call, bytes, len);
}

static void op_event(void *arg, struct rx_call *call, enum rx_event what)
{
    (void)arg;
    if (of_places(call))
        location_event(&places, call, what);
    else
        afs_event(&server, call, what);
}

static bool op_serves(void *arg, uint16_t service)
{
    (void)arg;
    return service == AFS_SERVICE || service == AFS_SERVICE_LOCATION;
}

/* Begins a life of the server on the disks as they are. */
static void begin(uint32_t mtu)
{
    const struct rx_ops ops = {op_send, op_data, op_event, op_serves};
    struct rx_config config = {.connections = 64, .mtu = mtu, .window = 32, .jumbo = 1,
                               .epoch = 7, .version = "harness"};
    size_t size = rx_packets_for(&config, 500);
    static const uint8_t names[] = "v1v2v3";

    for (unsigned i = 0; i < AFS_CALLS; i++)
        server.calls[i].state = CALL_FREE;
    free(storage);
    storage = malloc(size);
    if (!rx_init(&rx, &ops, 0, &config, storage, size))
        abort();
    rx.now = now;
    afs_init(&server, &rx, 0);
    memset(&places, 0, sizeof(places));
    places.rx = &rx;
    places.server = 0x0a000002;
    for (unsigned i = 0; i < disk_count; i++) {
        struct fs_device dev = ramdisk_device(&disks[i]);
        disks[i].dead = 0;
        disks[i].writes_left = -1;
        int rc = volume_open(&volumes[i], &dev, VOLUME_1 + i, names + 2 * i, 2,
                             (uint32_t)(now / 1000000));
        put8('o');
        put32((uint32_t)rc);
        server.volumes[i] = &volumes[i];
        places.volumes[places.count] = (struct location_volume){.id = VOLUME_1 + i, .name_len = 2};
        memcpy(places.volumes[places.count++].name, names + 2 * i, 2);
    }
}

static void format(unsigned count, uint32_t blocks)
{
    static struct fs fs;
    const uint8_t label[8] = {0xE3, 0xC5, 0xE2, 0xE3, 0x40, 0x40, 0x40, 0x40};

    disk_count = count;
    for (unsigned i = 0; i < count; i++) {
        free(disks[i].data);
        disks[i] = (struct ramdisk){.data = calloc(blocks, FS_FBA_SIZE), .blocks = blocks,
                                    .writes_left = -1};
        struct fs_device dev = ramdisk_device(&disks[i]);
        if (fs_format(&fs, &dev, label, 1) != FS_OK)
            abort();
    }
}

/* Nothing is held that no call holds. */
static void check(void)
{
    unsigned files = 0, held = 0, stored = 0, storing = 0;

    for (unsigned i = 0; i < disk_count; i++) {
        for (const struct fs_file *f = volumes[i].fs.open; f; f = f->next)
            files++;
        for (unsigned s = 0; s < VOLUME_SLOTS; s++)
            stored += volumes[i].storing[s];
    }
    for (unsigned i = 0; i < AFS_CALLS; i++) {
        const struct afs_call *c = &server.calls[i];
        held += c->state == CALL_STORING || (c->state == CALL_FETCHING && c->fetch.file.fs);
        storing += c->state == CALL_STORING;
        if (c->state != CALL_FREE && (!c->call || c->call->user != c || !c->call->active))
            abort();
        if ((c->state == CALL_WAITING || c->state == CALL_HELD) && !c->awaits)
            abort();
    }
    if (files != held || stored != storing) {
        fprintf(stderr, "%u files open, %u held; %u stored, %u storing\n", files, held, stored,
                storing);
        abort();
    }
    unsigned promises = 0, given = 0, free_ones = 0;
    for (unsigned i = 0; i < AFS_CLIENTS; i++)
        given += server.callbacks.clients[i].promises;
    for (unsigned h = 0; h < AFS_HASH; h++)
        for (unsigned i = server.callbacks.chains[h]; i; i = server.callbacks.promises[i - 1].next)
            promises++;
    for (unsigned i = server.callbacks.free; i; i = server.callbacks.promises[i - 1].next)
        free_ones++;
    if (promises != given || promises + free_ones != AFS_PROMISES)
        abort();
}

static void counts(void)
{
    const struct callbacks *b = &server.callbacks;
    const uint64_t values[] = {server.counts.calls, server.counts.done, server.counts.failed,
                               server.counts.busy, server.counts.bytes_fetched,
                               server.counts.bytes_stored, b->given, b->broken, b->expired,
                               b->unanswered, rx.packets - rx.free_packets};

    put8('k');
    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        put64(values[i]);
}

static void time_passes(void)
{
    rx_tick(&rx, now);
    afs_tick(&server);
}

static void operate(const uint8_t *p, uint32_t len)
{
    struct rx_address from;

    switch (p[0]) {
    case 'I':                    /* volumes, blocks, MTU */
        format(rx_get32(p + 1), rx_get32(p + 5));
        begin(rx_get32(p + 9));
        break;
    case 'R':                    /* the server ends and begins again: MTU */
        begin(rx_get32(p + 1));
        break;
    case 'P':
        now = get64(p + 1);
        from = (struct rx_address){rx_get32(p + 9), rx_get16(p + 13)};
        rx_input(&rx, &from, p + 15, len - 15, now);
        time_passes();
        break;
    case 'T':
        now = get64(p + 1);
        time_passes();
        break;
    case 'D':                    /* byte of volume 1's disk, xor */
        disks[0].data[rx_get32(p + 1)] ^= p[5];
        break;
    case 'F':                    /* the disk of volume 1 fails from its next write on */
        disks[0].writes_left = 0;
        break;
    case 'K':
        counts();
        break;
    default:
        abort();
    }
    uint64_t next = server.next < rx.next ? server.next : rx.next;
    put8('n');
    put64(next);
    check();
}

#include "fuzz.h"

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "fuzz") == 0)
        return fuzz((unsigned)strtoul(argv[2], 0, 10), strtoul(argv[3], 0, 10));
    if (!pipe_serve(operate))
        return 1;
    free(storage);
    for (unsigned i = 0; i < DISKS; i++)
        free(disks[i].data);
    return 0;
}
