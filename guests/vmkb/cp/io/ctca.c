/* SPDX-License-Identifier: MIT */
/* The channel-to-channel pair to the wire (Hercules' CTCE; docs/reference/wire.md has the channel
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
    uint8_t scb[8], sense[8];
    struct ccw ask;          /* SENSE */
    uint8_t sensing, up;
    struct timer retry;
} out, in;

/* The last CCW is SENSE COMMAND BYTE, which stays inside Hercules: a READ or WRITE there can stall
 * the link when an attention meets a busy device. */
struct chain {
    struct ccw block, end;
};

static struct in_block {
    struct chain read;
    struct counted *of, *spare; /* its storage; another's, if pages of that were given away */
    struct in_block *other;
    uint32_t length;         /* of what came for the owner; 0: free */
} in_blocks[2] = {{.other = &in_blocks[1]}, {.other = &in_blocks[0]}};
static struct in_block *reading = in_blocks; /* the READ under way is into it, or the next */

static struct out_block {
    uint8_t *at;
    struct out_block *other;
    uint32_t length;         /* of a block of the owner's; 0: free */
} out_blocks[2] = {{.other = &out_blocks[1]}, {.other = &out_blocks[0]}};
static struct out_block *owners = out_blocks; /* its block that is under way, or the next */
static struct chain write;
static uint8_t out_storage[2][CTC_BLOCK + 16] __attribute__((aligned(4096)));

static struct vm *owner;
static const struct ctca_sharer *sharer; /* CP's own station */
static uint8_t sharers_turn;    /* it has said that it has a block */
static uint8_t refused;      /* the owner had a block when there was no room */

/* Nobody waits for the end of what is being written, CP having a copy: it is looked for when there
 * is more to write, and till then there is no interruption. */
static bool quiet, masked;

static enum { WRITING_NOTHING, WRITING_OWNERS, WRITING_CPS } writing, wrote;
static struct {
    struct timer timer;
    uint64_t reads, reads_then; /* blocks the owner took; when the buffers were found full */
    uint64_t instr_then;        /* what it had executed */
    uint8_t looks;
    uint8_t on;                 /* nothing waits for the owner */
} stall;

static void start_in(void);
static void start_out(void);

static void again(void *arg)
{
    if (arg == &in)
        start_in();
    else
        start_out();
}

static void later(struct half *h)
{
    h->up = h->sensing = 0;
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
    if (!owner || !reading->length || stall.reads != stall.reads_then)
        return;
    stall.looks = owner->wait & ~(uint32_t)WAIT_IO ? stall.looks + 1 : 0;
    if (stall.looks < LOOKS && owner->acct.virt.instr - stall.instr_then < STALL_INSTR) {
        look_later();
        return;
    }
    stall.on = 1;
    start_in();
}

/* Both buffers hold blocks that the owner has not taken: wait for it, unless it has stopped taking
 * any. */
static bool must_wait(void)
{
    if (stall.on)
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

static void lose_waiting(struct in_block *b)
{
    if (b->length)
        lose(b->of->at, b->length);
    b->length = 0;
}

static void into(struct in_block *b, struct counted *of)
{
    b->of = of;
    b->read.block.data = (uint32_t)(uintptr_t)of->at;
}

/* A block of which somebody keeps a page is his now: what comes next goes into another. */
static inline void replace(struct in_block *b)
{
    counted_let(b->of);
    into(b, b->spare);
    b->spare = 0;
}

static inline bool prepare_read(struct in_block *b)
{
    if (b->length) {
        if (must_wait())
            return false;
        lose_waiting(b);     /* a stalled owner's older one */
    }
    if (b->of->holds > 1)
        replace(b);
    /* a READ may end with no data: then the length word says so */
    *(uint32_t *)b->of->at = 0;
    return true;
}

static void listen(bool on)
{
    masked = !on;
    channel_quiet(masked);
}

void ctca_listen(void)
{
    if (masked)
        listen(true);
}

static inline void written(void)
{
    quiet = false;
    wrote = writing;
    writing = WRITING_NOTHING;
    if (wrote == WRITING_CPS) {
        sharer->sent();
    } else {
        owners->length = 0;
        owners = owners->other;
        if (refused && owner)
            vm_event(owner, EV_CTC_OUT);
        refused = 0;
    }
}

/* There is more to write: what was being written may have ended unheard; else its end is waited
 * for. Who writes more pays for the look. */
static inline void hear(void)
{
    quiet = false;
    if (device_ended(out.dev))
        written();
    else if (masked)
        listen(true);
}

/* The owner's blocks and CP's in turn. A block that is tried again stays the same one. */
static inline const struct ctca_block *sharers_block(uint32_t length)
{
    const struct ctca_block *b = 0;

    if (sharers_turn
        && (writing == WRITING_CPS
            || (writing == WRITING_NOTHING && (!length || wrote == WRITING_OWNERS)))) {
        b = sharer->block();
        if (!b)
            sharers_turn = 0;
    }
    return b;
}

static inline bool prepare_write(void)
{
    uint32_t length = owners->length;
    const struct ctca_block *cps = sharers_block(length);
    bool unheard = false;

    if (cps) {
        write.block = cps->write;
        out.dev->owner = cps->payer;
        unheard = cps->quiet && !length;
        writing = WRITING_CPS;
    } else if (length) {
        write.block = (struct ccw){LAN_WRITE, CCW_CC, (uint16_t)length,
                                   (uint32_t)(uintptr_t)owners->at};
        out.dev->owner = owner ? &owner->acct : &acct_system;
        unheard = out.up && !owners->other->length && !sharers_turn;
        writing = WRITING_OWNERS;
    } else {
        return false;
    }
    quiet = unheard;
    if (masked != unheard)
        listen(!unheard);
    return true;
}

static inline bool can_start(const struct half *h)
{
    return !h->dev->busy && !h->retry.due;
}

static void start_in(void)
{
    struct in_block *b = reading;

    if (can_start(&in) && prepare_read(b) && device_start(in.dev, &b->read.block) != 0)
        later(&in);
}

static void start_out(void)
{
    if (quiet)
        hear();
    if (can_start(&out) && prepare_write() && device_start(out.dev, &write.block) != 0)
        later(&out);
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
    start_out();
}

/* Whose block it is only its frames tell: until then the work is the system's, and then his whose
 * frame was the last one. */
static inline void read_ended(struct in_block *in_it)
{
    uint8_t *b = in_it->of->at;
    uint32_t n = *(uint32_t *)b;

    if (n > CTC_BLOCK) {
        lan_counts.bad_blocks++;
    } else if (n > 4) {
        lan_counts.blocks_in++;
        if (sharer)
            n = sharer->take(b, n);
        lan_counts.blocks_given += n > 4;
        if (n > 4 && owner) {
            acct_change(&owner->acct);
            in_it->length = n;
            reading = in_it->other;
            vm_event(owner, EV_CTC);
        } else if (n > 4) {
            lose(b, n);
        }
    }
    start_in();
}

static __attribute__((noinline)) void ended_otherwise(struct half *h, const struct irb *irb)
{
    if (h->sensing) {
        later(h);
    } else if (irb->dstat & DSTAT_UNIT_CHECK) {
        h->sensing = 1;
        if (device_start(h->dev, &h->ask) != 0)
            later(h);
    } else {
        again(h);            /* a READ that waited 60 s, or a collision: again at once */
    }
}

static inline bool ended_well(struct half *h, const struct irb *irb)
{
    if (!irb_well(irb) || h->sensing) {
        ended_otherwise(h, irb);
        return false;
    }
    h->up = 1;
    return true;
}

static ONE_PIECE void in_interrupt(struct device *d, const struct irb *irb, int ended)
{
    (void)d;
    if (ended && ended_well(&in, irb))
        read_ended(reading);
}

static void out_interrupt(struct device *d, const struct irb *irb, int ended)
{
    (void)d;
    if (ended && ended_well(&out, irb)) {
        written();
        start_out();
    }
}

static void claim(struct half *h, uint16_t devno,
                  void (*interrupt)(struct device *, const struct irb *, int))
{
    h->dev = device_find(devno);
    if (!h->dev)
        return;
    h->dev->interrupt = interrupt;
    h->ask = (struct ccw){CMD_SENSE, CCW_SLI, 2, (uint32_t)(uintptr_t)h->sense};
}

static struct ccw ends(const struct half *h)
{
    return (struct ccw){CMD_SCB, CCW_SLI, 1, (uint32_t)(uintptr_t)h->scb};
}

void ctca_init(void)
{
    claim(&out, CTC_WRITE_DEV, out_interrupt);
    claim(&in, CTC_READ_DEV, in_interrupt);
    if (!ctca_there())
        return;
    for (unsigned i = 0; i < 2; i++) {
        in_blocks[i].read = (struct chain){{CMD_READ, CCW_CC | CCW_SLI, CTC_BLOCK, 0}, ends(&in)};
        into(&in_blocks[i], block_get());
        out_blocks[i].at = out_storage[i];
    }
    write.end = ends(&out);
    start_in();
}

struct counted *ctca_keep(void)
{
    struct in_block *b = reading;

    if (!b->spare && !(b->spare = block_get()))
        return 0;
    counted_hold(b->of);
    return b->of;
}

void ctca_share(const struct ctca_sharer *with)
{
    sharer = with;
}

static long write_block(struct vm *vm, uint64_t from, uint64_t len)
{
    const uint8_t *p = vm_source(vm, from, len);
    struct out_block *b = owners->length ? owners->other : owners;

    if (!p)
        return DIAG_EADDR;
    if (len < 4 || len > CTC_BLOCK)
        return DIAG_ERANGE;
    if (b->length) {
        refused = 1;
        return DIAG_EBUSY;
    }
    memcpy(b->at, p, len);
    b->length = (uint32_t)len;
    vm->bytes_io += len;
    vm->sio++;
    start_out();
    return 0;
}

static long read_block(struct vm *vm, uint64_t to, uint64_t max)
{
    struct in_block *b = reading->length ? reading : reading->other; /* both: the older one */
    uint32_t n = b->length;

    if (!n)
        return DIAG_EBUSY;
    if (max < n)
        return DIAG_ERANGE;
    uint8_t *p = vm_ptr(vm, to, n);
    if (!p)
        return DIAG_EADDR;
    memcpy(p, b->of->at, n);
    b->length = 0;
    stall.reads++;
    stall.on = 0;
    vm->bytes_io += n;
    vm->sio++;
    start_in();
    if (b->other->length)
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
        start_in();
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
        out.dev->owner = &acct_system;
    if (owner != vm)
        return;
    owner = 0;
    refused = 0;
    stall.on = 0;
    lose_waiting(&in_blocks[0]);
    lose_waiting(&in_blocks[1]);
    start_in();              /* what still comes is lost */
}
