/* SPDX-License-Identifier: MIT */
/* The channel-to-channel pair to the wire (Hercules' CTCE; docs/protocols/wire.md has the channel
 * programs and why they are as they are). Blocks stand in CP's own buffers, two each way: a READ is
 * always posted, and a machine that goes away leaves no channel program with its storage.
 *
 * The TCPIP machine shares the pair with CP itself (cp/comm/lan.c), whose frames are taken out of
 * the blocks that come in and whose blocks go out in turn with the machine's. A machine that is
 * slow to read holds the link, and so slows its sender: the host may give it no time. One that
 * cannot or does not read (it is stopped, or runs and runs) holds it until that is certain; then
 * what comes for it is lost, and counted, until it reads again, so that CP's own frames pass. */
#include "channel.h"
#include "defs.h"
#include "lan.h"
#include "lib.h"

#define CMD_WRITE 0x01
#define CMD_READ  0x02
#define CMD_SENSE 0x04
#define CMD_SCB   0x14

#define LOOK_US     100000
/* in a row that find it stopped: by the clock alone a host's pause looks the same */
#define LOOKS       3
/* that it runs without reading: some turns of the TCPIP machine take 1000000 */
#define STALL_INSTR 10000000

static struct half {
    struct device *dev;
    struct ccw chain[2];
    uint8_t scb[8], sense[8];
    uint32_t length[2];      /* of the block in that buffer; 0: free */
    uint8_t now;             /* buffer of the channel program under way, or next */
    uint8_t sensing, up;
    struct timer retry;
} out, in;

static uint8_t out_blocks[2][CTC_BLOCK + 16] __attribute__((aligned(4096)));
static struct counted *in_blocks[2];
static struct counted *spares[2]; /* instead of an in-block of which pages were given away */
static struct vm *owner;
static const struct ctca_sharer *sharer; /* CP's own station */
static uint8_t sharers_turn;    /* it has said that it has a block */
static uint8_t refused;      /* the owner had a block when there was no room */

static bool quiet;           /* nobody waits for the end of what is being written: it is looked */
static bool masked;          /* for when there is more to write; till then no interruption */

static enum { WRITING_NOTHING, WRITING_OWNERS, WRITING_CPS } writing, wrote;
static struct {
    struct timer timer;
    uint64_t reads, reads_then; /* blocks the owner took; when the buffers were found full */
    uint64_t instr_then;        /* what it had executed */
    uint8_t looks;
    uint8_t on;                 /* nothing waits for the owner */
} stall;

static uint8_t *buffer(const struct half *h, unsigned i)
{
    return h == &in ? in_blocks[i]->at : out_blocks[i];
}

static void start(struct half *h);

static void again(void *arg)
{
    start(arg);
}

static void later(struct half *h)
{
    h->up = 0;
    timer_set(&h->retry, us_now() + CTC_RETRY_US, again, h);
}

static void look(void *arg);

static void look_later(void)
{
    timer_set(&stall.timer, us_now() + LOOK_US, look, 0);
}

static void look(void *arg)
{
    (void)arg;
    if (!owner || !in.length[in.now] || stall.reads != stall.reads_then)
        return;
    stall.looks = owner->wait & ~(uint32_t)WAIT_IO ? stall.looks + 1 : 0;
    if (stall.looks < LOOKS && owner->acct.virt.instr - stall.instr_then < STALL_INSTR) {
        look_later();
        return;
    }
    stall.on = 1;
    start(&in);
}

/* Both buffers hold blocks that the owner has not taken: wait for it, unless it has stopped taking
 * any. */
static bool must_wait(void)
{
    if (!in.length[in.now] || stall.on)
        return false;
    if (!stall.timer.due) {
        stall.reads_then = stall.reads;
        stall.instr_then = owner->acct.virt.instr;
        stall.looks = 0;
        look_later();
    }
    return true;
}

/* A block that nobody will take. */
static void lose(const uint8_t *block, uint32_t len)
{
    lan_counts.lost_blocks++;
    for (uint32_t at = 4; at + 2 <= len; at += 2u + *(const uint16_t *)(block + at))
        lan_counts.lost_frames++;
}

static void lose_waiting(unsigned i)
{
    if (in.length[i])
        lose(buffer(&in, i), in.length[i]);
    in.length[i] = 0;
}

/* A block of which somebody keeps a page is his now: what comes next goes into another. */
static void replace(unsigned i)
{
    counted_let(in_blocks[i]);
    in_blocks[i] = spares[i];
    spares[i] = 0;
}

static bool prepare_read(void)
{
    if (must_wait())
        return false;
    lose_waiting(in.now);    /* a stalled owner's older one */
    if (in_blocks[in.now]->holds > 1)
        replace(in.now);
    /* a READ may end with no data: then the length word says so */
    memset(buffer(&in, in.now), 0, 4);
    in.chain[0] = (struct ccw){CMD_READ, CCW_CC | CCW_SLI, CTC_BLOCK,
                               (uint32_t)(uintptr_t)buffer(&in, in.now)};
    return true;
}

static void listen(bool on)
{
    masked = !on;
    channel_quiet(masked);
}

/* There is more to write: what was being written may have ended unheard; else its end is waited
 * for. */
static __attribute__((noinline)) void hear(void)
{
    quiet = false;
    if (!device_poll(out.dev) && masked)
        listen(true);
}

/* The owner's blocks and CP's in turn. A block that is tried again stays the same one. */
static bool prepare_write(void)
{
    uint32_t length = out.length[out.now];
    struct account *payer = owner ? &owner->acct : 0;
    bool unheard = false;

    out.chain[0] = (struct ccw){CMD_WRITE, CCW_CC, (uint16_t)length,
                                (uint32_t)(uintptr_t)buffer(&out, out.now)};
    if (writing == WRITING_CPS
        || (writing == WRITING_NOTHING && (!length || wrote == WRITING_OWNERS))) {
        if (sharers_turn && sharer->block(&out.chain[0], &payer, &unheard)) {
            writing = WRITING_CPS;
            quiet = unheard && !length;
            length = out.chain[0].count;
        } else {
            sharers_turn = 0;
        }
    }
    if (!length)
        return false;
    if (writing == WRITING_NOTHING)
        writing = WRITING_OWNERS;
    if (masked != quiet)
        listen(!quiet);
    out.dev->owner = payer;
    return true;
}

/* The last CCW is SENSE COMMAND BYTE, which stays inside Hercules: a READ or WRITE there can stall
 * the link when an attention meets a busy device. */
static void start(struct half *h)
{
    if (quiet && h == &out)
        hear();
    if (h->dev->busy || h->retry.due)
        return;
    h->sensing = 0;
    if (!(h == &in ? prepare_read() : prepare_write()))
        return;
    h->chain[1] = (struct ccw){CMD_SCB, CCW_SLI, 1, (uint32_t)(uintptr_t)h->scb};
    if (device_start(h->dev, h->chain) != 0)
        later(h);
}

bool ctca_there(void)
{
    return in.dev && out.dev;
}

const char *ctca_owner(void)
{
    return owner ? owner->userid : 0;
}

void ctca_start_write(void)
{
    sharers_turn = 1;
    start(&out);
}

/* Whose block it is only its frames tell: until then the work is the system's. */
static void read_ended(void)
{
    uint8_t *b = buffer(&in, in.now);
    uint32_t n = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];

    if (n > CTC_BLOCK) {
        lan_counts.bad_blocks++;
    } else if (n > 4) {
        lan_counts.blocks_in++;
        if (sharer)
            n = sharer->take(b, n);
        if (n > 4 && owner) {
            lan_counts.blocks_given++;
            acct_change(&owner->acct);
            in.length[in.now] = n;
            in.now ^= 1;
            vm_event(owner, EV_CTC);
        } else if (n > 4) {
            lose(b, n);
        }
    }
    start(&in);
}

static void write_ended(void)
{
    quiet = false;
    wrote = writing;
    writing = WRITING_NOTHING;
    if (wrote == WRITING_CPS) {
        sharer->sent();
    } else {
        out.length[out.now] = 0;
        out.now ^= 1;
        if (refused && owner)
            vm_event(owner, EV_CTC_OUT);
        refused = 0;
    }
    start(&out);
}

static void interrupt(struct device *d, const struct irb *irb, int ended)
{
    struct half *h = d->arg;

    if (!ended)
        return;
    if (h->sensing) {
        h->sensing = 0;
        later(h);
        return;
    }
    if (irb->dstat & DSTAT_UNIT_CHECK) {
        h->sensing = 1;
        h->chain[0] = (struct ccw){CMD_SENSE, CCW_SLI, 2, (uint32_t)(uintptr_t)h->sense};
        if (device_start(d, h->chain) != 0)
            later(h);
        return;
    }
    if (irb->dstat != (DSTAT_CHANNEL_END | DSTAT_DEVICE_END) || irb->cstat) {
        start(h);            /* a READ that waited 60 s, or a collision: again at once */
        return;
    }
    h->up = 1;
    if (h == &in)
        read_ended();
    else
        write_ended();
}

static void claim(struct half *h, uint16_t devno)
{
    h->dev = device_find(devno);
    if (!h->dev)
        return;
    h->dev->arg = h;
    h->dev->interrupt = interrupt;
}

void ctca_init(void)
{
    claim(&out, CTC_WRITE_DEV);
    claim(&in, CTC_READ_DEV);
    if (!ctca_there())
        return;
    in_blocks[0] = block_get();
    in_blocks[1] = block_get();
    start(&in);
}

struct counted *ctca_keep(void)
{
    if (!spares[in.now] && !(spares[in.now] = block_get()))
        return 0;
    counted_hold(in_blocks[in.now]);
    return in_blocks[in.now];
}

void ctca_share(const struct ctca_sharer *with)
{
    sharer = with;
}

static long write_block(struct vm *vm, uint64_t from, uint64_t len)
{
    const uint8_t *p = vm_source(vm, from, len);
    unsigned i = out.length[out.now] ? out.now ^ 1u : out.now;

    if (!p)
        return DIAG_EADDR;
    if (len < 4 || len > CTC_BLOCK)
        return DIAG_ERANGE;
    if (out.length[i]) {
        refused = 1;
        return DIAG_EBUSY;
    }
    memcpy(buffer(&out, i), p, len);
    acct_moved(len);
    out.length[i] = (uint32_t)len;
    vm->bytes_io += len;
    vm->sio++;
    start(&out);
    return 0;
}

static long read_block(struct vm *vm, uint64_t to, uint64_t max)
{
    unsigned i = in.length[in.now] ? in.now : in.now ^ 1u; /* both full: now is the older one */
    uint32_t n = in.length[i];

    if (!n)
        return DIAG_EBUSY;
    if (max < n)
        return DIAG_ERANGE;
    uint8_t *p = vm_ptr(vm, to, n);
    if (!p)
        return DIAG_EADDR;
    memcpy(p, buffer(&in, i), n);
    acct_moved(n);
    in.length[i] = 0;
    stall.reads++;
    stall.on = 0;
    vm->bytes_io += n;
    vm->sio++;
    start(&in);
    if (in.length[i ^ 1])
        return (long)n + CTC_MORE;
    vm->events &= ~EV_CTC;   /* of a block that is taken: no event for nothing */
    return (long)n;
}

/* The first machine to use the pair whose directory entry has DEDICATE for it keeps it until it is
 * reset. */
long ctca_op(struct vm *vm, int op, uint64_t at, uint64_t len)
{
    if (!ctca_there())
        return DIAG_ENODEV;
    if (owner != vm) {
        if (owner)
            return DIAG_EBUSY;
        if (!directory_dedicated(vm->userid, CTC_WRITE_DEV))
            return DIAG_EPRIV;
        owner = vm;
        start(&in);
    }
    switch (op) {
    case CTC_WRITE:  return write_block(vm, at, len);
    case CTC_READ:   return read_block(vm, at, len);
    case CTC_STATUS: return in.up && out.up ? CTC_UP : 0;
    default:         return DIAG_EUNKNOWN;
    }
}

void ctca_vm_gone(struct vm *vm)
{
    if (out.dev && out.dev->owner == &vm->acct)
        out.dev->owner = 0;
    if (owner != vm)
        return;
    owner = 0;
    refused = 0;
    stall.on = 0;
    lose_waiting(0);
    lose_waiting(1);
    start(&in);              /* what still comes is lost */
}
