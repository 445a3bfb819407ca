/* SPDX-License-Identifier: MIT */
/* The link: Ethernet frames in CTC blocks (docs/reference/wire.md: u32 length of the block, then
 * u16 length and frame for each). Frames that lwIP sends gather in a block until the flush, so
 * that one channel program carries what one turn of the main loop produced. */
#include "lwip/etharp.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"
#include "netif/ethernet.h"
#include "tcpip.h"

#define BLOCK     61440
#define TX_BLOCKS 12
#define KEPT      4          /* further calls that a block waits for at most */
#define ONE_ACK   (4 + 2 + SIZEOF_ETH_HDR + 40) /* bytes of a block that has no more than that */

static struct netif link_netif;
struct link_counts link_counts;

static uint8_t rx[BLOCK] __attribute__((aligned(8)));
static uint8_t tx[TX_BLOCKS][BLOCK] __attribute__((aligned(8)));
static uint32_t tx_len[TX_BLOCKS]; /* of those that hold frames: 4 and more; without tx_at's */
static unsigned tx_first, tx_count; /* blocks that hold frames */
static unsigned tx_last;     /* the last of them: */
static uint8_t *tx_at;       /* where the next frame goes in it, */
static uint32_t tx_room;     /* and bytes that it takes; 0: the next one begins a new block */
static uint8_t *tx_from;     /* where the first one went that is not in the counts, */
static unsigned tx_frames;   /* and how many are not */

static bool call_expected;   /* the block had better wait for a client's next call */

static const uint8_t *whole; /* where the last frame that lwIP made went */

/* With what the last packet went to whom, until the turn's end. */
static struct {
    uint32_t ip;
    bool known;
    uint8_t head[SIZEOF_ETH_HDR];
} neighbour;

static void put32(uint8_t *p, uint32_t v)
{
    *(uint32_t *)p = v;      /* this machine's byte order is the wire's */
}

/* The block that stands so many behind it in their circle. */
static unsigned next_of(unsigned block, unsigned by)
{
    unsigned i = block + by;

    return i < TX_BLOCKS ? i : i - TX_BLOCKS;
}

void link_count(void)
{
    uint32_t bytes = (uint32_t)(tx_at - tx_from) - 2 * tx_frames;

    if (!tx_frames)
        return;
    tcpip_moved += bytes;
    link_counts.frames_out += tx_frames;
    link_counts.bytes_out += bytes;
    lwip_stats.link.xmit += tx_frames;
    tx_from = tx_at;
    tx_frames = 0;
}

/* The next frame goes behind what the last block has. */
static void reopen(void)
{
    tx_at = tx_from = tx[tx_last] + tx_len[tx_last];
    tx_room = BLOCK - tx_len[tx_last];
}

/* No more goes into the last block before a new one was begun. */
static void end_block(void)
{
    link_count();
    if (tx_at)
        tx_len[tx_last] = (uint32_t)(tx_at - tx[tx_last]);
    tx_at = 0;
    tx_room = 0;
}

/* Whether a client's message with that many bytes of datagrams would go out whole: with the headers
 * of what it is cut into, and what is left at the end of a block. */
bool link_room(uint32_t len)
{
    uint32_t need = len + len / 4 + 64;
    unsigned free = TX_BLOCKS - tx_count;

    end_block();
    return free > 1 || (free ? 4 : tx_len[tx_last]) + need <= BLOCK;
}

/* A new block, or when all are taken the last one. False: that is full. */
static bool make_room(uint32_t bytes)
{
    end_block();
    if (tx_count < TX_BLOCKS) {
        tx_last = next_of(tx_first, tx_count++);
        tx_len[tx_last] = 4;
    }
    if (tx_len[tx_last] + bytes > BLOCK)
        return false;
    reopen();
    return true;
}

/* A frame is HEAD_LEN bytes of HEAD and the packet; where it went, 0: there was no room. */
static inline uint8_t *put(const uint8_t *head, uint16_t head_len, const struct pbuf *p)
{
    uint16_t len = head_len + p->tot_len;

    if (tx_room < 2u + len && !make_room(2u + len)) {
        link_counts.no_room++;
        return 0;
    }
    uint8_t *to = tx_at, *at = to + 2;
    *(uint16_t *)to = len;
    if (head_len)
        memcpy(at, head, SIZEOF_ETH_HDR);
    at += head_len;
    for (const struct pbuf *q = p; q; q = q->next) {
        memcpy(at, q->payload, q->len);
        at += q->len;
    }
    tx_room -= 2u + len;
    tx_at = at;
    tx_frames++;
    return to + 2;
}

/* A whole frame: of ARP, or of a packet whose neighbour ARP was asked for. */
static err_t output(struct netif *n, struct pbuf *p)
{
    (void)n;
    whole = put(0, 0, p);
    return whole ? ERR_OK : ERR_MEM;
}

/* A packet to an address. A turn's packets go to few: ARP is asked for the first of each row to one
 * address, which keeps its entry from growing old; those behind it have the same header. */
static err_t output_to(struct netif *n, struct pbuf *p, const ip4_addr_t *to)
{
    if (neighbour.known && neighbour.ip == to->addr)
        return put(neighbour.head, SIZEOF_ETH_HDR, p) ? ERR_OK : ERR_MEM;
    whole = 0;
    err_t e = etharp_output(n, p, to);
    neighbour.known = whole && *(const uint16_t *)(whole + 12) == ETHTYPE_IP;
    if (neighbour.known) {   /* not: ARP was sent, and the packet waits for the answer */
        neighbour.ip = to->addr;
        memcpy(neighbour.head, whole, SIZEOF_ETH_HDR);
    }
    return e;
}

static void written(void)
{
    link_counts.blocks_out++;
    tx_first = next_of(tx_first, 1);
    tx_count--;
}

/* What is to go out from now on begins a new block, whether this one goes at once or CP has no room
 * yet: a turn's block, or that of turns whose calls were there already (link_flush_and_wait), and
 * not how late the wire is. Only when all blocks are taken the last one
 * is filled up. The last `keep` blocks stay. */
static void flush(unsigned keep)
{
    end_block();
    neighbour.known = false;
    while (tx_count > keep) {
        unsigned i = tx_first;
        put32(tx[i], tx_len[i]);
        if (diag_ctc(CTC_WRITE, tx[i], tx_len[i]) != 0)
            return;          /* two wait in CP: EV_CTC_OUT says when there is room */
        written();
    }
}

void link_flush(void)
{
    flush(0);
}

bool link_has_output(void)
{
    return tx_count != 0;
}

void link_takes_input(struct event *e)
{
    e->block = (uintptr_t)rx;
    e->block_room = sizeof(rx);
}

void link_expects_call(void)
{
    call_expected = true;
}

/* A client's next call, if it is there already, comes before the block goes: a reply and what is
 * done behind it, a SYN or FIN, are one block for both sides. One that this wait tells that its
 * connection is open cannot have called yet, and will at once: the ACK that opened it goes with its
 * data. Should it not, the ACK is as late as lwIP's own delayed ones, 250 ms. */
long link_flush_and_wait(unsigned mask, struct event *e, uint64_t us)
{
    static unsigned kept;    /* turns that the block has waited for */
    bool expected = call_expected;
    long got = DIAG_EBUSY;

    call_expected = false;
    flush(1);
    if (expected && tx_count == 1 && tx_len[tx_last] <= ONE_ACK) {
        reopen();
        return diag_wait(mask, e, us);
    }
    if (tx_count == 1) {
        unsigned i = tx_first;
        put32(tx[i], tx_len[i]);
        got = diag_ctc_then_wait(tx[i], tx_len[i], kept < KEPT ? mask | EV_BEFORE : mask, e, us);
        if (got >= 0 && (got & CTC_KEPT)) {
            kept++;
            reopen();
            return got & ~CTC_KEPT;
        }
        kept = 0;
        if (got >= 0)
            written();
    }
    return got < 0 ? diag_wait(mask, e, us) : got;
}

void link_loop(void)
{
    const struct netif *n = netif_list;

    while (n) {
        if (!n->loop_first) {
            n = n->next;
            continue;
        }
        netif_poll_all();
        sockets_settle();
        n = netif_list;
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

void link_input(long n)
{
    while (n >= 4) {
        long more = n & CTC_MORE;
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
        if (!more)
            return;
        sockets_settle();
        flush(0);
        n = diag_ctc(CTC_READ, rx, sizeof(rx));
    }
}

/* The address is made from the IP address, as DECnet made its own: one IP address, one station. */
static err_t setup(struct netif *n)
{
    n->name[0] = 'c';
    n->name[1] = 't';
    n->output = output_to;
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
