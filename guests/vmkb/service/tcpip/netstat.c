/* SPDX-License-Identifier: MIT */
/* NETSTAT: one line of text for each (which, index): connections, pools, devices, protocol
 * counters. */
#include "lwip/memp.h"
#include "lwip/priv/memp_priv.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/stats.h"
#include "sock.h"

enum { NS_CONNECTIONS, NS_POOLS, NS_DEVICES, NS_COUNTERS };

static const char *const states[] = {"CLOSED",      "LISTEN",     "SYN-SENT",   "SYN-RCVD",
                                     "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2", "CLOSE-WAIT",
                                     "CLOSING",     "LAST-ACK",   "TIME-WAIT"};

static void address(char *text, size_t size, uint32_t ip, uint16_t port)
{
    if (ip)
        fmt(text, size, "%u.%u.%u.%u..%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255, port);
    else
        fmt(text, size, "*..%u", port);
}

static const char *const pool_names[] = {
#define LWIP_MEMPOOL(name, num, size, desc) #name,
#include "lwip/priv/memp_std.h"
};

static long row(char *line, long size, const char *user, unsigned number, const struct tcp_pcb *pcb)
{
    char foreign[24], local[24];

    address(foreign, sizeof(foreign), pcb->remote_ip.addr, pcb->remote_port);
    address(local, sizeof(local), pcb->local_ip.addr, pcb->local_port);
    return fmt(line, (size_t)size, "%-8s %5u %-23s %-23s %s", user, number, foreign, local,
               states[pcb->state]);
}

/* Connections whose clients have closed them, and half-open ones: no socket belongs to them. Then,
 * how many only wait for late segments. */
static long without_socket(uint32_t index, char *line, long size)
{
    unsigned waiting = 0;

    for (const struct tcp_pcb *p = tcp_active_pcbs; p; p = p->next) {
        const struct sock *s = p->callback_arg;
        if (p->state != SYN_RCVD && s && s->pcb == p)
            continue;
        if (index-- == 0)
            return row(line, size, "-", 0, p);
    }
    for (const struct tcp_pcb *p = tcp_tw_pcbs; p; p = p->next)
        waiting++;
    return index == 0 && waiting ? fmt(line, (size_t)size, "%u MORE IN TIME-WAIT", waiting) : 0;
}

/* User Id, conn, foreign, local, state, as NETSTAT CONN's columns in TCP/IP for VM */
static long connection(uint32_t index, char *line, long size)
{
    for (unsigned i = 0; i < SOCKS; i++) {
        struct sock *s = &socks[i];
        char local[24];
        if (s->state == SOCK_FREE || s->state == SOCK_NEW)
            continue;
        if (index--)
            continue;
        if (s->pcb && s->state != SOCK_LISTENING)
            return row(line, size, client_name(s->path), i, s->pcb);
        address(local, sizeof(local), 0, s->bound_port);
        return fmt(line, (size_t)size, "%-8s %5u %-23s %-23s %s", client_name(s->path), i, "*",
                   local, s->state == SOCK_LISTENING ? "LISTEN" : "RESET");
    }
    if (index < udp_count())
        return udp_netstat(index, line, size);
    return without_socket(index - udp_count(), line, size);
}

static long pool(uint32_t index, char *line, long size)
{
    if (index == 0)
        return fmt(line, (size_t)size, "%-16s %6u OF %6u FREE, %6u BYTES EACH", "DATA BUFFERS",
                   sockets_free_buffers(), profile.data_buffers, profile.data_buffer_size);
    if (index > MEMP_MAX + 1)
        return 0;
    const struct stats_mem *m = index == 1 ? &lwip_stats.mem : memp_pools[index - 2]->stats;
    return fmt(line, (size_t)size, "%-16s %6u OF %6u FREE, MOST USED %u, FAILED %u",
               index == 1 ? "HEAP BYTES" : pool_names[index - 2], (unsigned)(m->avail - m->used),
               (unsigned)m->avail, (unsigned)m->max, (unsigned)m->err);
}

static long device(uint32_t index, char *line, long size)
{
    const struct link_counts *c = &link_counts;

    switch (index) {
    case 0:
        return fmt(line, (size_t)size, "DEVICE %s LINK %s MTU %u %s", profile.device, profile.link,
                   profile.mtu, diag_ctc(CTC_STATUS, 0, 0) == CTC_UP ? "READY" : "NOT READY");
    case 1:
        return fmt(line, (size_t)size, "  FRAMES IN %lu OUT %lu BYTES IN %lu OUT %lu", c->frames_in,
                   c->frames_out, c->bytes_in, c->bytes_out);
    case 2:
        return fmt(line, (size_t)size, "  BLOCKS IN %lu OUT %lu BAD %lu NO BUFFER %lu NO ROOM %lu",
                   c->blocks_in, c->blocks_out, c->bad_blocks, c->no_pbuf, c->no_room);
    case 3:
        return fmt(line, (size_t)size, "DEVICE LOOPBACK LINK LOOPBACK 127.0.0.1 READY");
    default:
        return 0;
    }
}

static long counter(uint32_t index, char *line, long size)
{
    static const struct {
        const char *name;
        const struct stats_proto *p;
    } rows[] = {{"LINK", &lwip_stats.link}, {"ARP", &lwip_stats.etharp}, {"IP", &lwip_stats.ip},
                {"ICMP", &lwip_stats.icmp}, {"TCP", &lwip_stats.tcp}, {"UDP", &lwip_stats.udp},
                {"FRAGS", &lwip_stats.ip_frag}};

    if (index >= sizeof(rows) / sizeof(*rows))
        return 0;
    const struct stats_proto *p = rows[index].p;
    return fmt(line, (size_t)size,
               "%-5s SENT %u RECEIVED %u DROPPED %u CHECKSUM %u LENGTH %u MEMORY %u ROUTE %u",
               rows[index].name, (unsigned)p->xmit, (unsigned)p->recv, (unsigned)p->drop,
               (unsigned)p->chkerr, (unsigned)p->lenerr, (unsigned)p->memerr, (unsigned)p->rterr);
}

long sockets_netstat(uint32_t which, uint32_t index, char *line, long size)
{
    link_count();
    switch (which) {
    case NS_CONNECTIONS: return connection(index, line, size);
    case NS_POOLS:       return pool(index, line, size);
    case NS_DEVICES:     return device(index, line, size);
    case NS_COUNTERS:    return counter(index, line, size);
    default:             return 0;
    }
}

static void tell(const char from[8], const char *text)
{
    char cmd[160];
    int n = fmt(cmd, sizeof(cmd), "MSG %.8s %s", from, text);

    diag_cp(cmd, n, 0, 0, 0);
}

/* SMSG TCPIP CONNECTIONS|POOLS|DEVICES|COUNTERS: the same, as messages to the asker's terminal; the
 * last one says that there are no more. */
void smsg_command(const char from[8], const char *text, unsigned len)
{
    static const char *const names[] = {"CONNECTIONS", "POOLS", "DEVICES", "COUNTERS"};
    char line[132];

    for (uint32_t w = 0; w < 4; w++) {
        if (len > strlen(names[w]) || len == 0 || memcmp(names[w], text, len) != 0)
            continue;
        for (uint32_t i = 0; sockets_netstat(w, i, line, sizeof(line)) > 0; i++)
            tell(from, line);
        fmt(line, sizeof(line), "END OF %s", names[w]);
        tell(from, line);
        return;
    }
    tell(from, "SMSG TCPIP CONNECTIONS, POOLS, DEVICES OR COUNTERS");
}
