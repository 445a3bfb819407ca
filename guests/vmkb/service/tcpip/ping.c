/* SPDX-License-Identifier: MIT */
/* PING: ICMP echo requests for clients, one outstanding for each call. */
#include "lwip/icmp.h"
#include "lwip/inet_chksum.h"
#include "lwip/raw.h"
#include "lwip/timeouts.h"
#include "s390.h"
#include "sock.h"

#define PINGS   8
#define TIMEOUT_MS 5000
#define PING_ID 0x4b42

static struct raw_pcb *raw;
static struct {
    uint32_t msgid;
    uint16_t path, sequence;
    uint64_t sent;
} pings[PINGS];
static uint16_t sequence;

static void timed_out(void *arg)
{
    unsigned i = (unsigned)(uintptr_t)arg;

    if (pings[i].msgid)
        sock_reply(pings[i].path, pings[i].msgid, SOCK_ETIMEDOUT, 0, 0, 0);
    pings[i].msgid = 0;
}

static u8_t received(void *arg, struct raw_pcb *pcb, struct pbuf *p, const ip_addr_t *from)
{
    struct icmp_echo_hdr h;
    (void)arg;
    (void)pcb;
    (void)from;
    if (p->tot_len < 28 || pbuf_copy_partial(p, &h, sizeof(h), 20) != sizeof(h)
        || ICMPH_TYPE(&h) != ICMP_ER || h.id != PING_ID)
        return 0;
    for (unsigned i = 0; i < PINGS; i++)
        if (pings[i].msgid && pings[i].sequence == h.seqno) {
            sys_untimeout(timed_out, (void *)(uintptr_t)i);
            sock_reply(pings[i].path, pings[i].msgid, SOCK_EOK,
                       (int)((tod() - pings[i].sent) >> 12), 0, 0);
            pings[i].msgid = 0;
        }
    pbuf_free(p);
    return 1;
}

void ping_init(void)
{
    raw = raw_new(IP_PROTO_ICMP);
    raw_recv(raw, received, 0);
    raw_bind(raw, IP_ADDR_ANY);
}

void ping_start(uint16_t path, uint32_t msgid, const struct sock_address *a)
{
    unsigned i = 0;
    uint16_t n = a->port <= 16384 ? a->port : 16384;
    ip4_addr_t to = {a->ip};

    while (i < PINGS && pings[i].msgid)
        i++;
    struct pbuf *p =
        i < PINGS ? pbuf_alloc(PBUF_IP, (u16_t)(sizeof(struct icmp_echo_hdr) + n), PBUF_RAM) : 0;
    if (!p) {
        sock_reply(path, msgid, SOCK_ELIMIT, 0, 0, 0);
        return;
    }
    struct icmp_echo_hdr *h = p->payload;
    memset(h, 0, p->len);
    ICMPH_TYPE_SET(h, ICMP_ECHO);
    h->id = PING_ID;
    h->seqno = ++sequence;
    h->chksum = inet_chksum(h, p->len);
    pings[i].msgid = msgid;
    pings[i].path = path;
    pings[i].sequence = sequence;
    pings[i].sent = tod();
    err_t e = raw_sendto(raw, p, &to);
    pbuf_free(p);
    if (e != ERR_OK) {
        pings[i].msgid = 0;
        sock_reply(path, msgid, SOCK_EUNREACH, 0, 0, 0);
        return;
    }
    sys_timeout(TIMEOUT_MS, timed_out, (void *)(uintptr_t)i);
}
