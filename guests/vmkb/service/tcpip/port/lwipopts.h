/* SPDX-License-Identifier: MIT */
/* One set of options for both releases of lwIP, so that what differs between them is lwIP. */
#ifndef VMKB_LWIPOPTS_H
#define VMKB_LWIPOPTS_H
#include "../heap.h"

#define NO_SYS                 1
#define SYS_LIGHTWEIGHT_PROT   0
#define LWIP_SOCKET            0
#define LWIP_NETCONN           0
#define LWIP_UDP               1
#define LWIP_DHCP              0
#define LWIP_DHCP_DOES_ACD_CHECK 0     /* on without DHCP in versions between 2.1.2 and 2.2.0 */
#define LWIP_DNS               0
#define LWIP_IGMP              0
#ifdef TCPIP_IPV6
#define LWIP_IPV4              0
#define LWIP_IPV6              1
/* a link with hosts alone, whose addresses PROFILE TCPIP says */
#define LWIP_IPV6_SCOPES       0
#define LWIP_IPV6_MLD          0
#define LWIP_IPV6_AUTOCONFIG   0
#define LWIP_IPV6_SEND_ROUTER_SOLICIT 0
#define LWIP_IPV6_DUP_DETECT_ATTEMPTS 0
#define LWIP_ND6_NUM_NEIGHBORS 32
#define LWIP_ND6_NUM_DESTINATIONS 32
#define MEMP_NUM_ND6_QUEUE     64
#define IPV6_FRAG_COPYHEADER   1       /* pointers have 8 bytes */
#else
#define LWIP_IPV6              0
#endif
#define LWIP_RAW               1       /* PING */
#define LWIP_ARP               1
#define LWIP_ETHERNET          1
#define LWIP_NETIF_TX_SINGLE_PBUF 0
#define LWIP_SINGLE_NETIF      0
#define LWIP_HAVE_LOOPIF       1       /* 127.0.0.1 */
#define LWIP_NETIF_LOOPBACK    1       /* what goes to HOME stays inside, too */
#define ETH_PAD_SIZE           0
#define ARP_TABLE_SIZE         32
#define ARP_QUEUEING           1
/* what waits for a neighbour's address, the oldest being dropped: the longest datagram of a client
 * in fragments at MTU 1500 */
#define ARP_QUEUE_LEN          40

#define MEM_ALIGNMENT          8
#define MEM_SIZE               (HEAP_CELL * HEAP_CELLS + HEAP_REST)
#define MEM_LIBC_MALLOC        1       /* heap.c, by way of stdlib.h */
#define MEMP_NUM_TCP_PCB       256
#define MEMP_NUM_TCP_PCB_LISTEN 64
#define MEMP_NUM_TCP_SEG       4096
#define MEMP_NUM_PBUF          4096
#define MEMP_NUM_RAW_PCB       4
#define MEMP_NUM_UDP_PCB       32
#define MEMP_NUM_FRAG_PBUF     128
#define MEMP_NUM_SYS_TIMEOUT   16
#define MEMP_NUM_REASSDATA     16
#define MEMP_NUM_ARP_QUEUE     64
#define PBUF_POOL_SIZE         1536
#define PBUF_POOL_BUFSIZE      4096    /* a whole frame at MTU 4000 */
#define IP_REASS_MAX_PBUFS     192     /* four datagrams of 64 KB at MTU 1500 */
#define IP_FRAG                1
#define IP_REASSEMBLY          1

#define LWIP_TCP               1
/* ceiling (an MTU of 9000); each connection has what its link allows */
#define TCP_MSS                8960
#define TCP_CALCULATE_EFF_SEND_MSS 1
#define LWIP_WND_SCALE         1
#define TCP_RCV_SCALE          2
/* twice SOCK_RECV_MAX: one that is filling and one on its way. With three the sender would not wait
 * for a block to be acknowledged, but what it sends ahead would overflow the queues of wires */
#define TCP_WND                (2 * 57344)
/* more than a window, although a buffer counts until its last byte is acknowledged */
#define TCP_SND_BUF            (6 * 32768)
#define TCP_SND_QUEUELEN       1024
#define TCP_SNDLOWAT           16384
#define TCP_SNDQUEUELOWAT      256
#define TCP_QUEUE_OOSEQ        1
#define TCP_OOSEQ_MAX_PBUFS    128
#define TCP_OVERSIZE           0       /* data is not copied: there is nothing to append to */
#define TCP_LISTEN_BACKLOG     1
#define LWIP_TCP_KEEPALIVE     1
/* a server comes back while connections of before are in TIME-WAIT */
#define SO_REUSE               1
#define LWIP_TCP_TIMESTAMPS    0
#define LWIP_TCP_SACK_OUT      1
#define LWIP_HOOK_FILENAME     "hooks.h"
/* The dynamic ports of RFC 6335 without the last, as in lwIP's core/tcp.c. That one's first choice
 * may be the last; the port behind it is 0. */
#define TCP_LOCAL_PORT_RANGE_START 0xc000
#define TCP_LOCAL_PORT_RANGE_END   0xffff
#define TCP_ENSURE_LOCAL_PORT_RANGE(n) ((u16_t)(0xc000 + ((n) & 0x3fff) % 0x3fff))
#define TCP_MAXRTX             12
#define TCP_SYNMAXRTX          6
#define LWIP_CHECKSUM_ON_COPY  0
/* of an IP header at once: CHECKSUM does it in fewer instructions than it takes to add field after
 * field */
#define LWIP_INLINE_IP_CHKSUM  0
#define LWIP_CHECKSUM_CTRL_PER_NETIF 1 /* TCP's over the link are its own (netif.c, gather.c) */
#define LWIP_NOASSERT          1

#define LWIP_STATS             1
#define LWIP_STATS_LARGE       1
#define LWIP_STATS_DISPLAY     0
#define MEM_STATS              1
#define MEMP_STATS             1
#define LINK_STATS             1
#define ETHARP_STATS           1
#define IP_STATS               1
#define TCP_STATS              1
#define UDP_STATS              1
#define ICMP_STATS             1
#define MIB2_STATS             0
#endif
