/* SPDX-License-Identifier: MIT */
/* CP's own station on the LAN: it shares the channel-to-channel pair (cp/io/ctca.c) with the TCPIP
 * machine. */
#ifndef VMKB_LAN_H
#define VMKB_LAN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "channel.h"

#define LAN_HANDLERS 16      /* Ethertypes that CP may take: 6000 to 600F, DEC's */
#define LAN_BLOCK    16384   /* bytes of a block of CP's frames */
#define LAN_RING     4       /* blocks: three have 16 payloads of 8192 bytes, one is filled */
#define LAN_WRITE    0x01    /* the adapter's command: a block goes out */
#define LAN_PAGES    14      /* pages of payload of a block, behind one page of frames */

struct vm;
struct account;

/* Storage that several parts of CP have a hold of: the last one to let go gives it back. */
struct counted {
    uint8_t *at;
    uint32_t holds;
    void (*gone)(struct counted *c); /* nobody has a hold of it any more */
    struct counted *next;            /* among those that are free, for whom it then belongs to */
};

static inline void counted_hold(struct counted *c)
{
    c->holds++;
}

static inline void counted_let(struct counted *c)
{
    if (--c->holds == 0)
        c->gone(c);
}

/* A frame of that Ethertype, from its destination address on; CP is disabled, working for whom the
 * frame before it was, or the system: the handler says who it is now. */
typedef void lan_handler(const uint8_t *frame, size_t len);

/* false: the Ethertype is not one of DEC's. */
bool lan_register(uint16_t ethertype, lan_handler *handler);
/* Send a whole frame of 60 to 1514 bytes. false: there is no LAN, or no room: the frame is lost,
 * and counted. */
bool lan_send(const uint8_t *frame, size_t len);
/* Where there is a LAN: the same with 0 to 2 pages of payload, in storage of `of`, which stays
 * until the adapter has taken it: CP copies the frame, the channel the pages. false: no room now;
 * nothing is lost. */
bool lan_send_pages(const uint8_t *frame, size_t len, struct counted *of,
                    const uint8_t *payload, unsigned pages);
/* What is sent from the first to the second of these goes together, as far as a block has room. So
 * do the frames that handlers send for one block that came. */
void lan_gather(void);
void lan_gathered(void);
/* Called when a block of frames is sent and there is room again. */
void lan_on_room(void (*handler)(void));
/* In a handler: where the adapter put the payload whose place the frame names, 0 if it can be none;
 * and the block that it is in, held for the caller, 0 if there is no other for what comes next. */
uint8_t *lan_payload(unsigned place, unsigned pages);
struct counted *ctca_keep(void);
struct counted *block_get(void); /* cp/io/blocks.c: an empty block, or 0 */
/* The address that the station of a node has by its name: other than its own if DECnet set that. */
void lan_name_address(const char *name, uint8_t mac[6]);
/* The station's address: made from the node's name, unless somebody (DECnet) sets it before the
 * first frame. */
extern uint8_t lan_address[6];
void lan_set_address(const uint8_t mac[6]);
/* The system's name on its networks, up to 6 letters and digits: IPL parameter NODE=, or VMKB. */
const char *lan_node(void);
void lan_init(void);

/* cp/io/ctca.c */
bool ctca_there(void);
const char *ctca_owner(void); /* the machine that uses the pair too, or 0 */
void ctca_start_write(void); /* CP has frames to send */

/* A block of CP's frames: how the channel finds it, who pays, and whether nobody waits for its
 * end. */
struct ctca_block {
    struct ccw write;
    struct account *payer;
    bool quiet;
};

/* Who shares the pair with the machine that owns it. take gets each block that came in and returns
 * the bytes left for that machine, 4 when there are none; block gives the next block to send (the
 * same one until it is sent), or 0. */
struct ctca_sharer {
    uint32_t (*take)(uint8_t *block, uint32_t len);
    const struct ctca_block *(*block)(void);
    void (*sent)(void);
};
void ctca_share(const struct ctca_sharer *with);
void lan_vm_gone(struct vm *vm);

struct lan_counts {
    uint64_t frames_in, frames_out, bytes_in, bytes_out, no_room; /* CP's own */
    /* that came with frames; blocks_given: with some for a machine, whether there is one or not */
    uint64_t blocks_in;
    uint64_t blocks_given;
    /* of those, what no machine took: there was none, or it did not read */
    uint64_t lost_blocks, lost_frames;
    uint64_t bad_blocks;         /* with a length that cannot be */
};
extern struct lan_counts lan_counts;
#endif
