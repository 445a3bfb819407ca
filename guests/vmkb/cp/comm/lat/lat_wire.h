/* SPDX-License-Identifier: MIT */
/* What LAT's files share: the protocol's numbers (docs/reference/lat.md), and the parts. */
#ifndef VMKB_LAT_WIRE_H
#define VMKB_LAT_WIRE_H
#include "lat.h"
#include "le.h"
#include "lib.h"

#define ETH 14                  /* bytes of the Ethernet header */
#define HEADER 8                /* bytes of a circuit message's header */
#define FRAME_MIN 60

#define MSG_RUN      0
#define MSG_START    1
#define MSG_STOP     2
#define MSG_ANNOUNCE 10
#define MSG_SOLICIT  14
#define MSG_RESPONSE 15
#define FROM_MASTER  2
#define RESPOND      1          /* response requested */

#define SLOT_DATA_A    0x0
#define SLOT_START     0x9
#define SLOT_DATA_B    0xa
#define SLOT_ATTENTION 0xb
#define SLOT_REJECT    0xc
#define SLOT_STOP      0xd
#define DATA_B_BREAK   0x10

#define VERSION 5
#define ECO     2
#define PRODUCT 3               /* VAX/VMS: what a host of a general kind says */
#define TIMER_MIN 1             /* circuit timer in 10 ms: a server's is 3 to 20 */
#define TIMER_MAX 100
#define TIMER_DEFAULT 8

/* reasons of a circuit's Stop */
#define STOP_ILLEGAL  3
#define STOP_HALT     4
#define STOP_NO_PROGRESS 5
#define STOP_RESENDS  7
#define STOP_RESOURCES 8
#define STOP_TIMER    9
#define STOP_CIRCUITS 10

/* reasons of a slot's Reject and Stop */
#define SLOT_USER      1
#define SLOT_SHUTDOWN  2
#define SLOT_INVALID   3
#define SLOT_CLASS     4
#define SLOT_RESOURCES 5
#define SLOT_NO_SERVICE 7

struct slot {
    uint8_t dst, src, type, low; /* low: credits or reason */
    uint8_t len;
    const uint8_t *data;
};

/* lat_slots.c: the slots of a Run message */
const uint8_t *slot_next(const uint8_t *at, const uint8_t *end, struct slot *s); /* 0: malformed */
void slots_take(struct lat *l, struct lat_circuit *c, const uint8_t *at, const uint8_t *end,
                unsigned count);
size_t slots_build(struct lat *l, struct lat_circuit *c, uint8_t *at, size_t room, unsigned *count);
void session_release(struct lat *l, struct lat_session *s);
void session_stop(struct lat *l, struct lat_session *s, unsigned reason);

/* lat_announce.c: who we are */
/* 0: malformed */
const uint8_t *counted(const uint8_t *at, const uint8_t *end, const uint8_t **text, unsigned *len);
uint8_t *put_counted(uint8_t *p, const char *text);
/* header made, padded */
void frame_send(struct lat *l, const uint8_t mac[6], uint8_t *frame, uint8_t *end);
void announce(struct lat *l);
void solicited(struct lat *l, const uint8_t *frame, size_t len);

/* lat.c: circuits */
void circuit_kick(struct lat *l, struct lat_circuit *c);
#endif
