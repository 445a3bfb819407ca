/* SPDX-License-Identifier: MIT */
/* A station of the LAN for a guest that knows IP packets only: Ethernet headers, and ARP for it
 * (hercules/wire/station.py). */
#include "engine.h"
#include <stdlib.h>
#include <string.h>

#define NEIGHBOURS_MAX 1024
#define ADDRESSES_MAX  1024
#define WAITING_MAX    64
#define FRAME_MIN      14
#define ARP_SIZE       (FRAME_MIN + 28)
#define ASK            1
#define ANSWER         2

static const uint8_t BROADCAST[6] = {255, 255, 255, 255, 255, 255}, NOBODY[6], NOWHERE[4];

struct station {
    int has_mac, address_count, neighbour_count, waiting_count;
    uint8_t mac[6], addresses[ADDRESSES_MAX][4];
    struct {
        uint8_t address[4], mac[6];
    } neighbours[NEIGHBOURS_MAX];
    struct {
        uint8_t target[4];
        struct frame *packet;
    } waiting[WAITING_MAX + 1];
};

struct station *station_new(void)
{
    return must(calloc(1, sizeof(struct station)));
}

void station_free(struct station *s)
{
    for (int i = 0; s && i < s->waiting_count; i++)
        frame_drop(s->waiting[i].packet);
    free(s);
}

static int own(const struct station *s, const uint8_t *address)
{
    for (int i = 0; i < s->address_count; i++)
        if (memcmp(s->addresses[i], address, 4) == 0)
            return 1;
    return 0;
}

static int neighbour(const struct station *s, const uint8_t *address)
{
    for (int i = 0; i < s->neighbour_count; i++)
        if (memcmp(s->neighbours[i].address, address, 4) == 0)
            return i;
    return -1;
}

static int mac_of(const struct station *s, const uint8_t *address, uint8_t mac[6])
{
    int at;

    if ((address[0] & 0xF0) == 0xE0) {
        memcpy(mac, "\1\0\x5e", 3);
        mac[3] = address[1] & 0x7F;
        memcpy(mac + 4, address + 2, 2);
        return 1;
    }
    if (memcmp(address, BROADCAST, 4) == 0) {
        memcpy(mac, BROADCAST, 6);
        return 1;
    }
    at = neighbour(s, address);
    if (at >= 0)
        memcpy(mac, s->neighbours[at].mac, 6);
    return at >= 0;
}

static struct frame *framed(const struct station *s, const uint8_t *mac, const uint8_t *packet,
                            uint32_t length)
{
    struct frame *f = frame_of(FRAME_MIN + length);

    memcpy(f->data, mac, 6);
    memcpy(f->data + 6, s->mac, 6);
    memcpy(f->data + 12, "\x08\0", 2);
    memcpy(f->data + FRAME_MIN, packet, length);
    return f;
}

static struct frame *arp(const struct station *s, int kind, const uint8_t *to,
                         const uint8_t *target_mac, const uint8_t *target, const uint8_t *own_ip)
{
    struct frame *f = frame_of(ARP_SIZE);
    uint8_t *p = f->data;

    memcpy(p, to, 6);
    memcpy(p + 6, s->mac, 6);
    memcpy(p + 12, "\x08\x06\0\1\x08\0\6\4\0", 9);
    p[21] = (uint8_t)kind;
    memcpy(p + 22, s->mac, 6);
    memcpy(p + 28, own_ip ? own_ip : s->mac + 2, 4);
    memcpy(p + 32, target_mac, 6);
    memcpy(p + 38, target, 4);
    return f;
}

/* The frames that a packet of the guest's becomes: it goes out, or waits until its receiver's
 * address is known, which is asked for. */
void station_sent(struct station *s, const uint8_t *packet, uint32_t length, struct words *out)
{
    const uint8_t *source = packet + 12, *target = packet + 16;
    uint8_t mac[6];

    if (memcmp(source, NOWHERE, 4) != 0) {
        if (!own(s, source) && s->address_count < ADDRESSES_MAX)
            memcpy(s->addresses[s->address_count++], source, 4);
        if (!s->has_mac) {
            memcpy(s->mac, "\2\0", 2);
            memcpy(s->mac + 2, source, 4);
            s->has_mac = 1;
        }
    }
    if (!s->has_mac)
        return;
    if (mac_of(s, target, mac)) {
        words_add(out, (union word){.pointer = framed(s, mac, packet, length)});
        return;
    }
    memcpy(s->waiting[s->waiting_count].target, target, 4);
    s->waiting[s->waiting_count++].packet = frame_new(packet, length);
    if (s->waiting_count > WAITING_MAX) {
        frame_drop(s->waiting[0].packet);
        memmove(&s->waiting[0], &s->waiting[1], WAITING_MAX * sizeof(s->waiting[0]));
        s->waiting_count--;
    }
    /* for each packet: the question may be lost, and what is lost is sent again */
    words_add(out, (union word){.pointer = arp(s, ASK, BROADCAST, NOBODY, target, NULL)});
}

static void learn(struct station *s, const uint8_t *address, const uint8_t *mac)
{
    int at;

    if (memcmp(address, NOWHERE, 4) == 0 || mac[0] & 1)
        return;
    at = neighbour(s, address);
    if (at < 0 && s->neighbour_count < NEIGHBOURS_MAX) {
        at = s->neighbour_count++;
        memcpy(s->neighbours[at].address, address, 4);
    }
    if (at >= 0)
        memcpy(s->neighbours[at].mac, mac, 6);
}

static int wanted(const struct station *s, const uint8_t *address)
{
    for (int i = 0; i < s->waiting_count; i++)
        if (memcmp(s->waiting[i].target, address, 4) == 0)
            return 1;
    return 0;
}

static void let_go(struct station *s, struct words *out)
{
    int left = 0;

    for (int i = 0; i < s->waiting_count; i++) {
        int at = neighbour(s, s->waiting[i].target);
        struct frame *packet = s->waiting[i].packet;

        if (at < 0) {
            s->waiting[left++] = s->waiting[i];
            continue;
        }
        words_add(out, (union word){.pointer = framed(s, s->neighbours[at].mac, packet->data,
                                                      packet->length)});
        frame_drop(packet);
    }
    s->waiting_count = left;
}

static void asked(struct station *s, const struct frame *f, struct words *out)
{
    const uint8_t *p = f->data + FRAME_MIN, *mac = p + 8, *address = p + 14, *target = p + 24;

    if (memcmp(p, "\0\1\x08\0\6\4\0", 7) != 0 || (p[7] != ASK && p[7] != ANSWER))
        return;
    if (own(s, target) || neighbour(s, address) >= 0 || wanted(s, address))
        learn(s, address, mac);
    if (p[7] == ASK && own(s, target))
        words_add(out, (union word){.pointer = arp(s, ANSWER, mac, mac, address, target)});
    let_go(s, out);
}

/* The packet for the guest that a frame from the LAN is, or NULL; and the frames that answer it or
 * that it lets go. */
struct frame *station_came(struct station *s, const struct frame *f, struct words *out)
{
    const uint8_t *packet = f->data + FRAME_MIN;
    uint32_t length, room;

    if (!s->has_mac || f->length < FRAME_MIN)
        return NULL;
    if (frame_is(f, 0x0806) && f->length >= ARP_SIZE) {
        asked(s, f, out);
        return NULL;
    }
    if (!frame_is(f, 0x0800) || !(memcmp(f->data, s->mac, 6) == 0 || f->data[0] & 1))
        return NULL;
    room = f->length - FRAME_MIN;
    if (room < 20 || packet[0] >> 4 != 4)
        return NULL;
    length = (uint32_t)(packet[2] << 8 | packet[3]);
    if (length < 20 || length > room)
        return NULL;
    if (memcmp(f->data, s->mac, 6) == 0)
        learn(s, packet + 12, f->data + 6);
    return frame_new(packet, length);  /* without what a short frame was padded with */
}
