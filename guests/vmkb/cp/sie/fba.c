/* SPDX-License-Identifier: MIT */
/* A minidisk as an FBA device (3370) of a machine. Its channel programs are done block by block on
 * the minidisk, through the cache as any other machine's; data move straight to or from the
 * machine's storage. What a program may not do it is told as by the emulator's own 3370: command
 * reject. A READ or WRITE has to name as many bytes as LOCATE has blocks. */
#include "sie.h"
#include "dasd.h"
#include "lib.h"

#define CMD_NOP           0x03
#define CMD_SENSE         0x04
#define CMD_WRITE         0x41
#define CMD_READ          0x42
#define CMD_LOCATE        0x43
#define CMD_DEFINE_EXTENT 0x63
#define CMD_READ_CHARACTERISTICS 0x64
#define CMD_SENSE_ID      0xe4
#define SENSE_INTERVENTION 0x40
#define SENSE_EQUIPMENT   0x10
#define SENSE_BYTES       24
#define MASK_WRITES       0xc0 /* which are allowed: */
#define MASK_NO_WRITES    0x40
#define MASK_RESERVED     0x80
#define OP_WRITE          0x01
#define OP_WRITE_VERIFY   0x05
#define OP_READ           0x06
#define BLOCK             512U
static const uint8_t sense_id[] = {0xff, 0x38, 0x80, 0x01, 0x33, 0x70, 0x00};

struct extent {
    uint8_t mask, zero[3];
    uint32_t origin, first, last;
};

struct locate {
    uint8_t operation, replication;
    uint16_t count;
    uint32_t block;
};

struct characteristics {     /* as the emulator's 3370, but for data chaining */
    uint8_t modes, features, class, type;
    uint16_t block;
    uint8_t group[4], position[4], blocks[4];
    uint8_t rest[14];
};
_Static_assert(sizeof(struct characteristics) == 32, "READ DEVICE CHARACTERISTICS");

static bool refuse(struct subchannel *c, uint8_t sense)
{
    c->sense = sense;
    io_end(c->sie, c, c->at + 8, ENDED | DSTAT_UNIT_CHECK, 0, c->ccw.count);
    return false;
}

static bool given(struct subchannel *c, void *to, uint32_t size)
{
    uint32_t n = 0;
    const void *from = ccw_data(c->sie, &c->ccw, 0, &n);

    if (n < size)
        return false;
    memcpy(to, from, size);
    return true;
}

static bool define_extent(struct subchannel *c, const struct mdisk *m)
{
    struct extent e;

    if (c->fba.defined || !given(c, &e, sizeof(e)) || (e.mask & MASK_WRITES) == MASK_RESERVED
        || e.last < e.first || e.origin >= m->blocks || e.last - e.first >= m->blocks - e.origin)
        return refuse(c, SENSE_REJECT);
    c->fba = (struct fba){.origin = e.origin, .first = e.first, .last = e.last, .mask = e.mask,
                          .defined = 1};
    return command_ended(c, (uint16_t)(c->ccw.count - sizeof(e)));
}

static bool locate(struct subchannel *c)
{
    struct fba *f = &c->fba;
    struct locate l;

    if (!f->defined || !given(c, &l, sizeof(l)))
        return refuse(c, SENSE_REJECT);
    bool writes = l.operation == OP_WRITE || l.operation == OP_WRITE_VERIFY;
    if ((writes && (f->mask & MASK_WRITES) == MASK_NO_WRITES)
        || (!writes && l.operation != OP_READ)
        || !l.count || l.block < f->first || (uint64_t)l.block + l.count - 1 > f->last)
        return refuse(c, SENSE_REJECT);
    f->operation = writes ? CMD_WRITE : CMD_READ;
    f->block = f->origin + (l.block - f->first);
    f->count = l.count;
    f->done = 0;
    f->located = 1;
    return command_ended(c, (uint16_t)(c->ccw.count - sizeof(l)));
}

static void done(struct dasd_request *r);

/* What is left of a READ or WRITE. False: the program waits, or has ended. Since LOCATE the guest
 * may have changed a list of pages, and CP the minidisk. */
static bool move(struct subchannel *c)
{
    struct fba *f = &c->fba;
    const struct mdisk *m = mdisk_find(c->sie->vm, c->pmcw.devno);

    while (f->done < c->ccw.count) {
        uint32_t n, at = f->block + f->done / BLOCK;
        uint8_t *data = ccw_data(c->sie, &c->ccw, f->done, &n);
        n = n / BLOCK < DASD_CHAIN ? n / BLOCK : DASD_CHAIN;
        if (!data || !n || !m || at >= m->blocks || n > m->blocks - at
            || (f->operation == CMD_WRITE && !m->writable))
            return refuse(c, SENSE_REJECT);
        if (f->operation == CMD_READ && mdc_read(m->volume, m->start + at, n, data)) {
            f->done += n * BLOCK;
            continue;
        }
        struct dasd_request *r = dasd_get();
        if (!r)
            return refuse(c, SENSE_EQUIPMENT);
        *r = (struct dasd_request){.volume = m->volume, .write = f->operation == CMD_WRITE,
                                   .block = m->start + at, .count = n, .data = data,
                                   .owner = &c->sie->vm->acct, .done = done, .arg = c};
        f->busy = 1;
        dasd_start(r);
        return false;
    }
    c->sie->vm->bytes_io += f->done;
    return command_ended(c, 0);
}

/* One command. False: the program waits, or has ended. */
static bool command(struct subchannel *c)
{
    const struct mdisk *m = mdisk_find(c->sie->vm, c->pmcw.devno);
    bool located = c->fba.located;

    c->fba.located = 0;
    if (!command_reachable(c)) {
        io_end(c->sie, c, c->at + 8, 0, CSTAT_PROGRAM, c->ccw.count);
        return false;
    }
    if (!m)
        return refuse(c, SENSE_INTERVENTION);
    switch (c->ccw.code) {
    case CMD_NOP:
        return command_ended(c, 0);
    case CMD_SENSE: {
        uint8_t sense[SENSE_BYTES] = {c->sense};
        c->sense = 0;
        return command_ended(c, command_answer(c, sense, sizeof(sense)));
    }
    case CMD_SENSE_ID:
        return command_ended(c, command_answer(c, sense_id, sizeof(sense_id)));
    case CMD_READ_CHARACTERISTICS: {
        struct characteristics has = {0x20, 0x08, 0x21, 0x02, BLOCK, {0, 0, 744 >> 8, 744 & 255},
                                      {0, 0, 0, 62}, {0}, {0}};
        memcpy(has.blocks, &m->blocks, sizeof(has.blocks));
        return command_ended(c, command_answer(c, (const uint8_t *)&has, sizeof(has)));
    }
    case CMD_DEFINE_EXTENT:
        return define_extent(c, m);
    case CMD_LOCATE:
        return locate(c);
    case CMD_READ:
    case CMD_WRITE:
        if (located && c->ccw.code == c->fba.operation && c->ccw.count == c->fba.count * BLOCK)
            return move(c);
        /* fallthrough */
    default:
        return refuse(c, SENSE_REJECT);
    }
}

static void done(struct dasd_request *r)
{
    struct subchannel *c = r->arg;

    c->fba.busy = 0;
    if (r->result == 0)
        mdc_note(r->volume, r->block, r->count, r->data, r->write);
    if (!c->driver)
        return;              /* the machine goes */
    if (c->scsw.flags & SCSW_CLEARS) {
        io_cleared(c->sie, c);
    } else if (r->result) {
        refuse(c, SENSE_EQUIPMENT);
    } else {
        c->fba.done += r->count * BLOCK;
        if (move(c))
            program_run(c, command);
    }
}

static void start(struct sie *s, struct subchannel *c, uint32_t orb_flags, uint32_t at)
{
    (void)s;
    c->orb_flags = orb_flags;
    c->at = at;
    c->steps = 0;
    c->fba = (struct fba){0};
    program_run(c, command);
}

static bool clear(struct sie *s, struct subchannel *c)
{
    (void)s;
    return !c->fba.busy;
}

static const struct sie_driver driver = {start, clear};

void disks_add(struct sie *s)
{
    for (unsigned i = 0; i < VM_MDISKS; i++)
        if (s->vm->mdisk[i].vaddr)
            io_add(s, s->vm->mdisk[i].vaddr, &driver);
}

bool disks_quiet(struct sie *s)
{
    const uint64_t until = us_now() + QUIET_US;
    bool quiet = true;

    for (unsigned i = 0; i < SIE_DEVICES; i++) {
        struct subchannel *c = &s->subchannels[i];
        if (c->driver != &driver)
            continue;
        c->driver = 0;
        while (c->fba.busy && us_now() < until)
            channel_poll();
        quiet &= !c->fba.busy;
    }
    return quiet;
}
