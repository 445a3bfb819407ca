/* SPDX-License-Identifier: MIT */
/* What lwIP tells NETSTAT. */
#include "lwip/memp.h"
#include "lwip/priv/memp_priv.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/stats.h"
#include "address.h"
#include "stack.h"
#include "tcpip.h"

static const char *const states[] = {"CLOSED",      "LISTEN",     "SYN-SENT",   "SYN-RCVD",
                                     "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2", "CLOSE-WAIT",
                                     "CLOSING",     "LAST-ACK",   "TIME-WAIT"};

static const char *const pool_names[] = {
#define LWIP_MEMPOOL(name, num, size, desc) #name,
#include "lwip/priv/memp_std.h"
};

static void names(const struct tcp_pcb *p, struct stack_names *n)
{
    *n = (struct stack_names){number_of(&p->remote_ip), number_of(&p->local_ip), p->remote_port,
                              p->local_port, states[p->state]};
}

void stack_tcp_names(const struct stack_tcp *t, struct stack_names *n)
{
    names(t->pcb, n);
}

bool stack_tcp_ownerless(unsigned index, struct stack_names *n)
{
    for (const struct tcp_pcb *p = tcp_active_pcbs; p; p = p->next) {
        const struct stack_tcp *t = p->callback_arg;
        if (p->state != SYN_RCVD && t && t->pcb == p)
            continue;
        if (index-- == 0) {
            names(p, n);
            return true;
        }
    }
    return false;
}

unsigned stack_tcp_time_waits(void)
{
    unsigned n = 0;

    for (const struct tcp_pcb *p = tcp_tw_pcbs; p; p = p->next)
        n++;
    return n;
}

bool stack_pool(unsigned index, struct stack_pool *p)
{
    if (index > MEMP_MAX)
        return false;
    const struct stats_mem *m = index == 0 ? &lwip_stats.mem : memp_pools[index - 1]->stats;
    *p = (struct stack_pool){index == 0 ? "HEAP BYTES" : pool_names[index - 1],
                             (unsigned)(m->avail - m->used), (unsigned)m->avail, (unsigned)m->max,
                             (unsigned)m->err};
    return true;
}

bool stack_counter(unsigned index, struct stack_counter *c)
{
    static const struct {
        const char *name;
        const struct stats_proto *p;
    } rows[] = {{"LINK", &lwip_stats.link},
#if LWIP_IPV6
                {"ND", &lwip_stats.nd6}, {"IP", &lwip_stats.ip6}, {"ICMP", &lwip_stats.icmp6},
#else
                {"ARP", &lwip_stats.etharp}, {"IP", &lwip_stats.ip}, {"ICMP", &lwip_stats.icmp},
#endif
                {"TCP", &lwip_stats.tcp}, {"UDP", &lwip_stats.udp},
#if LWIP_IPV6
                {"FRAGS", &lwip_stats.ip6_frag}};
#else
                {"FRAGS", &lwip_stats.ip_frag}};
#endif

    if (index >= sizeof(rows) / sizeof(*rows))
        return false;
    const struct stats_proto *p = rows[index].p;
    *c = (struct stack_counter){rows[index].name, (unsigned)p->xmit, (unsigned)p->recv,
                                (unsigned)p->drop, (unsigned)p->chkerr, (unsigned)p->lenerr,
                                (unsigned)p->memerr, (unsigned)p->rterr};
    if (p == &lwip_stats.link) { /* the link counts its frames itself */
        c->sent = (unsigned)link_counts.frames_out;
        c->received = (unsigned)(link_counts.frames_in - link_counts.no_buffer);
    }
    return true;
}
