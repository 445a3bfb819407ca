/* SPDX-License-Identifier: MIT */
/* TCPIP's sockets (sockets.c, sock_*.c), lwIP's port and lwIP itself, with CP's IUCV played
 * here, and a link that gives back what it takes, as from another host: a packet's two addresses
 * change places, so that a connection to PEER comes to a listener of this same stack. A line in;
 * a line out, which has the replies given since the last one, MSGID:RC:VALUE:HEX, or "-".
 *   hello PATH, gone PATH      a machine connects a path; it is severed
 *   call PATH MSGID CLASS ROOM HEX    a message: HEX in a buffer, behind = in the parameter list,
 *                              - none
 *   send PATH MSGID CLASS SEED AT LEN a SEND of bytes that follow from SEED, from the AT-th on
 *   back MSGID                 its sender takes it back
 *   pass FATES                 what is on the link comes, but as FATES say, one after the other and
 *                              over again: k it comes, d is lost, t twice, l behind all others
 *   tick N                     N times a quarter of a second
 *   room N                     the link takes N more packets and refuses others
 *   link                       packets on it
 *   segments                   TCP's segments with data that came from it since the last such line
 *   left                       sockets, lwIP's pcbs, listeners, segments, input pbufs that are in
 *                              use, data buffers that are free */
#include <stdio.h>
#include <stdlib.h>
#include "lwip/init.h"
#include "lwip/ip.h"
#include "lwip/memp.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/etharp.h"
#include "sock.h"
#include "train.h"

#define PEER       PP_HTONL(LWIP_MAKEU32(10, 0, 0, 2))
#define OURS       PP_HTONL(LWIP_MAKEU32(10, 0, 0, 1))
#define MASK       PP_HTONL(LWIP_MAKEU32(255, 255, 255, 0))
#define BUFFERS    12
#define ON_LINK    4096
#define MESSAGES   4096      /* msgids are below it, each used once */
#define QUARTER_MS 250

struct profile profile = {.address = OURS, .mask = MASK, .mtu = 1500, .data_buffers = BUFFERS,
                          .data_buffer_size = 32768};
struct link_counts link_counts;
static uint32_t now_ms;
static bool drawn_full;      /* each random number is the largest */

uint32_t tcpip_now(void) { return now_ms; }
uint32_t tcpip_random(void)
{
    static uint32_t x = 1;

    return drawn_full ? UINT32_MAX : (x = x * 1664525 + 1013904223);
}
void tcpip_stop(const char *why) { fprintf(stderr, "%s\n", why), abort(); }
void say(const char *f, ...) { (void)f; }
int hosts_find(const char *name, uint32_t *ip) { (void)name; return *ip = 0, 0; }
void ping_start(uint16_t path, uint32_t msgid, const struct sock_address *a)
{
    (void)a;
    sock_reply(path, msgid, SOCK_EINVAL, 0, 0, 0);
}
long sockets_netstat(uint32_t which, uint32_t index, char *line, long size)
{
    (void)which, (void)index, (void)line, (void)size;
    return 0;
}
bool client_pong(uint16_t id, uint16_t sequence) { return (void)id, (void)sequence, false; }
void link_flush(void) {}
void link_expects_call(void) {}
bool link_room(uint32_t len) { return len != 0; }
bool route_wants(const uint8_t *f, uint32_t len) { return (void)f, (void)len, false; }
bool route_takes(uint8_t *f, uint32_t len) { return (void)f, (void)len, false; }
void route_passed(uint16_t len) { (void)len; }
uint8_t *route_packet(uint16_t len) { return (void)len, NULL; }
void route_flush(void) {}

/* The data buffers, 4 KB on, as the machine's storage has them. */
long diag_space(struct diag_space *p)
{
    static uint8_t pool[(BUFFERS + 1) * 32768 + 4096];

    *p = (struct diag_space){.free_from = (uintptr_t)pool,
                             .size = (uintptr_t)pool + sizeof(pool) + 0x10000};
    return 0;
}

/* CP's IUCV: messages whose sender waits, by msgid. */
static struct message {
    uint8_t *data;
    uint32_t len, taken, room;
    bool lives;
} messages[MESSAGES];

static long receive(struct iucv_parm *p, struct message *m)
{
    uint32_t left = m->len - m->taken, n = left < p->len ? left : p->len;

    if (n)
        memcpy((void *)(uintptr_t)p->buffer, m->data + m->taken, n);
    m->taken += n;
    p->residual = p->len - n;
    return n < left ? IUCV_ETRUNC : IUCV_OK;
}

static void hexes(const uint8_t *bytes, uint32_t n)
{
    while (n--)
        printf("%02x", *bytes++);
}

/* Its sender has taken it back, or has been answered. */
static void ends(struct message *m)
{
    m->lives = false;
    free(m->data);
    m->data = NULL;
}

static unsigned replies;

static long answer(const struct iucv_parm *p, struct message *m)
{
    struct sock_reply head;
    uint32_t len = p->len < m->room ? p->len : m->room;
    const uint8_t *from = (const uint8_t *)(uintptr_t)p->buffer;

    memcpy(&head, from, sizeof(head));
    printf("%s%u:%d:%d:", replies++ ? " " : "", p->msgid, head.rc, head.value);
    hexes(from + sizeof(head), len - (uint32_t)sizeof(head));
    ends(m);
    return len < p->len ? IUCV_ETRUNC : IUCV_OK;
}

long iucv(int function, struct iucv_parm *p)
{
    struct message *m = &messages[p->msgid % MESSAGES];

    if (function == IUCV_ACCEPT)
        return IUCV_OK;
    if (!m->lives)
        return IUCV_ENOMSG;
    return function == IUCV_RECEIVE ? receive(p, m) : answer(p, m);
}

/* The link. */
#define FRAME_MAX 1600

struct frame_on_link {
    uint16_t len;
    uint8_t bytes[FRAME_MAX];
};
static struct frame_on_link on_link[ON_LINK];
static unsigned link_count_now, segments, link_takes = UINT32_MAX;

uint8_t *link_frame(uint16_t len)
{
    if (link_takes == 0)
        return 0;
    link_takes--;
    if (len > FRAME_MAX || link_count_now == ON_LINK)
        tcpip_stop("the link is full");
    on_link[link_count_now].len = len;
    return on_link[link_count_now++].bytes;
}

/* Frames of the largest size, as a train has them. */
bool link_has_room(uint32_t bytes)
{
    uint32_t each = 2u + SIZEOF_ETH_HDR + profile.mtu;

    return link_takes >= (bytes + each - 1) / each;
}

static bool with_data(const struct frame_on_link *f)
{
    const uint8_t *ip = f->bytes + SIZEOF_ETH_HDR;

    return ip[9] == IP_PROTO_TCP && f->len > SIZEOF_ETH_HDR + IP_HLEN + 4 * (ip[32] >> 4);
}

/* It comes back, as from another host. */
static void comes(struct frame_on_link *f)
{
    uint8_t was[4], *ip = f->bytes + SIZEOF_ETH_HDR;

    memcpy(was, ip + 12, 4);
    memcpy(ip + 12, ip + 16, 4);
    memcpy(ip + 16, was, 4);
    stack_frame(f->bytes, f->len, true);
    memcpy(ip + 16, ip + 12, 4);
    memcpy(ip + 12, was, 4);
}

static void pass(const char *fates)
{
    static struct frame_on_link came[ON_LINK];
    unsigned n = link_count_now;
    size_t many = strlen(fates);

    memcpy(came, on_link, n * sizeof(*came));
    link_count_now = 0;
    for (unsigned i = 0; i < n; i++) {
        char fate = fates[i % many];
        segments += with_data(&came[i]);
        for (int times = fate == 't' ? 2 : fate == 'k'; times; times--)
            comes(&came[i]);
    }
    for (unsigned i = 0; i < n; i++)
        if (fates[i % many] == 'l')
            comes(&came[i]);
    stack_input_ends();
}

/* The clients. */
#define TEXT 6000            /* hexadecimal digits of a call */

static void interrupt(struct iucv_interrupt *i, const uint8_t *bytes, uint32_t len)
{
    struct message *m = &messages[i->msgid % MESSAGES];

    i->type = IUCV_MESSAGE;
    i->len = len;
    *m = (struct message){.data = malloc(len ? len : 1), .len = len, .room = i->reply_len,
                          .lives = true};
    if (len)
        memcpy(m->data, bytes, len);
    struct event e = {.iucv = *i};
    if (len <= sizeof(e.text) && !(i->flags & IUCV_PRMDATA) && i->msgid % 2) {
        e.text_len = (uint16_t)len;
        memcpy(e.text, bytes, len);
    }
    sockets_interrupt(&e);
}

static void call(struct iucv_interrupt *i, const char *hex)
{
    uint8_t bytes[TEXT / 2];
    uint32_t n = 0;
    unsigned byte;

    if (*hex == '=') {
        i->flags = IUCV_PRMDATA;
        hex++;
    }
    for (; n < sizeof(bytes) && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        bytes[n++] = (uint8_t)byte;
    memcpy(i->user, bytes, n < sizeof(i->user) ? n : sizeof(i->user));
    interrupt(i, bytes, n);
}

static void send_bytes(struct iucv_interrupt *i, unsigned seed, unsigned at, unsigned len)
{
    static uint8_t bytes[SOCK_SEND_MAX + 1];

    for (unsigned k = 0; k < len; k++) {
        unsigned x = at + k;
        bytes[k] = (uint8_t)(31 * seed + 7 * x + 13 * (x >> 8));
    }
    interrupt(i, bytes, len);
}

/* What TCPIP does each time before it waits. */
static void settle(void)
{
    struct event e = {.answer = 0};

    stack_timers();
    sockets_settle();
    if (sockets_answer_with(&e))
        iucv(IUCV_REPLY, (struct iucv_parm *)(uintptr_t)e.answer);
}

static unsigned used(int pool)
{
    return (unsigned)memp_pools[pool]->stats->used;
}

static unsigned sockets_in_use(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < SOCKS; i++)
        n += socks[i].state != SOCK_FREE;
    return n;
}

static void line_came(const char *line)
{
    struct iucv_interrupt i = {.userid = "CLIENT"};
    unsigned path, msgid, class, room, seed, at, len, closes;
    static char text[TEXT + 1];

    if (sscanf(line, "call %u %u %u %u %6000s %u", &path, &msgid, &class, &room, text, &closes)
        == 6) {
        i.path = (uint16_t)path, i.msgid = msgid, i.class = class, i.reply_len = room;
        i.source_class = closes;
        call(&i, text);
    } else if (sscanf(line, "send %u %u %u %u %u %u", &path, &msgid, &class, &seed, &at, &len)
               == 6) {
        i.path = (uint16_t)path, i.msgid = msgid, i.class = class;
        i.reply_len = sizeof(struct sock_reply);
        send_bytes(&i, seed, at, len);
    } else if (sscanf(line, "hello %u", &path) == 1) {
        i.path = (uint16_t)path, i.type = IUCV_PENDING_CONNECTION;
        sockets_interrupt(&(struct event){.iucv = i});
    } else if (sscanf(line, "gone %u", &path) == 1) {
        for (unsigned n = 0; n < MESSAGES; n++)
            ends(&messages[n]);
        i.path = (uint16_t)path, i.type = IUCV_CONNECTION_SEVERED;
        sockets_interrupt(&(struct event){.iucv = i});
    } else if (sscanf(line, "back %u", &msgid) == 1) {
        ends(&messages[msgid]);
    } else if (sscanf(line, "room %u", &len) == 1) {
        link_takes = len;
    } else if (sscanf(line, "pass %6000s", text) == 1) {
        pass(text);
    } else if (sscanf(line, "tick %u", &len) == 1) {
        for (; len; len--, settle())
            now_ms += QUARTER_MS;
    }
}

int main(int argc, char **argv)
{
    static char line[TEXT + 100];

    drawn_full = argc > 1 && strcmp(argv[1], "full") == 0;
    buffers_init();
    stack_init();
    etharp_add_static_entry(&(ip4_addr_t){PEER}, &(struct eth_addr){{2, 0, 10, 0, 0, 2}});
    while (fgets(line, sizeof(line), stdin)) {
        replies = 0;
        if (strcmp(line, "left\n") == 0) {
            printf("%u %u %u %u %u %u", sockets_in_use(), used(MEMP_TCP_PCB),
                   used(MEMP_TCP_PCB_LISTEN), used(MEMP_TCP_SEG), used(MEMP_PBUF_POOL),
                   sockets_free_buffers());
        } else if (strcmp(line, "link\n") == 0) {
            printf("%u", link_count_now);
        } else if (strcmp(line, "segments\n") == 0) {
            printf("%u", segments);
            segments = 0;
        } else {
            line_came(line);
            settle();
            printf("%s", replies ? "" : "-");
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
