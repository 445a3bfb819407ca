/* SPDX-License-Identifier: MIT */
/* FreeRTOS-Plus-TCP's options: what is not its default. */
#ifndef FREERTOS_IP_CONFIG_H
#define FREERTOS_IP_CONFIG_H
#define ipconfigBYTE_ORDER                pdFREERTOS_BIG_ENDIAN
#ifdef TCPIP_IPV6
#define ipconfigUSE_IPv4                  0
#define ipconfigUSE_IPv6                  1
#define ipconfigUSE_RA                    0       /* no router is asked: PROFILE TCPIP says all */
#define ipconfigND_CACHE_ENTRIES          32
#else
#define ipconfigUSE_IPv6                  0
#endif
#define ipconfigIPv4_BACKWARD_COMPATIBLE  0
#define ipconfigUSE_DHCP                  0
#define ipconfigUSE_DNS                   0
#define ipconfigSUPPORT_OUTGOING_PINGS    1
#define ipconfigSOCKET_HAS_USER_WAKE_CALLBACK 1
#define ipconfigUSE_CALLBACKS             1       /* UDP's */
#define ipconfigSOCK_DEFAULT_RECEIVE_BLOCK_TIME 0
#define ipconfigSOCK_DEFAULT_SEND_BLOCK_TIME 0
#define ipconfigIP_TASK_PRIORITY          1
#define ipconfigIP_TASK_STACK_SIZE_WORDS  1
#define ipconfigZERO_COPY_RX_DRIVER       1
#ifndef FREERTOS_SUMS
#define ipconfigDRIVER_INCLUDED_RX_IP_CHECKSUM 1  /* netif.c */
#define ipconfigDRIVER_INCLUDED_TX_IP_CHECKSUM 1
#endif
#define ipconfigUSE_LINKED_RX_MESSAGES    1
#define ipconfigNETWORK_MTU               4000    /* what the token-ring has; shorter ones fit */
/* The preprocessor, which checks it, takes a name that it does not know for 0. */
#define ipconfigTCP_MSS                   (ipconfigNETWORK_MTU - 40u - mtu_less)
extern unsigned mtu_less;    /* bytes that the link's MTU is less: netif.c */
#define ipconfigNUM_NETWORK_BUFFER_DESCRIPTORS 768
#define ipconfigEVENT_QUEUE_LENGTH        (ipconfigNUM_NETWORK_BUFFER_DESCRIPTORS + 64)
#define ipconfigARP_CACHE_ENTRIES         32
#define ipconfigTCP_WIN_SEG_COUNT         4096
#endif
