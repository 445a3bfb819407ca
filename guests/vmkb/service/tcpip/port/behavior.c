/* SPDX-License-Identifier: MIT */
/* The TCPs of other hosts, made of lwIP as it is: its fields are set before and after it works on
 * a segment. What is not set here is lwIP's. */
#include "behavior.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/sys.h"
#include "say.h"
#include "stack.h"
#include "words.h"

#define OPEN_WINDOW (1u << 20)   /* a congestion window that is none */
#define TICK_MS     TCP_SLOW_INTERVAL
#define FIRST_RTT   1500         /* ms: twice this is 3 s, RFC 1122's first time-out */
#define RTO_MAX     60000        /* ms: RFC 793's upper bound */
#define RTO_MIN     1000         /* and its lower one */
#define BSD_MIN     2            /* ticks: a second */
#define STALL_TICKS 40           /* 20 s */
#define CARD        80           /* bytes of a record */
#define BACKOFFS    6

/* What is timed of each socket, and what was seen of its connection. */
static struct timing {
    bool timing, waits;
    bool sampled;                /* lwIP takes a sample from the segment that is being looked at */
    bool ambiguous;              /* something before `again` was sent twice */
    uint32_t again;
    uint8_t nrtx, duplicates;
    uint32_t until;              /* the sequence number whose acknowledgement ends the sample */
    uint32_t since;              /* ms */
    uint32_t srtt;               /* ms, 0: no sample yet */
    uint32_t handed;             /* ms: since when something is to be sent or acknowledged */
    uint16_t kept;               /* ticks of a time-out that was doubled; 0: it was not */
} timings[CLIENT_NUMBERS];

static const struct behavior known[] = {
    {.name = "LWIP", .repeats_early = true, .recovers = true},
    {.name = "RFC1122", .nagle = true, .slow_start = true, .karn = true, .repeats_early = true,
     .recovers = true},
    {.name = "BSD42", .open = true, .rfc793_timer = true, .whole_window = true},
    {.name = "BSD43-TAHOE", .nagle = true, .slow_start = true, .karn = true, .repeats_early = true,
     .least_ticks = BSD_MIN},
    {.name = "BSD43-RENO", .nagle = true, .slow_start = true, .karn = true, .repeats_early = true,
     .recovers = true, .least_ticks = BSD_MIN},
    {.name = "FAL121", .nagle = true, .slow_start = true, .karn = true, .repeats_early = true,
     .recovers = true},
};
struct behavior behavior = {.name = "LWIP", .repeats_early = true, .recovers = true};
bool behaves, behavior_named;

/* The complaints of 1990, each by itself. */
static void small(void)
{
    behavior.piece = CARD;
    behavior.nagle = false;
}

static void resend(void)
{
    behavior.rfc793_timer = behavior.timer_of_segment = behavior.whole_window = true;
    behavior.karn = false;
}

static void stall(void)
{
    behavior.repeats_early = false;
    behavior.again_ticks = STALL_TICKS;
    if (!behavior.timer_of_segment)
        behavior.least_ticks = STALL_TICKS;
}

static void lone_ack(void)
{
    behavior.lone_ack = true;
}

static const struct {
    const char *word;
    void (*apply)(void);
} complaints[] = {{"SMALL", small}, {"RESEND", resend}, {"STALL", stall}, {"LONEACK", lone_ack}};

static bool complain(const char *word)
{
    for (unsigned i = 0; i < sizeof(complaints) / sizeof(*complaints); i++)
        if (strcmp(word, complaints[i].word) == 0) {
            complaints[i].apply();
            return true;
        }
    return false;
}

/* TCPBEHAVIOR NAME [SMALL] [RESEND] [STALL] [LONEACK] [WINDOW n] [LIMIT n] */
const char *stack_behavior(char w[][WORD_MAX], unsigned n)
{
    struct behavior was = behavior;
    unsigned i = 0;

    while (i < sizeof(known) / sizeof(*known) && (n < 1 || strcmp(w[0], known[i].name) != 0))
        i++;
#ifdef LACKS_LWIP_HOOK_TCP_INPACKET_PCB
    if (n > 1 || i != 0)
        return "TCPBEHAVIOR NEEDS AN LWIP THAT SHOWS ITS SEGMENTS: 2.1.0 OR LATER";
#endif
    if (i == sizeof(known) / sizeof(*known))
        return "TCPBEHAVIOR NEEDS LWIP, RFC1122, BSD42, BSD43-TAHOE, BSD43-RENO OR FAL121";
    behavior = known[i];
    if (strcmp(behavior.name, "FAL121") == 0)
        for (i = 0; i < sizeof(complaints) / sizeof(*complaints); i++)
            complaints[i].apply();
    for (i = 1; i < n; i++) {
        if (strcmp(w[i], "WINDOW") == 0) {
            uint32_t v;
            if (i + 1 == n || !words_number(w[++i], &v) || v < 512 || v > TCP_WND) {
                behavior = was;
                return "WINDOW NEEDS A NUMBER OF BYTES FROM 512 TO 114688";
            }
            behavior.window = v;
        } else if (strcmp(w[i], "LIMIT") == 0) {
            if (i + 1 == n || !words_number(w[++i], &behavior.limit) || behavior.limit == 0
                || behavior.limit > 86400) {
                behavior = was;
                return "LIMIT NEEDS A NUMBER OF SECONDS FROM 1 TO 86400";
            }
        } else if (!complain(w[i])) {
            behavior = was;
            return "TCPBEHAVIOR TAKES SMALL, RESEND, STALL, LONEACK, WINDOW AND LIMIT";
        }
    }
    behaves = strcmp(behavior.name, "LWIP") != 0 || n > 1;
    behavior_named = true;
    return 0;
}

void stack_behavior_say(void)
{
    char window[24] = "", limit[24] = "";

    if (!behaves)
        return;
    if (behavior.limit)
        fmt(limit, sizeof(limit), " LIMIT %u", behavior.limit);
    if (behavior.window)
        fmt(window, sizeof(window), " WINDOW %u", behavior.window);
    say("DTCIPI010I TCPBEHAVIOR %s%s%s%s%s%s%s", behavior.name, behavior.piece ? " SMALL" : "",
        behavior.timer_of_segment ? " RESEND" : "", behavior.again_ticks ? " STALL" : "",
        behavior.lone_ack ? " LONEACK" : "", window, limit);
}

static struct timing *timing(const struct stack_tcp *s)
{
    return &timings[client_number(s)];
}

void behavior_open(struct stack_tcp *s)
{
    *timing(s) = (struct timing){0};
    if (behavior.nagle)
        tcp_nagle_enable(s->pcb);
}

void behavior_announce(struct tcp_pcb *pcb)
{
    pcb->rcv_wnd = pcb->rcv_ann_wnd = behavior.window;
}

void behavior_begin(struct stack_tcp *s)
{
    if (behavior.slow_start)
        s->pcb->cwnd = s->pcb->mss;
    if (behavior.open)
        s->pcb->cwnd = OPEN_WINDOW;
}

void behavior_received(struct tcp_pcb *pcb)
{
    if (behavior.lone_ack)
        tcp_send_empty_ack(pcb);
}

bool behavior_full(const struct stack_tcp *s)
{
    return behavior.window && s->rx_len >= behavior.window / 4;
}

/* lwIP tells of a window that opens when it has grown by a quarter of its own largest one, which
 * this one never does: told when it has grown by two segments or half of it (RFC 1122, 4.2.3.3). */
void behavior_read(struct stack_tcp *s, uint32_t before)
{
    uint32_t step = 2u * s->pcb->mss;

    if (!behavior.window)
        return;
    if (step > behavior.window / 2)
        step = behavior.window / 2;
    if (before < step && s->pcb->rcv_ann_wnd >= step) {
        tcp_ack_now(s->pcb);
        tcp_output(s->pcb);
    }
}

uint16_t behavior_piece(uint16_t mss)
{
    return behavior.piece && behavior.piece < mss ? behavior.piece : mss;
}

/* The time-out in half seconds that comes after the n-th one in a row. */
static uint16_t time_out(const struct tcp_pcb *pcb, const struct timing *t, unsigned n)
{
    uint32_t ticks = (uint32_t)pcb->rto;

    if (behavior.rfc793_timer) {
        uint32_t ms = 2 * (t->srtt ? t->srtt : FIRST_RTT);
        if (ms < RTO_MIN)
            ms = RTO_MIN;
        ms <<= n < BACKOFFS ? n : BACKOFFS;
        if (ms > RTO_MAX)
            ms = RTO_MAX;
        ticks = (ms + TICK_MS - 1) / TICK_MS;
    }
    if (ticks < behavior.least_ticks)
        ticks = behavior.least_ticks;
    if (n && ticks < behavior.again_ticks)
        ticks = behavior.again_ticks;
    return (uint16_t)(ticks < 0x7fff ? ticks : 0x7fff);
}

/* A sample ends. RFC 793: seven eighths of the old, one of the new. That data may have been sent
 * again meanwhile is not asked (Karn's rule came in 1987). */
static void sample(struct timing *t)
{
    uint32_t ms = sys_now() - t->since;

    t->srtt = t->srtt ? (7 * t->srtt + ms) / 8 : ms;
    t->srtt = t->srtt ? t->srtt : 1;
    t->timing = false;
}

void behavior_acked(struct stack_tcp *s)
{
    struct tcp_pcb *pcb = s->pcb;
    struct timing *t = timing(s);

    t->nrtx = 0;
    t->duplicates = 0;
    if (t->timing && TCP_SEQ_GEQ(pcb->lastack, t->until))
        sample(t);
    if (t->sampled)
        t->kept = 0;
    if (t->kept)
        pcb->rto = (s16_t)t->kept;   /* lwIP forgets it with each acknowledgement */
    if (behavior.open)
        pcb->cwnd = OPEN_WINDOW;
    pcb->rto = (s16_t)time_out(pcb, t, 0);
    if (t->timing && behavior.timer_of_segment && pcb->rtime >= 0)
        pcb->rtime = (s16_t)((sys_now() - t->since) / TICK_MS);
}

/* lwIP has sent the first segment again; the others wait for acknowledgements, or go now. */
static void timed_out(struct stack_tcp *s, struct timing *t)
{
    struct tcp_pcb *pcb = s->pcb;

    if (behavior.whole_window) {
        pcb->cwnd = OPEN_WINDOW;
        tcp_output(pcb);
        if (!behavior.open)
            pcb->cwnd = pcb->ssthresh;
    }
    if (behavior.rfc793_timer) {
        t->timing = true;        /* a sample of what was sent again */
        t->until = pcb->snd_nxt;
        t->since = sys_now();
    }
}

static void settle(struct stack_tcp *s)
{
    struct tcp_pcb *pcb = s->pcb;
    struct timing *t = timing(s);

    if (pcb->state < ESTABLISHED || pcb->state == TIME_WAIT)
        return;
    if (pcb->nrtx > t->nrtx && pcb->flags & TF_RTO)
        timed_out(s, t);
    if (pcb->nrtx > t->nrtx) {
        t->ambiguous = true;
        t->again = pcb->snd_nxt;
    }
    if (pcb->nrtx != t->nrtx) {
        t->nrtx = pcb->nrtx;
        if (behavior.karn && t->nrtx && pcb->flags & TF_RTO) {
            t->kept = t->kept ? 2 * t->kept : (uint16_t)pcb->rto;
            if (t->kept > RTO_MAX / TICK_MS)
                t->kept = RTO_MAX / TICK_MS;
            pcb->rto = (s16_t)t->kept;
        }
        if (t->nrtx)
            pcb->rto = (s16_t)time_out(pcb, t, t->nrtx);
    }
    if (behavior.rfc793_timer && !t->timing && pcb->unacked) {
        t->timing = true;
        t->until = pcb->snd_nxt;
        t->since = sys_now();
        if (behavior.timer_of_segment)
            pcb->rtime = 0;
        pcb->rto = (s16_t)time_out(pcb, t, t->nrtx);
    }
}

/* RFC 793's user time-out, which is of all that a program has handed over. */
static bool over_limit(const struct stack_tcp *s)
{
    struct timing *t = timing(s);
    uint32_t now = sys_now();

    if (!t->waits)
        t->handed = now;
    t->waits = !client_idle(s);
    return t->waits && now - t->handed > behavior.limit * 1000;
}

void behavior_settle(void)
{
    for (struct tcp_pcb *next, *p = tcp_active_pcbs; p; p = next) {
        struct stack_tcp *s = p->callback_arg;
        next = p->next;
        if (!s || s->pcb != p)
            continue;
        settle(s);
        if (behavior.limit && over_limit(s))
            tcp_abort(p);        /* gone (tcp.c) tells the program */
    }
}

#ifndef LACKS_LWIP_HOOK_TCP_INPACKET_PCB
/* What lwIP counts as a duplicate ACK. */
static bool duplicate(const struct tcp_pcb *pcb, const struct tcp_hdr *head, uint16_t bytes)
{
    return !bytes && !(TCPH_FLAGS(head) & (TCP_SYN | TCP_FIN | TCP_RST)) && pcb->unacked
           && head->ackno == pcb->lastack
           && (tcpwnd_size_t)head->wnd << pcb->snd_scale == pcb->snd_wnd;
}

/* Without recovery lwIP's count of duplicates is kept at nought, and the third one is ours: the
 * first segment goes again, and the window grows from one segment. */
void behavior_input(struct tcp_pcb *pcb, const struct tcp_hdr *head, const struct pbuf *data)
{
    const struct stack_tcp *s = pcb->callback_arg;

    if (pcb->state < ESTABLISHED || pcb->state == TIME_WAIT || !s || s->pcb != pcb)
        return;
    /* lwIP times a segment that it sends again, which Karn's rule forbids. */
    if (behavior.karn && timing(s)->ambiguous && TCP_SEQ_LT(pcb->rtseq, timing(s)->again))
        pcb->rttest = 0;
    timing(s)->sampled = pcb->rttest && TCP_SEQ_LT(pcb->rtseq, head->ackno);
    if (behavior.recovers && behavior.repeats_early)
        return;
    pcb->dupacks = 0;
    if (!behavior.repeats_early || !duplicate(pcb, head, data->tot_len))
        return;
    if (++timing(s)->duplicates == 3 && tcp_rexmit(pcb) == ERR_OK) {
        tcpwnd_size_t half = LWIP_MIN(pcb->cwnd, pcb->snd_wnd) / 2;
        pcb->ssthresh = LWIP_MAX(half, 2u * pcb->mss);
        pcb->cwnd = pcb->mss;
        pcb->rtime = 0;
    }
}
#endif
