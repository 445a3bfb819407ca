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
#define NODE_MAX 6

struct lan_counts lan_counts;
uint8_t lan_address[6];

static struct {
    uint16_t type;
    lan_handler *handler;
} handlers[LAN_HANDLERS];
static unsigned handler_count;

static uint8_t blocks[LAN_PAIR][LAN_BLOCK] __attribute__((aligned(4096)));
static struct {
    uint32_t length;               /* of the frames; 0: empty */
    struct account *payer;
    uint8_t announced;             /* a frame in it is for a group */
    uint8_t loud;                  /* the end of its writing is waited for */
    uint8_t pages, payloads;
    struct counted *of[LAN_PAGES]; /* whose pages they are */
    uint64_t address[1 + LAN_PAGES]; /* of each page: the channel's list */
} pair[LAN_PAIR];
static unsigned sending;           /* the block that is being sent, or will be next */
static uint8_t started;            /* it is being sent: nothing may be added */
static uint8_t *taking;            /* the block that is being looked through: what it draws goes */
static uint8_t drawn;              /* in one block too, when that is done */
static void (*room_again)(void);
static uint8_t room_wanted;        /* somebody has more than there was room for */
static char node[NODE_MAX + 1];

bool lan_register(uint16_t ethertype, lan_handler *handler)
{
    if (handler_count == LAN_HANDLERS || ethertype >> 4 != 0x600)
        return false;
    handlers[handler_count].type = ethertype;
    handlers[handler_count++].handler = handler;
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

static lan_handler *handler_of(unsigned type)
{
    for (unsigned i = 0; i < handler_count; i++)
        if (handlers[i].type == type)
            return handlers[i].handler;
    return 0;
}

static unsigned be16(const uint8_t *p)
{
    return *(const uint16_t *)p; /* this machine's byte order is the wire's */
}

/* Multicast: all that nodes tell of themselves at fixed times is that, and nothing else here. */
static bool for_group(const uint8_t *frame)
{
    return frame[0] & 1;
}

/* From the first frame for CP on: handle, and move the others together. */
static __attribute__((noinline)) uint32_t sort(uint8_t *block, uint32_t at, uint32_t len)
{
    uint32_t to = at;

    taking = block;
    while (at + 2 + TYPE_AT + 2 <= len) {
        uint32_t n = be16(block + at);
        if (n < TYPE_AT + 2 || at + 2 + n > len)
            break;
        lan_handler *handler = handler_of(be16(block + at + 2 + TYPE_AT));
        if (handler) {
            lan_counts.frames_in++;
            lan_counts.bytes_in += n;
            if (for_group(block + at + 2))
                acct_by_clock();
            handler(block + at + 2, n);
            acct_change(&acct_system);
        } else {
            memmove(block + to, block + at, n + 2);
            acct_moved(n + 2);
            to += n + 2;
        }
        at += n + 2;
    }
    *(uint32_t *)block = to;
    taking = 0;
    if (drawn) {
        drawn = 0;
        ctca_start_write();
    }
    return to;
}

static uint32_t lan_take(uint8_t *block, uint32_t len)
{
    const uint8_t *p = block + 4, *last = block + len - (2 + TYPE_AT + 2);

    while (p <= last) {
        if (p[2 + TYPE_AT] == 0x60 && handler_of(be16(p + 2 + TYPE_AT)))
            return sort(block, (uint32_t)(p - block), len);
        p += 2 + be16(p);
    }
    return len;
}

static inline unsigned filling(void)
{
    return started ? sending ^ 1 : sending;
}

static inline void put(unsigned i, uint32_t at, const uint8_t *frame, size_t len)
{
    *(uint16_t *)(blocks[i] + at) = (uint16_t)len;
    memcpy(blocks[i] + at + 2, frame, len);
    acct_moved(len);
    pair[i].length = at + 2 + (uint32_t)len;
    pair[i].payer = acct_current();
    if (for_group(frame)) {
        pair[i].announced = true;
        acct_by_clock();
    }
    lan_counts.frames_out++;
    lan_counts.bytes_out += len;
    if (taking)
        drawn = 1;
    else
        ctca_start_write();
}

bool lan_send(const uint8_t *frame, size_t len)
{
    unsigned i = filling();
    uint32_t at = pair[i].length ? pair[i].length : 4;

    if (at + 2 + len > (pair[i].pages ? PAGE_SIZE : LAN_BLOCK) || !ctca_there()) {
        lan_counts.no_room++;
        return false;
    }
    pair[i].loud = true;
    put(i, at, frame, len);
    return true;
}

static bool room_for(size_t len, unsigned pages)
{
    unsigned i = filling();
    uint32_t at = pair[i].length ? pair[i].length : 4;

    return at + 2 + len <= PAGE_SIZE && pair[i].pages + pages <= LAN_PAGES;
}

/* The block that is being sent may have ended unheard: then there is room now, else its end has to
 * be heard. */
static __attribute__((noinline)) bool make_room(size_t len, unsigned pages)
{
    room_wanted = true;
    if (started)
        ctca_start_write();
    if (room_for(len, pages))
        return true;
    room_wanted = true;
    return false;
}

bool lan_send_pages(const uint8_t *frame, size_t len, struct counted *of, const uint8_t *payload,
                    unsigned pages)
{
    if (!ctca_there() || (!room_for(len, pages) && !make_room(len, pages)))
        return false;
    unsigned i = filling(), n = pair[i].pages;
    uint32_t at = pair[i].length ? pair[i].length : 4;
    if (pages) {
        counted_hold(of);
        pair[i].of[pair[i].payloads++] = of;
    }
    for (unsigned k = 0; k < pages; k++)
        pair[i].address[1 + n + k] = (uintptr_t)payload + k * PAGE_SIZE;
    pair[i].pages = (uint8_t)(n + pages);
    lan_counts.bytes_out += pages * PAGE_SIZE;
    put(i, at, frame, len);
    return true;
}

void lan_on_room(void (*handler)(void))
{
    room_again = handler;
}

/* One with payload is a page of frames, and behind it the payloads' pages from where they are. */
static bool lan_block(struct ccw *write, struct account **payer, bool *quiet)
{
    unsigned i = sending;

    if (!pair[i].length)
        return false;
    started = 1;
    *payer = pair[i].payer;
    *quiet = !pair[i].loud && !pair[i ^ 1].length && !room_wanted;
    *(uint32_t *)blocks[i] = pair[i].length;
    write->count = (uint16_t)pair[i].length;
    write->data = (uint32_t)(uintptr_t)blocks[i];
    if (pair[i].pages) {
        pair[i].address[0] = write->data;
        write->flags |= CCW_IDA;
        write->count = (uint16_t)((1 + pair[i].pages) * PAGE_SIZE);
        write->data = (uint32_t)(uintptr_t)pair[i].address;
    }
    return true;
}

static void lan_block_sent(void)
{
    unsigned i = sending;

    if (pair[i].announced)
        acct_by_clock();
    while (pair[i].payloads)
        counted_let(pair[i].of[--pair[i].payloads]);
    pair[i].announced = pair[i].loud = false;
    pair[i].pages = 0;
    pair[i].length = 0;
    sending ^= 1;
    started = 0;
    room_wanted = false;
    if (room_again)
        room_again();
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
    ctca_share(&us);
}

void lan_vm_gone(struct vm *vm)
{
    for (unsigned i = 0; i < LAN_PAIR; i++)
        if (pair[i].payer == &vm->acct)
            pair[i].payer = &acct_system;
}
