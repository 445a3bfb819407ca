/* SPDX-License-Identifier: MIT */
/* Trains on their way out. While something is written the MSS is that of a train, so lwIP makes one
 * segment of many; the link cuts it into frames (netif.c). Where a window ends inside a train it is
 * cut before lwIP looks, and where something may have been lost lwIP has its segments again: what
 * goes out, and when, is what would go without trains. */
#include "train.h"
#include "lwip/memp.h"

#define TRAIN_MAX 32768u     /* bytes: what a data buffer holds */

uint16_t train_limit(const struct stack_tcp *t)
{
    uint32_t mss = t->pcb->mss, most = LWIP_MIN(TRAIN_MAX, t->pcb->snd_wnd_max / 2);

    return (uint16_t)(t->single || most < 2 * mss ? mss : most / mss * mss);
}

/* The data behind the first OFF bytes of a chain, as a chain of its own; NULL: no storage. What a
 * client's buffer holds is not copied. */
static struct pbuf *behind(struct pbuf *chain, uint32_t off)
{
    struct pbuf *q = chain, *rest;
    uint16_t left = (uint16_t)(chain->tot_len - off);

    while (off > q->len) {
        off -= q->len;
        q = q->next;
    }
    if (off == q->len) {
        rest = q->next;
        q->next = NULL;
    } else {
        bool rom = pbuf_match_type(q, PBUF_ROM);
        uint16_t n = (uint16_t)(q->len - off);
        uint8_t *from = (uint8_t *)q->payload + off;
        rest = rom ? pbuf_alloc(PBUF_RAW, n, PBUF_ROM) : pbuf_alloc(PBUF_RAW, n, PBUF_RAM);
        if (!rest)
            return NULL;
        if (rom)
            rest->payload = from;
        else
            memcpy(rest->payload, from, n);
        rest->next = q->next;
        q->next = NULL;
        q->len = (u16_t)off;
    }
    rest->tot_len = left;
    for (; chain; chain = chain->next)
        chain->tot_len = (u16_t)(chain->tot_len - left);
    return rest;
}

/* The segment keeps N bytes, the rest is the next one. False: no storage. */
static bool cut(struct tcp_pcb *pcb, struct tcp_seg *seg, uint16_t n)
{
    uint16_t head_len = TCPH_HDRLEN_BYTES(seg->tcphdr);
    struct pbuf *head = pbuf_alloc(PBUF_TRANSPORT, head_len, PBUF_RAM);
    struct tcp_seg *next = memp_malloc(MEMP_TCP_SEG);
    u16_t pieces = pbuf_clen(seg->p);
    struct pbuf *data = head && next ? behind(seg->p, seg->p->tot_len - seg->len + n) : NULL;

    if (!data) {
        if (head)
            pbuf_free(head);
        if (next)
            memp_free(MEMP_TCP_SEG, next);
        return false;
    }
    *next = *seg;
    next->p = head;
    next->tcphdr = head->payload;
    memcpy(next->tcphdr, seg->tcphdr, head_len);
    next->tcphdr->seqno = lwip_htonl(lwip_ntohl(seg->tcphdr->seqno) + n);
    pbuf_cat(head, data);
    next->len = (u16_t)(seg->len - n);
    seg->len = n;
    seg->next = next;
    TCPH_UNSET_FLAG(seg->tcphdr, TCP_FIN | TCP_PSH);
    pcb->snd_queuelen = (u16_t)(pcb->snd_queuelen + pbuf_clen(seg->p) + pbuf_clen(head) - pieces);
#if TCP_OVERSIZE
    pcb->unsent_oversize = 0;
#endif
    return true;
}

/* With nothing under way lwIP asks a window that is too small for one segment. */
void train_fit(struct tcp_pcb *pcb, uint32_t limit)
{
    struct tcp_seg *seg = pcb->unsent;
    uint32_t mss = pcb->mss;

    while (seg && TCP_SEQ_LEQ(lwip_ntohl(seg->tcphdr->seqno) + seg->len, limit))
        seg = seg->next;
    if (!seg || seg->len <= mss)
        return;
    uint32_t from = lwip_ntohl(seg->tcphdr->seqno);
    uint32_t whole = TCP_SEQ_GT(limit, from) ? (limit - from) / mss * mss : 0;
    if (!whole && seg == pcb->unsent && !pcb->unacked)
        whole = mss;
    if (whole)
        cut(pcb, seg, (uint16_t)whole);
}

void train_push(const struct tcp_pcb *pcb)
{
    struct tcp_pcb *p = tcp_active_pcbs;

    while (p && p != pcb)
        p = p->next;
    if (!p)
        return;
    train_fit(p, train_window(p));
    tcp_output(p);
}

/* The first train may be acknowledged in part: that is not to go again. lwIP tells of it when all
 * of a segment is. */
static void drop_acknowledged(struct tcp_pcb *pcb)
{
    struct stack_tcp *t = pcb->callback_arg;

    for (struct tcp_seg *seg = pcb->unacked; seg; seg = pcb->unacked) {
        if (!TCP_SEQ_LEQ(lwip_ntohl(seg->tcphdr->seqno) + TCP_TCPLEN(seg), pcb->lastack))
            return;
        pcb->unacked = seg->next;
        pcb->snd_queuelen = (u16_t)(pcb->snd_queuelen - pbuf_clen(seg->p));
        pcb->snd_buf += seg->len;
        if (t)
            t->untold += seg->len;
        tcp_seg_free(seg);
    }
}

void train_uncouple(struct tcp_pcb *pcb)
{
    for (struct tcp_seg *seg = pcb->unacked; seg; seg = seg->next)
        if (seg->len > pcb->mss && !cut(pcb, seg, pcb->mss))
            return;
    drop_acknowledged(pcb);
}

/* What lwIP took back to send again, and the link refused, begins before all that is not
 * acknowledged. Its timer would put it behind that, and nothing would ever go out again. */
static void put_back(struct tcp_pcb *pcb)
{
    struct tcp_seg *first = pcb->unsent, **end = &pcb->unsent;

    if (!first || !pcb->unacked)
        return;
    while (*end && TCP_SEQ_LT(lwip_ntohl((*end)->tcphdr->seqno),
                              lwip_ntohl(pcb->unacked->tcphdr->seqno)))
        end = &(*end)->next;
    if (*end == first)
        return;
    struct tcp_seg *later = *end;
    *end = pcb->unacked;
    pcb->unacked = first;
    pcb->unsent = later;
}

void train_tick(void)
{
    for (struct tcp_pcb *p = tcp_active_pcbs; p; p = p->next)
        if (p->rtime >= 0 && p->rtime + 1 >= p->rto) {
            put_back(p);
            train_uncouple(p);
            train_fit(p, p->lastack + p->mss);
        }
}
