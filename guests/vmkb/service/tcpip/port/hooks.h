/* SPDX-License-Identifier: MIT */
/* What lwIP asks its port on the way of a packet (LWIP_HOOK_FILENAME). */
#ifndef VMKB_LWIP_HOOKS_H
#define VMKB_LWIP_HOOKS_H
#include "../behavior.h"
#include "lwip/priv/tcp_priv.h"

/* RFC 5681, 4.2: what fills all or part of a hole is acknowledged at once. lwIP by itself delays
 * that ACK as any other, and a sender that repeats what was lost waits for it. Data that comes
 * while later data is kept (pcb->ooseq) fills such a hole, or is behind another one, which lwIP
 * answers at once anyway. */
static inline err_t fill_acknowledged(struct tcp_pcb *pcb, const struct tcp_hdr *head,
                                      const struct pbuf *data)
{
    if (behaves && pcb->state != LISTEN)
        behavior_input(pcb, head, data);
    if (pcb->state != LISTEN && pcb->ooseq != NULL && data->tot_len != 0)
        tcp_ack_now(pcb);
    return ERR_OK;
}

#define LWIP_HOOK_TCP_INPACKET_PCB(pcb, hdr, optlen, opt1len, opt2, p)                              \
    fill_acknowledged(pcb, hdr, p)
#endif
