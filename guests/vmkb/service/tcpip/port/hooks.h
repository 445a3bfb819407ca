/* SPDX-License-Identifier: MIT */
/* What lwIP asks its port on the way of a packet (LWIP_HOOK_FILENAME). */
#ifndef VMKB_LWIP_HOOKS_H
#define VMKB_LWIP_HOOKS_H
#include "behavior.h"
#include "lwip/priv/tcp_priv.h"

/* loss.c */
bool loss_segment_came(struct tcp_pcb *pcb, const struct tcp_hdr *head, const u8_t *behind,
                       u16_t first_len, u16_t len, struct pbuf *data);

/* timewait.c */
u32_t timewait_isn(void);
bool timewait_gives_way(struct tcp_pcb *pcb, struct tcp_hdr *head, const u8_t *behind,
                        struct pbuf *segment);

/* A segment comes to a connection, before lwIP looks at it. Where nothing is lost, none has options
 * and none comes while later data is kept (pcb->ooseq): these questions are all that it costs. */
static inline err_t segment_came(struct tcp_pcb *pcb, struct tcp_hdr *head, u16_t len,
                                 u16_t first_len, const u8_t *behind, struct pbuf *data)
{
    if (pcb->state == TIME_WAIT)
        return timewait_gives_way(pcb, head, behind, data) ? ERR_ABRT : ERR_OK;
    if (pcb->state != LISTEN && (pcb->ooseq != NULL || len != 0 || behaves)
        && loss_segment_came(pcb, head, behind, first_len, len, data))
        return ERR_ABRT;     /* not lwIP's any more */
    return ERR_OK;
}

/* The first segment of a connection is about to be made: it announces the window that it will
 * have. A reset may be of no connection. */
static inline u8_t announced(const struct tcp_pcb *pcb, u8_t options)
{
    if (behavior.window && pcb && pcb->state < ESTABLISHED)
        behavior_announce((struct tcp_pcb *)pcb);
    return options;
}

#if LWIP_IPV4
/* netif.c: what is longer than the MTU. A train is cut into frames, all else into fragments. */
err_t link_too_long(struct pbuf *p, struct netif *n, const ip4_addr_t *to);
#define ip4_frag(p, n, to) link_too_long(p, n, to)
#endif

#define LWIP_HOOK_TCP_OUT_TCPOPT_LENGTH(pcb, length) announced(pcb, length)
#define LWIP_HOOK_TCP_INPACKET_PCB(pcb, head, len, first_len, behind, p) \
    segment_came(pcb, head, len, first_len, behind, p)
#define LWIP_HOOK_TCP_ISN(local, local_port, remote, remote_port) timewait_isn()
#endif
