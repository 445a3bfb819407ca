/* SPDX-License-Identifier: MIT */
/* The link: Ethernet frames in CTC blocks (docs/protocols/wire.md: u32 length of the block, then
 * u16 length and frame for each). Frames that lwIP sends gather in a block until link_flush, so
 * that one channel program carries what one turn of the main loop produced. */
#include "lwip/etharp.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"
#include "netif/ethernet.h"
#include "tcpip.h"

#define BLOCK     61440
#define TX_BLOCKS 12

static struct netif link_netif;
struct link_counts link_counts;

static uint8_t rx[BLOCK] __attribute__((aligned(8)));
static uint8_t tx[TX_BLOCKS][BLOCK] __attribute__((aligned(8)));
static uint32_t tx_len[TX_BLOCKS]; /* 4 and more: holds frames; 0: empty */
static unsigned tx_first, tx_count; /* blocks that hold frames */
static bool tx_filling;      /* the last of them takes more */

static void put32(uint8_t *p, uint32_t v)
{
    *(uint32_t *)p = v;      /* this machine's byte order is the wire's */
}

static err_t output(struct netif *n, struct pbuf *p)
{
    unsigned i = (tx_first + tx_count - 1) % TX_BLOCKS;
    (void)n;
    bool fits = tx_count && tx_len[i] + 2 + p->tot_len <= BLOCK;
    if (!(fits && tx_filling) && tx_count < TX_BLOCKS) {
        i = (tx_first + tx_count++) % TX_BLOCKS;
        tx_len[i] = 4;
        tx_filling = true;
    } else if (!fits) {
        link_counts.no_room++;
        return ERR_MEM;
    }
    uint8_t *to = tx[i] + tx_len[i];
    *(uint16_t *)to = p->tot_len;
    to += 2;
    for (struct pbuf *q = p; q; q = q->next) {
        memcpy(to, q->payload, q->len);
        to += q->len;
    }
    tx_len[i] += 2u + p->tot_len;
    tcpip_moved += p->tot_len;
    link_counts.frames_out++;
    link_counts.bytes_out += p->tot_len;
    LINK_STATS_INC(link.xmit);
    return ERR_OK;
}

/* What is to go out from now on begins a new block, whether this one goes at once or CP has no room
 * yet: one turn, one block, however late the wire is. Only when all blocks are taken the last one
 * is filled up. */
void link_flush(void)
{
    tx_filling = false;
    while (tx_count) {
        unsigned i = tx_first;
        put32(tx[i], tx_len[i]);
        if (diag_ctc(CTC_WRITE, tx[i], tx_len[i]) != 0)
            return;          /* two wait in CP: EV_CTC_OUT says when there is room */
        link_counts.blocks_out++;
        tx_len[i] = 0;
        tx_first = (tx_first + 1) % TX_BLOCKS;
        tx_count--;
    }
}

void link_loop(void)
{
    bool more = true;

    while (more) {
        const struct netif *n;
        more = false;
        NETIF_FOREACH(n)
            more |= n->loop_first != NULL;
        if (!more)
            return;
        netif_poll_all();
        sockets_settle();
    }
}

static void frame(const uint8_t *at, uint16_t len)
{
    struct pbuf *p = pbuf_alloc(PBUF_RAW, len, PBUF_POOL);

    link_counts.frames_in++;
    link_counts.bytes_in += len;
    if (!p) {
        link_counts.no_pbuf++;
        LINK_STATS_INC(link.memerr);
        return;
    }
    for (struct pbuf *q = p; q; q = q->next) {
        memcpy(q->payload, at, q->len);
        at += q->len;
    }
    tcpip_moved += len;
    LINK_STATS_INC(link.recv);
    if (link_netif.input(p, &link_netif) != ERR_OK)
        pbuf_free(p);
}

void link_input(void)
{
    long more = CTC_MORE;

    while (more) {
        long n = diag_ctc(CTC_READ, rx, sizeof(rx));
        if (n < 4)
            return;
        more = n & CTC_MORE;
        n -= more;
        link_counts.blocks_in++;
        for (long at = 4; at + 2 <= n;) {
            uint16_t len = *(const uint16_t *)(rx + at);
            if (len < 14 || len > n - at - 2) {
                link_counts.bad_blocks++;
                break;
            }
            frame(rx + at + 2, len);
            at += 2 + len;
        }
        sockets_settle();
        link_flush();
    }
}

/* The address is made from the IP address, as DECnet made its own: one IP address, one station. */
static err_t setup(struct netif *n)
{
    n->name[0] = 'c';
    n->name[1] = 't';
    n->output = etharp_output;
    n->linkoutput = output;
    n->mtu = profile.mtu;
    n->hwaddr_len = 6;
    n->hwaddr[0] = 0x02;
    n->hwaddr[1] = 0x00;
    memcpy(n->hwaddr + 2, &profile.address, 4);
    n->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    return ERR_OK;
}

void link_init(void)
{
    ip4_addr_t a = {profile.address}, m = {profile.mask}, g = {profile.gateway};

    netif_add(&link_netif, &a, &m, &g, 0, setup, ethernet_input);
    netif_set_default(&link_netif);
    netif_set_up(&link_netif);
    netif_set_link_up(&link_netif);
}
