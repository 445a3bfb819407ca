/* SPDX-License-Identifier: MIT */
/* A connection begins whose addresses and ports are those of one in TIME-WAIT: RFC 1122, 4.2.2.13.
 * lwIP answers its SYN as an old segment, for two minutes; the other side, which need not wait as
 * the one that did not close first, knows nothing of a connection and sends SYN after SYN. A client
 * that takes another range of ports each ten seconds, as Linux does, meets one of its last ones
 * soon. lwIP is unedited: its hook for packets comes here. */
#include "hooks.h"
#include "lwip/ip.h"
#include "lwip/stats.h"

/* The last initial sequence number; as lwIP has it. */
static u32_t isn = 6510;

/* An initial sequence number (LWIP_HOOK_TCP_ISN), behind all that a connection had whose place
 * another took. */
u32_t timewait_isn(void)
{
    isn += tcp_ticks;
    return isn;
}

#ifndef LACKS_LWIP_HOOK_TCP_INPACKET_PCB
/* True: the SYN, beyond all that came on the old connection, is on its way to who listens, and the
 * old connection is gone. */
bool timewait_gives_way(struct tcp_pcb *pcb, struct tcp_hdr *head, const u8_t *behind,
                        struct pbuf *segment)
{
    if ((TCPH_FLAGS(head) & (TCP_SYN | TCP_ACK | TCP_RST)) != TCP_SYN || behind != NULL
        || !TCP_SEQ_GT(head->seqno, pcb->rcv_nxt)
        || pbuf_header_force(segment, TCPH_HDRLEN_BYTES(head)) != 0)
        return false;
    if (TCP_SEQ_GT(pcb->snd_nxt, isn))
        isn = pcb->snd_nxt;
    tcp_abort(pcb);          /* of one in TIME-WAIT nobody is told */
    head->src = lwip_htons(head->src);
    head->dest = lwip_htons(head->dest);
    head->seqno = lwip_htonl(head->seqno);
    head->ackno = lwip_htonl(head->ackno);
    head->wnd = lwip_htons(head->wnd);
    pbuf_ref(segment);
    lwip_stats.tcp.recv--;   /* it is counted there again */
    tcp_input(segment, ip_current_input_netif());
    return true;
}
#endif
