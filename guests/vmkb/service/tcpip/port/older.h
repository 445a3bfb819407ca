/* SPDX-License-Identifier: MIT */
/* What the port takes from lwIP and its first versions lack: guests/release/older.py defines
 * LACKS_NAME where no header of that version has the word. Without the hook for packets nobody asks
 * what loss.c, timewait.c and behaviors would do with one. */
#ifndef VMKB_OLDER_H
#define VMKB_OLDER_H
#ifdef LACKS_LWIP_HOOK_TCP_INPACKET_PCB
#define loss_next_hole(s)   ((void)(s))
#define loss_acknowledge(s) ((void)(s))
#define loss_may_write(pcb) ((void)(pcb), true)
#endif
#ifdef LACKS_TCPH_HDRLEN_BYTES
#define TCPH_HDRLEN_BYTES(head) ((u8_t)(TCPH_HDRLEN(head) * 4))
#endif
#ifndef pbuf_match_type      /* a macro of lwip/pbuf.h */
#define pbuf_match_type(p, kind) ((p)->type == (kind))
#endif
#ifdef LACKS_TF_RTO
#define TF_RTO 0
#endif
#ifdef LACKS_SYS_TIMEOUTS_SLEEPTIME_INFINITE
#define SYS_TIMEOUTS_SLEEPTIME_INFINITE UINT32_MAX
#endif
#ifdef LACKS_tcp_listen_with_backlog_and_err
#define tcp_listen_with_backlog_and_err(pcb, backlog, error) \
    (*(error) = ERR_MEM, tcp_listen_with_backlog(pcb, backlog))
#endif
#endif
