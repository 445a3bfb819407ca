/* SPDX-License-Identifier: MIT */
/* The link: Ethernet frames in CTC blocks (docs/reference/wire.md: u32 length of the block, then
 * u16 length and frame for each). Frames that the stack sends gather in a block until the flush, so
 * that one channel program carries what one turn of the main loop produced. */
#include "tcpip.h"

#define BLOCK     61440
#define TX_BLOCKS 12
#define KEPT      4          /* further calls that a block waits for at most */
#define SMALL     400        /* bytes of a block that has acknowledgements and a few words */

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

static bool call_expected;   /* the block had better wait for a client's turn */

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
    link_counts.frames_out += tx_frames;
    link_counts.bytes_out += bytes;
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

EACH_FRAME uint8_t *link_frame(uint16_t len)
{
    if (tx_room < 2u + len && !make_room(2u + len)) {
        link_counts.no_room++;
        return 0;
    }
    uint8_t *to = tx_at;
    *(uint16_t *)to = len;
    tx_room -= 2u + len;
    tx_at = to + 2 + len;
    tx_frames++;
    return to + 2;
}

bool link_has_room(uint32_t bytes)
{
    bool room = bytes <= tx_room || tx_count < TX_BLOCKS;

    link_counts.no_room += !room;
    return room;
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

uint32_t link_block_length(void)
{
    return *(const uint32_t *)rx;
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
 * done behind it, a SYN or FIN, are one block for both sides. One that this wait tells something
 * cannot have called yet: when it is expected to, it has a turn before the block goes, and what is
 * small waits for its further calls. */
long link_flush_and_wait(unsigned mask, struct event *e, uint64_t us)
{
    static unsigned kept;    /* turns that the block has waited for */
    bool expected = call_expected;
    long got = DIAG_EBUSY;

    call_expected = false;
    flush(1);
    if (tx_count == 1) {
        unsigned i = tx_first, first = kept < KEPT ? EV_BEFORE : 0;
        if (first && (expected || (kept && tx_len[i] <= SMALL)) && stack_may_wait())
            first |= EV_TURN;
        put32(tx[i], tx_len[i]);
        got = diag_ctc_then_wait(tx[i], tx_len[i], mask | first, e, us);
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
    while (stack_loops())
        sockets_settle();
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
            link_counts.frames_in++;
            link_counts.bytes_in += len;
            long next = at + 2 + len;
            stack_frame(rx + at + 2, len, next + 2 <= n);
            at = next;
        }
        stack_input_ends();
        if (!more)
            return;
        sockets_settle();
        flush(0);
        n = diag_ctc(CTC_READ, rx, sizeof(rx));
    }
}
