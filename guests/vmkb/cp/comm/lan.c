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

static uint8_t blocks[LAN_PAIR][LAN_BLOCK] __attribute__((aligned(8)));
static uint32_t lengths[LAN_PAIR]; /* 0: empty */
static struct account *payers[LAN_PAIR];
static bool announced[LAN_PAIR];   /* a frame in it is for a group */
static unsigned sending;           /* the block that is being sent, or will be next */
static uint8_t started;            /* it is being sent: nothing may be added */
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

bool lan_send(const uint8_t *frame, size_t len)
{
    unsigned i = started ? sending ^ 1 : sending;
    uint32_t at = lengths[i] ? lengths[i] : 4;

    if (at + 2 + len > LAN_BLOCK || !ctca_there()) {
        lan_counts.no_room++;
        return false;
    }
    *(uint16_t *)(blocks[i] + at) = (uint16_t)len;
    memcpy(blocks[i] + at + 2, frame, len);
    acct_moved(len);
    lengths[i] = at + 2 + (uint32_t)len;
    payers[i] = acct_current();
    if (for_group(frame)) {
        announced[i] = true;
        acct_by_clock();
    }
    lan_counts.frames_out++;
    lan_counts.bytes_out += len;
    ctca_start_write();
    return true;
}

static uint8_t *lan_block(uint32_t *len, struct account **payer)
{
    if (!lengths[sending])
        return 0;
    started = 1;
    *len = lengths[sending];
    *payer = payers[sending];
    *(uint32_t *)blocks[sending] = *len;
    return blocks[sending];
}

static void lan_block_sent(void)
{
    if (announced[sending])
        acct_by_clock();
    announced[sending] = false;
    lengths[sending] = 0;
    sending ^= 1;
    started = 0;
}

/* 02-01 and the name as a number in base 37: two names never make one address. */
void lan_init(void)
{
    static const struct ctca_sharer us = {lan_take, lan_block, lan_block_sent};
    uint32_t n = 0;

    if (!ctca_there())
        return;
    if (!ipl_parm_value("NODE", node, sizeof(node)))
        memcpy(node, system_node, strlen(system_node) + 1);
    for (unsigned i = 0; i < NODE_MAX; i++) {
        static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const char *p = i < strlen(node) ? strchr(letters, node[i]) : 0;
        n = n * 37 + (p ? (uint32_t)(p - letters) + 1 : 0);
    }
    lan_address[0] = 0x02;
    lan_address[1] = 0x01;
    for (unsigned i = 0; i < 4; i++)
        lan_address[2 + i] = (uint8_t)(n >> (24 - 8 * i));
    ctca_share(&us);
}

void lan_vm_gone(struct vm *vm)
{
    for (unsigned i = 0; i < LAN_PAIR; i++)
        if (payers[i] == &vm->acct)
            payers[i] = &acct_system;
}
