/* SPDX-License-Identifier: MIT */
/* Where data connections go when something between the clients and this server translates
 * addresses. Pure: it is also compiled on the host, for tests. */
#ifndef VMKB_FTP_PASSIVE_H
#define VMKB_FTP_PASSIVE_H
#include <stdbool.h>
#include <stdint.h>

struct passive {
    uint16_t first, last;    /* ports for PASV and EPSV; 0: TCPIP's choice */
    uint16_t next;
    /* clients that come as `through` know it, and us, as `outside`; 0: none */
    uint32_t through, outside;
};

/* From IPL parameters PASV=first-last and NAT=through,outside; others are passed over. False: one
 * of them is wrong, and p is as it was. */
bool passive_options(struct passive *p, const char *text);
/* The ports of the range in turn; 0 if there is none, which asks TCPIP for any. */
uint16_t passive_next(struct passive *p);
unsigned passive_count(const struct passive *p);
/* What a client whose connection comes from peer knows our address own as. */
uint32_t passive_announced(const struct passive *p, uint32_t peer, uint32_t own);
/* The address at which that client is, if it says that it is at ip. */
uint32_t passive_client(const struct passive *p, uint32_t peer, uint32_t ip);
#endif
