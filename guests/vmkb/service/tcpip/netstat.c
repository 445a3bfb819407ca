/* SPDX-License-Identifier: MIT */
/* NETSTAT: one line of text for each (which, index): connections, pools, devices, protocol
 * counters. */
#include "sock.h"

enum { NS_CONNECTIONS, NS_POOLS, NS_DEVICES, NS_COUNTERS };

static void address(char *text, size_t size, uint32_t ip, uint16_t port)
{
    if (ip)
        fmt(text, size, "%u.%u.%u.%u..%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255, port);
    else
        fmt(text, size, "*..%u", port);
}

static long row(char *line, long size, const char *user, unsigned number,
                const struct stack_names *n)
{
    char foreign[24], local[24];

    address(foreign, sizeof(foreign), n->remote_ip, n->remote_port);
    address(local, sizeof(local), n->local_ip, n->local_port);
    return fmt(line, (size_t)size, "%-8s %5u %-23s %-23s %s", user, number, foreign, local,
               n->state);
}

/* Connections whose clients have closed them, and half-open ones: no socket belongs to them. Then,
 * how many only wait for late segments. */
static long without_socket(uint32_t index, char *line, long size)
{
    struct stack_names n;
    unsigned waiting = stack_tcp_time_waits();

    if (stack_tcp_ownerless(index, &n))
        return row(line, size, "-", 0, &n);
    if (!waiting || (index && !stack_tcp_ownerless(index - 1, &n)))
        return 0;
    return fmt(line, (size_t)size, "%u MORE IN TIME-WAIT", waiting);
}

/* User Id, conn, foreign, local, state, as NETSTAT CONN's columns in TCP/IP for VM */
static long connection(uint32_t index, char *line, long size)
{
    struct stack_names n;

    for (unsigned i = 0; i < SOCKS; i++) {
        struct sock *s = &socks[i];
        char local[24];
        if (s->state == SOCK_FREE || s->state == SOCK_NEW)
            continue;
        if (index--)
            continue;
        if (stack_tcp_lives(&s->tcp) && s->state != SOCK_LISTENING) {
            stack_tcp_names(&s->tcp, &n);
            return row(line, size, client_name(s->path), i, &n);
        }
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
    struct stack_pool p;
    if (!stack_pool(index - 1, &p))
        return 0;
    return fmt(line, (size_t)size, "%-16s %6u OF %6u FREE, MOST USED %u, FAILED %u", p.name, p.free,
               p.made, p.most, p.failed);
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
                   c->blocks_in, c->blocks_out, c->bad_blocks, c->no_buffer, c->no_room);
    case 3:
        return fmt(line, (size_t)size, "DEVICE LOOPBACK LINK LOOPBACK 127.0.0.1 READY");
    default:
        return 0;
    }
}

static long counter(uint32_t index, char *line, long size)
{
    struct stack_counter c;

    if (!stack_counter(index, &c))
        return 0;
    return fmt(line, (size_t)size,
               "%-5s SENT %u RECEIVED %u DROPPED %u CHECKSUM %u LENGTH %u MEMORY %u ROUTE %u",
               c.name, c.sent, c.received, c.dropped, c.checksum, c.length, c.memory, c.route);
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
