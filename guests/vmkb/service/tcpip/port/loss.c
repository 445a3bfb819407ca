/* SPDX-License-Identifier: MIT */
/* What TCP does when segments are lost, beyond what lwIP does by itself: RFC 5681, 4.2, and of
 * RFC 6582, 6675 and 5827 what selective acknowledgements make easy. lwIP is unedited: its hook
 * for packets and its callback for what was acknowledged come here, and only when something was
 * lost. */
#ifndef LACKS_LWIP_HOOK_TCP_INPACKET_PCB
#include "hooks.h"
#include "stack.h"

#define KIND_SACK 5
#define TOLD_EACH 3          /* segments behind a hole that are acknowledged one by one */
#define KEPT_MAX  0x8000     /* bytes of them that lie together in one of lwIP's segments */

/* Data comes while later data is kept: it fills a hole, or lies behind one. It is acknowledged at
 * once (lwIP delays the ACK of what fills a hole as any other, and a sender that repeats what was
 * lost waits for it); and until the hole is filled the other side may send a buffer more, or it
 * would stand still with a full window for a round trip. */
static void data_came(struct tcp_pcb *pcb)
{
    struct stack_tcp *t = pcb->callback_arg;

    tcp_ack_now(pcb);
    if (t)
        t->kept = 0;         /* that tells of all */
    if (!t || !(pcb->flags & TF_SACK) || !(pcb->flags & TF_WND_SCALE) || pcb->refused_data)
        return;
    uint32_t most = TCP_WND_MAX(pcb) + SPARE_WINDOW - t->rx_len;
    if (t->rx_len <= SPARE_WINDOW && pcb->rcv_wnd < most) {
        pcb->rcv_wnd = most; /* tcp_recved takes it back when all is read */
        tcp_update_rcv_ann_wnd(pcb);
    }
}

/* The segment behind the last one that is kept: it is put to that one here, where lwIP would go
 * through all that is kept for each, and is acknowledged with those that came in its block
 * (loss_acknowledge). All go out in one block anyhow, and selective acknowledgements in the last of
 * them tell what each would have told; the first three are sent, as a sender may count them. Such
 * segments are so long that a window of them is within lwIP's limit of pbufs. */
static bool keep(struct tcp_pcb *pcb, const struct tcp_hdr *head, struct pbuf *data)
{
    struct stack_tcp *t = pcb->callback_arg;
    struct tcp_sack_range *newest = &pcb->rcv_sacks[0];
    struct tcp_seg *last = pcb->ooseq;
    u32_t len = data->tot_len;

    if (!t || t->pcb != pcb || !(pcb->flags & TF_SACK) || pcb->state != ESTABLISHED
        || (TCPH_FLAGS(head) & ~TCP_PSH) != TCP_ACK || head->ackno != pcb->lastack
        || (u32_t)SND_WND_SCALE(pcb, head->wnd) != pcb->snd_wnd
        || newest->right != head->seqno || newest->right - newest->left < TOLD_EACH * len
        || len * TCP_OOSEQ_MAX_PBUFS < TCP_WND + SPARE_WINDOW
        || TCP_SEQ_GT(head->seqno + len, pcb->rcv_nxt + pcb->rcv_wnd))
        return false;
    while (last->next)
        last = last->next;
    if (last->tcphdr->seqno + last->len != head->seqno || (TCPH_FLAGS(last->tcphdr) & TCP_FIN)
        || last->len + len > KEPT_MAX)
        return false;
    pbuf_ref(data);
    pbuf_cat(last->p, data);
    last->len = (u16_t)(last->len + len);
    newest->right += len;
    pcb->tmr = tcp_ticks;    /* lwIP throws away what it kept when nothing comes for long */
    t->kept = 1;
    client_mark(t);
    return true;
}

/* The block has been taken in. */
void loss_acknowledge(struct stack_tcp *t)
{
    t->kept = 0;
    if (t->pcb)
        tcp_send_empty_ack(t->pcb);
}

struct options {             /* of a segment: in two pieces when a pbuf ends between */
    const u8_t *first, *behind;
    u16_t first_len, len;
};

static u8_t byte_at(const struct options *o, unsigned i)
{
    return i < o->first_len ? o->first[i] : o->behind[i - o->first_len];
}

static u32_t word_at(const struct options *o, unsigned i)
{
    return (u32_t)byte_at(o, i) << 24 | (u32_t)byte_at(o, i + 1) << 16
           | (u32_t)byte_at(o, i + 2) << 8 | byte_at(o, i + 3);
}

/* What selective acknowledgements say: `ack` to `hole_end` is missing, and something came up to
 * `last`. */
struct kept {
    u32_t hole_end, last;
};

/* False: none is told beyond `ack`. */
static bool read_kept(const struct options *o, u32_t ack, struct kept *k)
{
    bool any = false;

    for (unsigned i = 0, size; i + 1 < o->len; i += size) {
        u8_t kind = byte_at(o, i);
        if (kind == 0)
            break;
        size = kind == 1 ? 1 : byte_at(o, i + 1);
        if (size == 0 || i + size > o->len)
            break;
        for (unsigned at = i + 2; kind == KIND_SACK && at + 8 <= i + size; at += 8) {
            u32_t from = word_at(o, at), to = word_at(o, at + 4);
            if (!TCP_SEQ_GT(from, ack) || !TCP_SEQ_GT(to, from))
                continue;    /* what came twice (RFC 2883), or nonsense */
            if (!any || TCP_SEQ_LT(from, k->hole_end))
                k->hole_end = from;
            if (!any || TCP_SEQ_GT(to, k->last))
                k->last = to;
            any = true;
        }
    }
    return any;
}

/* RFC 6675: what tells of data out of order is a duplicate ACK also if its window has grown, as a
 * Linux that takes much in lets it grow with every segment. lwIP counts an ACK as one only if the
 * window stays: it has it already. */
static void take_window(struct tcp_pcb *pcb, const struct tcp_hdr *head)
{
    u32_t window = SND_WND_SCALE(pcb, head->wnd);

    if (pcb->snd_wl1 != head->seqno || pcb->snd_wl2 != head->ackno || window <= pcb->snd_wnd)
        return;
    pcb->snd_wnd = window;
    if (pcb->snd_wnd_max < window)
        pcb->snd_wnd_max = window;
}

/* What is missing up to `end` goes out once more, no more of it at a time than may be under way.
 * lwIP counts each segment that does as one more time-out; it would double its timer as often
 * (RFC 6298, 5.5: when it goes off), to 128 times its value, and give up the connection at the
 * twelfth. */
static void fill_hole(struct stack_tcp *t, u32_t end)
{
    struct tcp_pcb *pcb = t->pcb;
    u8_t timeouts = pcb->nrtx;
    u32_t limit = pcb->lastack + pcb->ssthresh;

    if (TCP_SEQ_GT(end, limit))
        end = limit;
    while (pcb->unacked && TCP_SEQ_LT(lwip_ntohl(pcb->unacked->tcphdr->seqno), end)) {
        t->resent_to = lwip_ntohl(pcb->unacked->tcphdr->seqno) + TCP_TCPLEN(pcb->unacked);
        if (tcp_rexmit(pcb) != ERR_OK)
            break;
    }
    t->resent_at = pcb->snd_nxt;
    pcb->nrtx = timeouts;
    pcb->rtime = 0;
}

/* In recovery all below `last` has come or is lost: what is under way is behind it (RFC 6675's
 * pipe). */
static u32_t window_behind(const struct tcp_pcb *pcb, const struct kept *k, u32_t ack)
{
    return pcb->ssthresh + (k->last - ack);
}

static void duplicate(struct stack_tcp *t, u32_t ack, const struct kept *k)
{
    struct tcp_pcb *pcb = t->pcb;
    u8_t timeouts = pcb->nrtx;

    if (!(pcb->flags & TF_INFR)) {
        /* Two segments beyond the first missing one have come, or all there were (RFC 5827). */
        if (k->last - ack <= 3u * pcb->mss && k->last != pcb->snd_nxt)
            return;
        tcp_rexmit_fast(pcb);
        pcb->nrtx = timeouts;
        if (!(pcb->flags & TF_INFR))
            return;
        t->resent_to = ack + 1;  /* the first segment is out again */
        fill_hole(t, k->hole_end);
    } else if (TCP_SEQ_GT(k->last, t->resent_at)) {
        fill_hole(t, k->hole_end); /* what was sent after it is there: it was lost once more */
    }
    pcb->cwnd = window_behind(pcb, k, ack);
    pcb->dupacks = 2;        /* lwIP itself adds nothing to that */
}

/* An acknowledgement with options came. lwIP sends lost data again after three duplicates, one
 * segment of a window, and waits out its timer, a second at least, for the others and for what it
 * does not see as duplicates. */
static void options_came(struct tcp_pcb *pcb, const struct tcp_hdr *head, const u8_t *behind,
                         u16_t first_len, u16_t len)
{
    struct options o = {(const u8_t *)(head + 1), behind, first_len, len};
    struct stack_tcp *t = pcb->callback_arg;
    struct kept k = {0, 0};

    if (pcb->state < ESTABLISHED || !t || t->pcb != pcb || !pcb->unacked
        || !read_kept(&o, head->ackno, &k) || TCP_SEQ_GT(k.last, pcb->snd_nxt))
        return;
    if (head->ackno == pcb->lastack) {
        take_window(pcb, head);
        duplicate(t, head->ackno, &k);
    } else if (TCP_SEQ_GT(head->ackno, pcb->lastack) && (pcb->flags & TF_INFR)) {
        t->cwnd = window_behind(pcb, &k, head->ackno);
        t->hole_end = k.hole_end;
    }
}

/* True: the segment is taken, lwIP does not see it.
 * A TCP of another host (behavior.c) knows nothing of selective acknowledgements; what fills a hole
 * it acknowledges at once, as lwIP does with what lies behind one. */
bool loss_segment_came(struct tcp_pcb *pcb, const struct tcp_hdr *head, const u8_t *behind,
                       u16_t first_len, u16_t len, struct pbuf *data)
{
    if (behaves) {
        tcp_clear_flags(pcb, TF_SACK);
        behavior_input(pcb, head, data);
        if (pcb->ooseq != NULL && data->tot_len != 0)
            tcp_ack_now(pcb);
    } else if (data->tot_len == 0) {
        if (len != 0)
            options_came(pcb, head, behind, first_len, len);
    } else if (pcb->ooseq != NULL) {
        if (len == 0 && keep(pcb, head, data))
            return true;
        data_came(pcb);
    }
    return false;
}

/* False: what goes out again is the last that waits for tcp_output, and newer bytes are out
 * already. lwIP would take it for the end of the stream and put what is written, or the FIN, behind
 * it. */
bool loss_may_write(const struct tcp_pcb *pcb)
{
    const struct tcp_seg *last = pcb->unsent;

    if (!last || !(pcb->flags & TF_INFR))
        return true;
    while (last->next)
        last = last->next;
    return lwip_ntohl(last->tcphdr->seqno) + TCP_TCPLEN(last) == pcb->snd_lbb;
}

/* lwIP has taken an ACK that ends at the next hole (RFC 6582, a partial acknowledgement): that
 * goes out at once, when nothing more is written for this ACK (loss_may_write). */
void loss_next_hole(struct stack_tcp *t)
{
    struct tcp_pcb *pcb = t->pcb;

    pcb->cwnd = t->cwnd;
    t->cwnd = 0;
    pcb->dupacks = 2;
    tcp_set_flags(pcb, TF_INFR);
    if (TCP_SEQ_GEQ(pcb->lastack, t->resent_to))
        fill_hole(t, t->hole_end);
}
#endif
