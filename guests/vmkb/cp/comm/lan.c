/* SPDX-License-Identifier: MIT */
/* CP's frames on the channel-to-channel pair (lan.h). A block that comes in is looked through for
 * DEC's Ethertypes that somebody in CP registered: 60xx in one comparison, since every IP frame
 * pays for it. */
#include "lan.h"
#include "channel.h"
#include "ctype.h"
#include "defs.h"
#include "lib.h"

#define TYPE_AT 12           /* in a frame */
#define TYPES   0x60         /* the first byte of DEC's */
#define NODE_MAX 6
#define EMPTY   4            /* length of a block without frames: that of its length word */

struct lan_counts lan_counts;
uint8_t lan_address[6];

static lan_handler *handlers[LAN_HANDLERS]; /* by the second byte */

/* In a ring: one is sent, behind it those that wait, and the last one is being filled. */
static uint8_t storage[LAN_RING][LAN_BLOCK] __attribute__((aligned(4096)));
static struct block {
    struct ctca_block to;          /* what ctca.c is told of it */
    uint8_t *at;
    struct block *next;
    uint32_t length;               /* up to the end of the last frame */
    union {
        struct {
            uint8_t announced;     /* a frame in it is for a group */
            uint8_t loud;          /* the end of its writing is waited for */
            uint8_t pages, payloads;
        };
        uint32_t special;          /* any of these */
    };
    struct counted *of[LAN_PAGES]; /* whose pages they are */
    uint64_t address[1 + LAN_PAGES]; /* of each page: the channel's list */
} ring[LAN_RING];
static struct block *filling = ring;
static struct block *oldest = ring; /* of those that wait, or the one that is filled */
static struct block *sending;      /* the one before, if it is being sent: nothing may be added */
static uint8_t *taking;            /* the block that is being looked through: what it draws, */
static bool gathering;             /* or other work does, goes in one block when that is done */
static bool drawn;                 /* there is something */
static void (*room_again)(void);
static bool room_wanted;           /* somebody has more than there was room for */
static char node[NODE_MAX + 1];

bool lan_register(uint16_t ethertype, lan_handler *handler)
{
    if (ethertype >> 4 != 0x600)
        return false;
    handlers[ethertype & 15] = handler;
    return true;
}

void lan_set_address(const uint8_t mac[6])
{
    memcpy(lan_address, mac, 6);
}

const char *lan_node(void)
{
    return node;
}

static inline unsigned be16(const uint8_t *p)
{
    return *(const uint32_t *)p >> 16; /* in this machine's order, and what follows is there too */
}

/* Whose frame it is in CP, 0: nobody's. */
static inline lan_handler *handler_of(const uint8_t *frame)
{
    const uint8_t *type = frame + TYPE_AT;

    return type[0] == TYPES && type[1] < LAN_HANDLERS ? handlers[type[1]] : 0;
}

/* Multicast: all that nodes tell of themselves at fixed times is that, and nothing else here. */
static inline bool for_group(const uint8_t *frame)
{
    return frame[0] & 1;
}

static inline void handle(lan_handler *handler, const uint8_t *frame, uint32_t n)
{
    lan_counts.frames_in++;
    lan_counts.bytes_in += n;
    if (for_group(frame))
        acct_by_clock();
    handler(frame, n);
}

static inline bool has_head(const uint8_t *frame_at, const uint8_t *end)
{
    return frame_at + 2 + TYPE_AT + 2 <= end;
}

/* To what is full, or whole as it is, nothing is added, if there is another block. */
static inline void next_block(void)
{
    if (filling->length != EMPTY && filling->next->length == EMPTY)
        filling = filling->next;
}

/* What was drawn goes, in one block. If that has to wait it stays one, when it is all gms_net's:
 * how many there are is up to the calls, not to how long the one before takes. Others' frames go
 * together with what is sent next. */
static inline void gathered(void)
{
    if (!drawn)
        return;
    drawn = false;
    ctca_start_write();
    if (filling->length != EMPTY && !filling->loud)
        next_block();
}

void lan_gather(void)
{
    gathering = true;
}

void lan_gathered(void)
{
    gathering = false;
    gathered();
}

/* From the first frame for CP on: handle, and move the others together. */
static ONE_PIECE __attribute__((noinline)) uint32_t sort(uint8_t *block, uint8_t *from,
                                                         const uint8_t *end,
                                                         lan_handler *handler)
{
    uint8_t *to = from;

    taking = block;
    for (;;) {
        uint32_t n = be16(from);
        uint8_t *next = from + 2 + n;
        if (n < TYPE_AT + 2 || next > end)
            break;
        if (handler) {
            handle(handler, from + 2, n);
        } else {
            memmove(to, from, n + 2);
            to += n + 2;
        }
        from = next;
        if (!has_head(from, end))
            break;
        handler = handler_of(from + 2);
    }
    taking = 0;
    gathered();
    return *(uint32_t *)block = (uint32_t)(to - block);
}

static uint32_t lan_take(uint8_t *block, uint32_t len)
{
    uint8_t *p = block + EMPTY, *end = block + len;

    while (has_head(p, end)) {
        lan_handler *handler = handler_of(p + 2);
        if (handler)
            return sort(block, p, end, handler);
        p += 2 + be16(p);
    }
    return len;
}

static inline void put(const uint8_t *frame, size_t len, unsigned pages)
{
    struct block *p = filling;
    uint8_t *at = p->at + p->length;

    *(uint16_t *)at = (uint16_t)len;
    memcpy(at + 2, frame, len);
    p->length += 2 + (uint32_t)len;
    p->to.payer = acct_current();
    if (for_group(frame)) {
        p->announced = true;
        acct_by_clock();
    }
    lan_counts.frames_out++;
    lan_counts.bytes_out += len + pages * PAGE_SIZE;
    if (taking || gathering)
        drawn = true;
    else
        ctca_start_write();
}

bool lan_send(const uint8_t *frame, size_t len)
{
    if (filling->length + 2 + len > (filling->pages ? PAGE_SIZE : LAN_BLOCK) || !ctca_there()) {
        lan_counts.no_room++;
        return false;
    }
    filling->loud = true;
    put(frame, len, 0);
    return true;
}

static inline bool room_for(size_t len, unsigned pages)
{
    return filling->length + 2 + len <= PAGE_SIZE
           && (!pages || filling->pages + pages <= LAN_PAGES);
}

/* In the next block of the ring. Without one: that which is being sent may have ended unheard, and
 * then there is room now, else its end has to be heard. */
static __attribute__((noinline)) bool make_room(size_t len, unsigned pages)
{
    next_block();
    if (room_for(len, pages))
        return true;
    room_wanted = true;
    if (sending)
        ctca_start_write();
    if (room_for(len, pages))
        return true;
    room_wanted = true;
    return false;
}

bool lan_send_pages(const uint8_t *frame, size_t len, struct counted *of, const uint8_t *payload,
                    unsigned pages)
{
    if (!room_for(len, pages) && !make_room(len, pages))
        return false;
    if (pages) {
        struct block *p = filling;
        uint64_t *to = p->address + 1 + p->pages;
        to[0] = (uintptr_t)payload;
        if (pages > 1)
            to[1] = (uintptr_t)payload + PAGE_SIZE;
        p->pages = (uint8_t)(p->pages + pages);
        counted_hold(of);
        p->of[p->payloads++] = of;
    }
    put(frame, len, pages);
    return true;
}

void lan_on_room(void (*handler)(void))
{
    room_again = handler;
}

/* One with payload is a page of frames, and behind it the payloads' pages from where they are. */
static const struct ctca_block *lan_block(void)
{
    struct block *p = sending;

    if (!p) {
        p = oldest;
        if (p->length == EMPTY)
            return 0;
        sending = p;
        oldest = p->next;
        if (p == filling)
            filling = p->next;
    }
    *(uint32_t *)p->at = p->length;
    p->to.quiet = !p->loud && oldest->length == EMPTY && !room_wanted;
    p->to.write.count = (uint16_t)p->length;
    if (p->pages) {
        p->address[0] = (uintptr_t)p->at;
        p->to.write.flags = CCW_CC | CCW_IDA;
        p->to.write.count = (uint16_t)((1 + p->pages) * PAGE_SIZE);
        p->to.write.data = (uint32_t)(uintptr_t)p->address;
    }
    return &p->to;
}

static __attribute__((noinline)) void special_sent(struct block *p)
{
    if (p->announced)
        acct_by_clock();
    if (p->pages) {
        p->to.write.flags = CCW_CC;
        p->to.write.data = (uint32_t)(uintptr_t)p->at;
    }
    for (unsigned i = 0; i < p->payloads; i++)
        counted_let(p->of[i]);
    p->special = 0;
    if (room_wanted) {
        room_wanted = false;
        if (room_again)
            room_again();
    }
}

static void lan_block_sent(void)
{
    struct block *p = sending;

    sending = 0;
    p->length = EMPTY;
    if (p->special || room_wanted)
        special_sent(p);
}

uint8_t *lan_payload(unsigned place, unsigned pages)
{
    uint32_t at = place * PAGE_SIZE;

    return place && at + pages * PAGE_SIZE <= CTC_BLOCK ? taking + at : 0;
}

/* 02-01 and the name as a number in base 37: two names never make one address. */
void lan_name_address(const char *name, uint8_t mac[6])
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint32_t n = 0;

    for (unsigned i = 0; i < NODE_MAX; i++) {
        const char *p = i < strlen(name) ? strchr(letters, name[i]) : 0;
        n = n * 37 + (p ? (uint32_t)(p - letters) + 1 : 0);
    }
    mac[0] = 0x02;
    mac[1] = 0x01;
    for (unsigned i = 0; i < 4; i++)
        mac[2 + i] = (uint8_t)(n >> (24 - 8 * i));
}

void lan_init(void)
{
    static const struct ctca_sharer us = {lan_take, lan_block, lan_block_sent};

    if (!ctca_there())
        return;
    if (!ipl_parm_value("NODE", node, sizeof(node)))
        memcpy(node, system_node, strlen(system_node) + 1);
    lan_name_address(node, lan_address);
    for (unsigned i = 0; i < LAN_RING; i++) {
        uint8_t *at = storage[i];
        ring[i] = (struct block){.at = at, .next = &ring[(i + 1) % LAN_RING], .length = EMPTY,
                                 .to.write = {LAN_WRITE, CCW_CC, 0, (uint32_t)(uintptr_t)at}};
    }
    ctca_share(&us);
}

void lan_vm_gone(struct vm *vm)
{
    for (unsigned i = 0; i < LAN_RING; i++)
        if (ring[i].to.payer == &vm->acct)
            ring[i].to.payer = &acct_system;
}
