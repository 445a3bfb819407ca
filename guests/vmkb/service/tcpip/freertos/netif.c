/* SPDX-License-Identifier: MIT */
/* Frames to and from FreeRTOS-Plus-TCP: a network interface whose driver this is. */
#include "stack.h"
#include "tcpip.h"
#include "address.h"
#include "FreeRTOS_IP_Timers.h"
#include "NetworkBufferManagement.h"

#define SHORT 256            /* bytes; a copy that is not longer is instructions enough */
#define ROOM ((ipBUFFER_PADDING + ipTOTAL_ETHERNET_FRAME_SIZE + 7) & ~7ul)

static NetworkInterface_t interface;
static NetworkEndPoint_t end_point;
static NetworkBufferDescriptor_t *first, *last; /* of the block that is coming in */
static uint32_t dropped, wrong_sums;
static uint32_t due_at;
unsigned mtu_less;

static BaseType_t up(NetworkInterface_t *i)
{
    (void)i;
    return pdTRUE;
}

static BaseType_t output(NetworkInterface_t *i, NetworkBufferDescriptor_t *b, BaseType_t release)
{
    (void)i;
    uint8_t *to = link_frame((uint16_t)b->xDataLength);

    if (ipconfigDRIVER_INCLUDED_TX_IP_CHECKSUM)
        packet_summed(b->pucEthernetBuffer, b->xDataLength, true);
    if (to)
        memcpy(to, b->pucEthernetBuffer, b->xDataLength);
    if (release)
        vReleaseNetworkBufferAndDescriptor(b);
    return to ? pdTRUE : pdFALSE;
}

size_t uxNetworkInterfaceAllocateRAMToBuffers(
    NetworkBufferDescriptor_t b[ipconfigNUM_NETWORK_BUFFER_DESCRIPTORS])
{
    static uint8_t room[ipconfigNUM_NETWORK_BUFFER_DESCRIPTORS][ROOM] __attribute__((aligned(8)));

    for (unsigned i = 0; i < ipconfigNUM_NETWORK_BUFFER_DESCRIPTORS; i++) {
        b[i].pucEthernetBuffer = room[i] + ipBUFFER_PADDING;
        *(NetworkBufferDescriptor_t **)room[i] = &b[i];
    }
    return ROOM - ipBUFFER_PADDING;
}

/* As versions before 4.3 call it. */
void vNetworkInterfaceAllocateRAMToBuffers(NetworkBufferDescriptor_t *b)
{
    uxNetworkInterfaceAllocateRAMToBuffers(b);
}

void stack_frame(const uint8_t *frame, uint16_t len, bool more)
{
    (void)more;
    NetworkBufferDescriptor_t *b = pxGetNetworkBufferWithDescriptor(len, 0);

    if (!b) {
        link_counts.no_buffer++;
        return;
    }
    memcpy(b->pucEthernetBuffer, frame, len);
    b->pxInterface = &interface;
    b->pxEndPoint = FreeRTOS_MatchingEndpoint(&interface, b->pucEthernetBuffer);
    bool right = !ipconfigDRIVER_INCLUDED_RX_IP_CHECKSUM
                 || packet_summed(b->pucEthernetBuffer, len, false);
    if (!right || !b->pxEndPoint) { /* or it is not for this host */
        wrong_sums += !right;
        dropped += right;
        vReleaseNetworkBufferAndDescriptor(b);
        return;
    }
    if (first)
        last->pxNextBuffer = b;
    else
        first = b;
    last = b;
}

void stack_input_ends(void)
{
    IPStackEvent_t e = {eNetworkRxEvent, first};

    if (!first)
        return;
    first = NULL;
    xSendEventStructToIPTask(&e, 0);
    stack_run();
}

void stack_run(void)
{
    static bool runs, again;

    again = true;
    if (runs)
        return;
    runs = true;
    while (again) {
        again = false;
        ip_run();
        tcp_look();
    }
    runs = false;
    due_at = tcpip_now() + xCalculateSleepTime();
}

uint32_t stack_due(void)
{
    int32_t left = (int32_t)(due_at - tcpip_now());

    return left > 0 ? (uint32_t)left : 0;
}

bool stack_short_of_input(void)
{
    return uxGetNumberOfFreeNetworkBuffers() < ipconfigNUM_NETWORK_BUFFER_DESCRIPTORS / 4;
}

void stack_routed(const uint8_t *frame, uint16_t len)
{
    stack_frame(frame, len, false);
}

bool stack_routes(void)
{
    return false;
}

static void add_end_point(const uint8_t *mac)
{
#ifdef TCPIP_IPV6
    IP_Address_t own = address_of(profile.address), gateway = address_of(profile.gateway);
    IP_Address_t network = address_of(profile.address & profile.mask);
    size_t bits = 0;

    while (bits < 32 && profile.mask << bits)
        bits++;              /* gcc would call a library to count them */

    FreeRTOS_FillEndPoint_IPv6(&interface, &end_point, &own.xIP_IPv6, &network.xIP_IPv6,
                               NETWORK_BITS + bits,
                               profile.gateway ? &gateway.xIP_IPv6 : NULL, NULL, mac);
#else
    const uint32_t none = 0;

    FreeRTOS_FillEndPoint(&interface, &end_point, (const uint8_t *)&profile.address,
                          (const uint8_t *)&profile.mask, (const uint8_t *)&profile.gateway,
                          (const uint8_t *)&none, mac);
#endif
}

void stack_init(void)
{
    uint8_t mac[6] = {0x02, 0x00};

    if (profile.mtu > ipconfigNETWORK_MTU)
        tcpip_stop("FREERTOS-PLUS-TCP IS BUILT FOR AN MTU OF 4000 AT MOST");
    mtu_less = ipconfigNETWORK_MTU - profile.mtu;
    memcpy(mac + 2, &profile.address, 4);
    interface.pcName = "ctc";
    interface.pfInitialise = up;
    interface.pfGetPhyLinkStatus = up;
    interface.pfOutput = output;
    FreeRTOS_AddNetworkInterface(&interface);
    add_end_point(mac);
    if (FreeRTOS_IPInit_Multi() != pdPASS)
        tcpip_stop("FREERTOS-PLUS-TCP DOES NOT BEGIN");
    stack_run();
}

/* What FreeRTOS-Plus-TCP asks its user. */
BaseType_t xApplicationGetRandomNumber(uint32_t *number)
{
    *number = tcpip_random();
    return pdTRUE;
}

uint32_t ulApplicationGetNextSequenceNumber(uint32_t own, uint16_t own_port, uint32_t other,
                                            uint16_t other_port)
{
    (void)own, (void)own_port, (void)other, (void)other_port;
    return tcpip_random();
}

const char *stack_behavior(char words[][WORD_MAX], unsigned count)
{
    (void)words, (void)count;
    return "TCPBEHAVIOR NEEDS LWIP";
}

bool stack_pool(unsigned index, struct stack_pool *p)
{
    if (index)
        return false;
    *p = (struct stack_pool){"NETWORK BUFFERS", (unsigned)uxGetNumberOfFreeNetworkBuffers(),
                             ipconfigNUM_NETWORK_BUFFER_DESCRIPTORS,
                             (unsigned)(ipconfigNUM_NETWORK_BUFFER_DESCRIPTORS
                                        - uxGetMinimumFreeNetworkBuffers()),
                             (unsigned)link_counts.no_buffer};
    return true;
}

/* It counts nothing itself. */
bool stack_counter(unsigned index, struct stack_counter *c)
{
    *c = (struct stack_counter){.name = "LINK", .sent = (unsigned)link_counts.frames_out,
                                .received = (unsigned)link_counts.frames_in, .dropped = dropped,
                                .checksum = wrong_sums};
    return index == 0;
}
