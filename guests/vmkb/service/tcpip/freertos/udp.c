/* SPDX-License-Identifier: MIT */
/* Datagrams and echo requests on FreeRTOS-Plus-TCP. It cuts nothing into fragments. */
#include "stack.h"
#include "tcpip.h"
#include "address.h"

#define PINGS 8

struct datagram {
    uint16_t len;
    uint8_t bytes[];
};

static struct { uint16_t number, id, sequence; } pings[PINGS];

static BaseType_t received(Socket_t s, void *bytes, size_t len,
                           const struct freertos_sockaddr *from, const struct freertos_sockaddr *to)
{
    struct datagram *d = heap_malloc(sizeof(*d) + len);
    (void)to;
    if (!d)
        return 1;            /* it is consumed */
    d->len = (uint16_t)len;
    memcpy(d->bytes, bytes, len);
    client_datagram(pvSocketGetSocketID(s), d, d->len, number_of(&from->sin_address),
                    from->sin_port);
    return 1;
}

bool stack_udp_new(struct stack_udp *u)
{
    F_TCP_UDP_Handler_t handler = {.pxOnUDPReceive = received};
    Socket_t s = FreeRTOS_socket(FAMILY, FREERTOS_SOCK_DGRAM, FREERTOS_IPPROTO_UDP);

    if (s == FREERTOS_INVALID_SOCKET)
        return false;
    u->socket = s;
    s->pvSocketID = u;
    FreeRTOS_setsockopt(s, 0, FREERTOS_SO_UDP_RECV_HANDLER, &handler, sizeof(handler));
    return true;
}

int stack_udp_bind(struct stack_udp *u, uint16_t port)
{
    struct freertos_sockaddr a = {.sin_family = FAMILY, .sin_port = port};

    return vSocketBind(u->socket, &a, sizeof(a), pdFALSE) == 0 ? SOCK_EOK : SOCK_EADDRINUSE;
}

int stack_udp_send(struct stack_udp *u, uint32_t ip, uint16_t port, const void *bytes,
                   uint16_t len)
{
    struct freertos_sockaddr a = place_of(ip, port);

    if (len + IP_HEAD + 8 > profile.mtu)
        return SOCK_EINVAL;
    if (!u->socket->usLocalPort && stack_udp_bind(u, 0) != SOCK_EOK)
        return SOCK_ELIMIT;
    int sent = FreeRTOS_sendto(u->socket, bytes, len, 0, &a, sizeof(a));
    stack_run();
    return sent == len ? SOCK_EOK : SOCK_ELIMIT;
}

void stack_udp_remove(struct stack_udp *u)
{
    vSocketClose(u->socket);
    u->socket = NULL;
}

void stack_datagram_copy(const void *data, uint8_t *to)
{
    const struct datagram *d = data;

    memcpy(to, d->bytes, d->len);
}

void stack_datagram_free(void *data)
{
    heap_free(data);
}

int stack_ping(uint32_t ip, uint16_t id, uint16_t sequence, uint16_t len)
{
    static unsigned next;

    if (len + IP_HEAD + 8 > profile.mtu)
        return SOCK_EINVAL;
#ifdef TCPIP_IPV6
    IP_Address_t to = address_of(ip);
    BaseType_t number = FreeRTOS_SendPingRequestIPv6(&to.xIP_IPv6, len, 0);
#else
    BaseType_t number = FreeRTOS_SendPingRequest(ip, len, 0);
#endif
    if (number == pdFAIL)
        return SOCK_ELIMIT;
    pings[next % PINGS].number = (uint16_t)number;
    pings[next % PINGS].id = id;
    pings[next++ % PINGS].sequence = sequence;
    stack_run();
    return SOCK_EOK;
}

void vApplicationPingReplyHook(ePingReplyStatus_t status, uint16_t number)
{
    for (unsigned i = 0; i < PINGS; i++)
        if (status == eSuccess && pings[i].number == number)
            client_pong(pings[i].id, pings[i].sequence);
}
