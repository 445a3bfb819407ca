/* SPDX-License-Identifier: MIT */
/* Streams on lwIP: the calls and events of stack.h. */
#include "lwip/memp.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"
#include "address.h"
#include "rest.h"
#include "stack.h"
#include "train.h"

#define FIRST_WINDOW 14600
/* connections of one listener that the other side has not confirmed: half of all */
#define HALF_OPEN  128
#define CROWD      32        /* when there are more than this, */
#define CROWDED_TICKS 6      /* one that is older than this many half seconds is given up */
#define TIME_WAITS 32 /* connections remembered in TIME-WAIT; the oldest is forgotten first */
#define PORT_FIRST 49152     /* the dynamic ports of RFC 6335 go from here to 65535 */

u32_t sys_now(void)
{
    return tcpip_now();
}

int sock_from_err(err_t e)
{
    switch (e) {
    case ERR_OK:    return SOCK_EOK;
    case ERR_MEM:
    case ERR_BUF:   return SOCK_ELIMIT;
    case ERR_USE:   return SOCK_EADDRINUSE;
    case ERR_RTE:   return SOCK_EUNREACH;
    case ERR_RST:   return SOCK_ERESET;
    case ERR_ABRT:  return SOCK_ETIMEDOUT;
    case ERR_CONN:  return SOCK_ENOTCONN;
    default:        return SOCK_EINVAL;
    }
}

uint32_t stack_due(void)
{
    uint32_t ms = sys_timeouts_sleeptime();

    return ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE ? UINT32_MAX : rest_for(ms);
}

/* TCP looks through those in TIME-WAIT for each SYN: unlimited, they would make a connection dearer
 * the more of them there were before. The list has the newest first. */
static void forget_old(void)
{
    struct tcp_pcb *next, *p = tcp_tw_pcbs;

    for (unsigned i = 0; p && i < TIME_WAITS; i++)
        p = p->next;
    for (; p; p = next) {
        next = p->next;
        tcp_abort(p);        /* in TIME-WAIT it is only forgotten: nothing is sent */
    }
}

/* Half-open connections that fill a listener would keep everybody out for lwIP's 20 s: when there
 * are many, the old ones go, and who means it asks again. */
static void tick(void)
{
    static uint32_t seen;
    unsigned count = 0;

    if (seen == tcp_ticks)
        return;
    seen = tcp_ticks;
    train_tick();
    forget_old();
    for (const struct tcp_pcb *p = tcp_active_pcbs; p; p = p->next)
        count += p->state == SYN_RCVD;
    if (count <= CROWD)
        return;
    for (struct tcp_pcb *next, *p = tcp_active_pcbs; p; p = next) {
        next = p->next;
        if (p->state == SYN_RCVD && tcp_ticks - p->tmr > CROWDED_TICKS)
            tcp_abort(p);    /* nobody has it yet: no callback comes */
    }
}

void stack_timers(void)
{
    rest_made_up();
    sys_check_timeouts();
    link_ages();
    tick();
}

/* Three quarters of the input buffers hold what nobody has read. */
bool stack_short_of_input(void)
{
    const struct stats_mem *m = memp_pools[MEMP_PBUF_POOL]->stats;

    return m->used > m->avail / 4 * 3;
}

/* lwIP's own pbuf_cat would go through all that waits, which is more work the later we come. */
static void append(struct stack_tcp *t, struct pbuf *p)
{
    t->rx_len += p->tot_len;
    if (t->rx)
        t->rx_last->next = p;
    else
        t->rx = p;
    while (p->next)
        p = p->next;
    t->rx_last = p;
}

static err_t received(void *arg, struct tcp_pcb *pcb, struct pbuf *p, err_t err)
{
    struct stack_tcp *t = arg;
    (void)err;
    if (t && !p) {
        client_ended(t);
        return ERR_OK;
    }
    enum offer offer = t ? client_offered(t) : OFFER_DROP;
    if (offer == OFFER_LATER)
        return ERR_MEM;      /* lwIP keeps it and offers it again */
    if (offer == OFFER_TAKE) {
        append(t, p);
        if (behaves)
            behavior_received(pcb);
    } else if (p) {
        tcp_recved(pcb, p->tot_len);
        pbuf_free(p);
    }
    return ERR_OK;
}

static err_t sent(void *arg, struct tcp_pcb *pcb, u16_t len)
{
    struct stack_tcp *t = arg;
    (void)pcb;
    if (!t)
        return ERR_OK;
    if (behaves)
        behavior_acked(t);
    uint32_t all = t->untold + len;
    t->untold = 0;
    client_acknowledged(t, all);
    if (t->pcb && t->cwnd)
        loss_next_hole(t);   /* behind what was written: tcp_output comes when the ACK is taken */
    return ERR_OK;
}

static void gone(void *arg, err_t err)
{
    struct stack_tcp *t = arg;

    if (!t)
        return;
    t->pcb = NULL;           /* lwIP has freed it */
    client_gone(t, err == ERR_ABRT);
}

static err_t polled(void *arg, struct tcp_pcb *pcb)
{
    struct stack_tcp *t = arg;

    return !t || t->pcb != pcb || client_polled(t) ? ERR_OK : ERR_ABRT;
}

/* Nagle's algorithm is off: programs send whole buffers, and a short reply should not wait for the
 * other side's delayed acknowledgement. */
static void begins(struct stack_tcp *t, struct tcp_pcb *pcb)
{
    t->pcb = pcb;
    t->by_two = TCP_WND;
    tcp_nagle_disable(pcb);
    if (behaves)
        behavior_open(t);
    tcp_arg(pcb, t);
    tcp_recv(pcb, received);
    tcp_sent(pcb, sent);
    tcp_err(pcb, gone);
    tcp_poll(pcb, polled, CLIENT_POLL_S * 2); /* lwIP counts half seconds */
}

bool stack_tcp_new(struct stack_tcp *t)
{
    struct tcp_pcb *pcb = tcp_new();

    if (pcb)
        begins(t, pcb);
    return pcb != NULL;
}

/* A port of the dynamic range that no pcb has, those in TIME-WAIT apart: lwIP's own choice goes
 * through all of them, which are what there is most of when connections follow each other. */
static uint16_t free_port(void)
{
    static uint16_t next;
    int i = 0;

    if (!next)
        next = (uint16_t)tcpip_random();
    next = next < PORT_FIRST ? PORT_FIRST : next;
    while (i < NUM_TCP_PCB_LISTS_NO_TIME_WAIT) {
        const struct tcp_pcb *p = *tcp_pcb_lists[i++];
        while (p && p->local_port != next)
            p = p->next;
        if (p) {
            next = next == UINT16_MAX ? PORT_FIRST : next + 1;
            i = 0;           /* fewer pcbs than ports */
        }
    }
    return next++;
}

int stack_tcp_bind(struct stack_tcp *t, uint16_t port)
{
    ip_addr_t any = {0};

    ip_set_option(t->pcb, SOF_REUSEADDR);
    err_t e = tcp_bind(t->pcb, &any, port ? port : free_port());
    return e == ERR_OK ? t->pcb->local_port : sock_from_err(e);
}

static err_t accepted(void *arg, struct tcp_pcb *pcb, err_t err)
{
    if (err != ERR_OK || !pcb || !arg)
        return ERR_MEM;
    struct stack_tcp *t = client_accepted(arg, number_of(&pcb->remote_ip), pcb->remote_port);
    if (!t)
        return ERR_MEM;
    tcp_setprio(pcb, TCP_PRIO_NORMAL);
    begins(t, pcb);
    return ERR_OK;
}

int stack_tcp_listen(struct stack_tcp *t)
{
    err_t e;
    struct tcp_pcb *l = tcp_listen_with_backlog_and_err(t->pcb, HALF_OPEN, &e);

    if (!l)
        return e == ERR_USE ? SOCK_EADDRINUSE : SOCK_ELIMIT;
    t->pcb = l;
    tcp_setprio(l, TCP_PRIO_MIN); /* half-open ones give way to connections that somebody uses */
    tcp_arg(l, t);
    tcp_accept(l, accepted);
    return SOCK_EOK;
}

static err_t connected(void *arg, struct tcp_pcb *pcb, err_t err)
{
    (void)pcb, (void)err;
    return client_connected(arg) ? ERR_OK : ERR_ABRT;
}

int stack_tcp_connect(struct stack_tcp *t, uint32_t ip, uint16_t port)
{
    const ip_addr_t to = address_of(ip);

    return sock_from_err(tcp_connect(t->pcb, &to, port, connected));
}

void stack_tcp_abort(struct stack_tcp *t)
{
    struct tcp_pcb *pcb = t->pcb;

    t->pcb = NULL;
    tcp_arg(pcb, NULL);
    if (pcb->state == LISTEN) {
        tcp_close(pcb);
    } else {
        tcp_err(pcb, NULL);
        tcp_poll(pcb, NULL, 0);
        tcp_abort(pcb);
    }
}

void stack_tcp_close(struct stack_tcp *t)
{
    struct tcp_pcb *pcb = t->pcb;

    t->pcb = NULL;
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_err(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    if (tcp_close(pcb) != ERR_OK)
        tcp_abort(pcb);
}

/* The first window by RFC 6928; lwIP has RFC 2581's, three segments of 1460 bytes, and keeps it
 * where PROFILE TCPIP asks for lwIP's own behaviour. Not where a SYN was lost: lwIP's timer has
 * lowered the threshold then. */
void stack_tcp_begin(struct stack_tcp *t)
{
    struct tcp_pcb *pcb = t->pcb;
    uint32_t mss = pcb->mss, most = FIRST_WINDOW > 2 * mss ? FIRST_WINDOW : 2 * mss;

    if (most > 10 * mss)
        most = 10 * mss;
    t->begun = 1;
    t->single = NO_TRAINS || behavior_named || !link_carries_trains(number_of(&pcb->remote_ip));
    if (behaves)
        behavior_begin(t);
    else if (!behavior_named && pcb->ssthresh > most && pcb->cwnd < most)
        pcb->cwnd = most;
}

bool stack_tcp_write(struct stack_tcp *t, const void *bytes, uint16_t n, bool copy, bool more)
{
    uint8_t flags = (uint8_t)((copy ? TCP_WRITE_FLAG_COPY : 0) | (more ? TCP_WRITE_FLAG_MORE : 0));

    uint16_t mss = t->pcb->mss;
    t->pcb->mss = behaves ? behavior_piece(mss) : train_limit(t);
    err_t e = tcp_write(t->pcb, bytes, n, flags);

    t->pcb->mss = mss;
    return e == ERR_OK;
}

void stack_tcp_push(struct stack_tcp *t)
{
    train_fit(t->pcb, train_window(t->pcb));
    tcp_output(t->pcb);
}

bool stack_tcp_end(struct stack_tcp *t)
{
    return tcp_shutdown(t->pcb, 0, 1) == ERR_OK;
}

void stack_tcp_copy(const struct stack_tcp *t, uint8_t *to, uint32_t n)
{
    for (const struct pbuf *p = t->rx; n; p = p->next) {
        uint32_t k = p->len < n ? p->len : n;
        memcpy(to, p->payload, k);
        to += k;
        n -= k;
    }
}

static void drop_first(struct stack_tcp *t, uint32_t n)
{
    struct pbuf *p = t->rx;

    t->rx_len -= n;
    while (n && n >= p->len) {
        struct pbuf *next = p->next;
        n -= p->len;
        p->next = 0;
        pbuf_free(p);
        p = next;
    }
    t->rx = p;
    if (n) {
        p->payload = (uint8_t *)p->payload + n;
        p->len = (u16_t)(p->len - n);
    }
}

void stack_tcp_taken(struct stack_tcp *t, uint32_t n)
{
    drop_first(t, n);
    if (!t->pcb)
        return;
    uint32_t before = t->pcb->rcv_ann_wnd;
    tcp_recved(t->pcb, (u16_t)n);
    if (behaves)
        behavior_read(t, before);
}

void stack_tcp_drop(struct stack_tcp *t)
{
    if (t->rx)
        pbuf_free(t->rx);    /* and those behind it */
    t->rx = NULL;
    t->rx_len = 0;
}
