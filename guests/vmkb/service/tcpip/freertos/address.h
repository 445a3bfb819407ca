/* SPDX-License-Identifier: MIT */
/* FreeRTOS-Plus-TCP's addresses for the clients' of 32 bits. With IPv6 a.b.c.d stands for
 * fd00::a.b.c.d. */
#ifndef VMKB_FREERTOS_ADDRESS_H
#define VMKB_FREERTOS_ADDRESS_H
#include "FreeRTOS_Sockets.h"

#ifdef TCPIP_IPV6
#define FAMILY FREERTOS_AF_INET6
#define IP_HEAD 40
#define NETWORK_BITS 96      /* of an address before those of a client's */

static inline IP_Address_t address_of(uint32_t ip)
{
    IP_Address_t a = {.xIP_IPv6.ucBytes = {0xfd}};

    memcpy(a.xIP_IPv6.ucBytes + NETWORK_BITS / 8, &ip, sizeof(ip));
    return a;
}

static inline uint32_t number_of(const IP_Address_t *a)
{
    uint32_t ip;

    memcpy(&ip, a->xIP_IPv6.ucBytes + NETWORK_BITS / 8, sizeof(ip));
    return ip;
}
#else
#define FAMILY FREERTOS_AF_INET
#define IP_HEAD 20

static inline IP_Address_t address_of(uint32_t ip)
{
    return (IP_Address_t){.ulIP_IPv4 = ip};
}

static inline uint32_t number_of(const IP_Address_t *a)
{
    return a->ulIP_IPv4;
}
#endif

static inline struct freertos_sockaddr place_of(uint32_t ip, uint16_t port)
{
    return (struct freertos_sockaddr){.sin_family = FAMILY, .sin_port = port,
                                      .sin_address = address_of(ip)};
}
#endif
