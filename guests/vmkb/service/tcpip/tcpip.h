/* SPDX-License-Identifier: MIT */
/* The TCPIP machine: what its files share. */
#ifndef VMKB_TCPIP_H
#define VMKB_TCPIP_H
#include "diag.h"
#include "iucv.h"
#include "say.h"
#include "lib.h"
#include "stack.h"

#define PROFILE_PORTS 64
#define PROFILE_AUTOLOG 16

/* What PROFILE TCPIP says (profile.c). */
struct profile {
    uint32_t address, mask, gateway; /* HOME, GATEWAY; 0: no default route */
    uint16_t mtu;
    char device[17], link[17];
    unsigned data_buffers;           /* DATABUFFERPOOLSIZE n size */
    uint32_t data_buffer_size;
    struct { uint16_t port; bool udp; char userid[9]; } ports[PROFILE_PORTS];
    unsigned port_count;
    char autolog[PROFILE_AUTOLOG][9];
    unsigned autolog_count;
    /* a second DEVICE and LINK, and GATEWAY with HOST: who is at its other end; 0: nobody */
    uint32_t peer;
    uint16_t peer_device;
    char peer_name[17], peer_link[17];
};
extern struct profile profile;

/* ctclink.c */
struct link_counts {
    uint64_t blocks_in, blocks_out, frames_in, frames_out, bytes_in, bytes_out;
    uint64_t bad_blocks, no_buffer, no_room;
};
extern struct link_counts link_counts;
/* The block that came with EV_CTC_BLOCK, and all others that are there. N: as CTC_READ has it. */
void link_input(long n);
void link_loop(void);                /* what we sent to ourselves comes in */
void link_takes_input(struct event *e); /* a block that EV_CTC_BLOCK tells of comes to the link */
bool link_has_output(void);
/* Start what waits to go out, unless a client has called already, and wait as diag_wait does. */
long link_flush_and_wait(unsigned mask, struct event *e, uint64_t us);
/* What went to the link since the last time comes into link_counts: it is not counted frame by
 * frame. */
void link_count(void);
/* A client is told of something that it answers by a call at once: that is worth a turn of its. */
void link_expects_call(void);
void link_flush(void);               /* start what waits to go out, at once */
bool link_room(uint32_t len);
uint32_t link_block_length(void);    /* of the block that came last */

/* route.c: between the LAN and a virtual CTC, if profile.peer */
struct route_counts {
    uint64_t to_peer, from_peer, dropped;
};
extern struct route_counts route_counts;
void route_start(void);
/* The peer may read or write, or the LAN have room again for what it writes. */
void route_event(void);

/* sockets.c, calls.c: the clients */
void sockets_interrupt(const struct event *e);
void sockets_settle(void);           /* after input: answer the RECVs that have data */
/* The wait for *e gives the answer that was kept: EV_ANSWER then, 0 if there is none. */
unsigned sockets_answer_with(struct event *e);
unsigned sockets_free_buffers(void);
long sockets_netstat(uint32_t which, uint32_t index, char *line, long size);

/* profile.c, hosts.c, netstat.c, ping.c */
void profile_read(void);
int hosts_find(const char *name, uint32_t *ip);
uint32_t ping_due(void);             /* milliseconds; UINT32_MAX: nobody waits */
void ping_timers(void);
void ping_start(uint16_t path, uint32_t msgid, const struct sock_address *a);
void smsg_command(const char from[8], const char *text, unsigned len);
#endif
