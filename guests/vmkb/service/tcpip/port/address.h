/* SPDX-License-Identifier: MIT */
/* lwIP's addresses for the clients' of 32 bits. With IPv6 a.b.c.d stands for fd00::a.b.c.d. */
#ifndef VMKB_LWIP_ADDRESS_H
#define VMKB_LWIP_ADDRESS_H
#include "lwip/ip_addr.h"

#if LWIP_IPV6
static inline ip_addr_t address_of(uint32_t ip)
{
    return (ip_addr_t){.addr = {PP_HTONL(0xfd000000UL), 0, 0, lwip_htonl(ip)}};
}

static inline uint32_t number_of(const ip_addr_t *a)
{
    return lwip_ntohl(a->addr[3]);
}
#else
static inline ip_addr_t address_of(uint32_t ip)
{
    return (ip_addr_t){ip};
}

static inline uint32_t number_of(const ip_addr_t *a)
{
    return a->addr;
}
#endif
#endif
