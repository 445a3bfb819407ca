/* SPDX-License-Identifier: MIT */
/* The subchannels of a machine and the instructions for them (Principles of Operation, chapters 14
 * and 16). What a channel program does is its driver's: console.c, dedicated.c,
 * adapter.c. */
#include "sie.h"
#include "lib.h"
#include "psa.h"

#define CSCH  0x30
#define HSCH  0x31
#define MSCH  0x32
#define SSCH  0x33
#define STSCH 0x34
#define TSCH  0x35
#define TPI   0x36
#define STCRW 0x39
#define RCHP  0x3b
#define XSCH  0x76
#define RSCH  0x38

#define PMCW_ENABLED 0x80
#define PMCW_CHANGES 0xf8    /* flags that MODIFY SUBCHANNEL changes; the rest is the device's */
#define ISC_MASK     0x38

struct orb {
    uint32_t parm, flags, ccw;
};

struct interruption {
    uint16_t system, number;
    uint32_t parm, isc;
};

struct subchannel *io_add(struct sie *s, uint16_t devno, const struct sie_driver *driver)
{
    for (unsigned i = 0; i < SIE_DEVICES; i++) {
        struct subchannel *c = &s->subchannels[i];
        if (c->driver)
            continue;
        c->driver = driver;
        c->sie = s;
        c->bit = (uint8_t)(1 << i);
        c->pmcw = (struct pmcw){.devno = devno, .flags = 0x01, .lpm = 0x80, .pim = 0x80,
                                .pom = 0xff, .pam = 0x80, .chpid = {(uint8_t)(devno >> 8)}};
        return c;
    }
    console_say(s->vm, "DMKDED148E NO ROOM FOR DEV %04X; A MACHINE UNDER SIE HAS %u", devno,
                SIE_DEVICES);
    return 0;
}

/* The one that GR1 names; 0: there is none, and the condition code says so. */
static struct subchannel *named(struct sie *s)
{
    uint32_t id = (uint32_t)guest_gr(s, 1), number = id & 0xffff;

    if (id >> 16 != 1) {
        sie_program(s, PGM_OPERAND);
        return 0;
    }
    if (number < SIE_DEVICES && s->subchannels[number].driver)
        return &s->subchannels[number];
    guest_cc(s, 3);
    return 0;
}

static uint32_t subclass(const struct subchannel *c)
{
    return 0x80000000U >> (c->pmcw.isc >> 3);
}

static struct subchannel *first(struct sie *s, uint32_t classes)
{
    struct subchannel *c = s->subchannels;

    for (unsigned left = s->interrupts; left; left >>= 1, c++)
        if ((left & 1) && (subclass(c) & classes))
            return c;
    return 0;
}

bool io_open(struct sie *s)
{
    return first(s, (uint32_t)s->sd.cr[6]) != 0;
}

bool io_waits(struct sie *s)
{
    return s->interrupts != 0;
}

/* Its code; it is pending no longer. */
static struct interruption taken(struct sie *s, struct subchannel *c)
{
    s->interrupts &= (uint8_t)~c->bit;
    return (struct interruption){1, (uint16_t)(c - s->subchannels), c->pmcw.parm,
                                 (uint32_t)c->pmcw.isc << 24};
}

bool io_deliver(struct sie *s)
{
    struct subchannel *c = first(s, (uint32_t)s->sd.cr[6]);
    uint8_t *low = guest_real(s, 0, PAGE_SIZE);

    if (!c)
        return false;
    *(struct interruption *)(low + PSA_IO_SCHID) = taken(s, c);
    memcpy(low + PSA_IO_OLD, &s->sd.psw, sizeof(struct psw));
    memcpy(&s->sd.psw, low + PSA_IO_NEW, sizeof(struct psw));
    return true;
}

static void tpi(struct sie *s)
{
    struct subchannel *c = first(s, (uint32_t)s->sd.cr[6]);
    uint64_t at = guest_operand(s);

    guest_cc(s, 0);
    if (!c)
        return;
    struct interruption i = taken(s, c);
    if (at && !guest_write(s, at, &i, 8))
        return;
    if (!at)
        memcpy(guest_real(s, PSA_IO_SCHID, sizeof(i)), &i, sizeof(i));
    guest_cc(s, 1);
}

void io_end(struct sie *s, struct subchannel *c, uint32_t ccw, uint8_t dstat, uint8_t cstat,
            uint16_t residual)
{
    c->scsw.flags = (c->scsw.flags & ~(SCSW_START_PENDING | SCSW_WORKS)) | SCSW_ENDED;
    if (dstat & DSTAT_UNIT_CHECK)
        c->scsw.flags |= SCSW_ALERT;
    c->scsw.ccw = ccw;
    c->scsw.dstat = dstat;
    c->scsw.cstat = cstat;
    c->scsw.residual = residual;
    s->interrupts |= c->bit;
    sie_wake(s);
}

bool io_alert(struct sie *s, struct subchannel *c, uint8_t dstat)
{
    if (!(c->pmcw.flags & PMCW_ENABLED) || (c->scsw.flags & (SCSW_FUNCTIONS | SCSW_STATUS)))
        return false;
    c->scsw = (struct scsw){.flags = SCSW_ALERTED, .dstat = dstat};
    s->interrupts |= c->bit;
    sie_wake(s);
    return true;
}

static void stsch(struct sie *s, struct subchannel *c)
{
    struct {
        struct pmcw pmcw;
        struct scsw scsw;
        uint8_t rest[12];
    } schib = {c->pmcw, c->scsw, {0}};

    if (guest_write(s, guest_operand(s), &schib, sizeof(schib)))
        guest_cc(s, 0);
}

static void msch(struct sie *s, struct subchannel *c)
{
    struct pmcw new;

    if (!guest_read(s, guest_operand(s), &new, sizeof(new)))
        return;
    if (c->scsw.flags & (SCSW_STATUS | SCSW_FUNCTIONS)) {
        guest_cc(s, c->scsw.flags & SCSW_STATUS ? 1 : 2);
        return;
    }
    c->pmcw.parm = new.parm;
    c->pmcw.isc = new.isc & ISC_MASK;
    c->pmcw.flags = (uint8_t)((new.flags & PMCW_CHANGES) | (c->pmcw.flags & ~PMCW_CHANGES));
    c->pmcw.lpm = new.lpm;
    c->pmcw.mbi = new.mbi;
    memcpy(c->pmcw.rest, new.rest, sizeof(new.rest));
    guest_cc(s, 0);
}

static void ssch(struct sie *s, struct subchannel *c)
{
    struct orb orb;

    if (!guest_read(s, guest_operand(s), &orb, sizeof(orb)))
        return;
    if (!(c->pmcw.flags & PMCW_ENABLED)) {
        guest_cc(s, 3);
        return;
    }
    if (c->scsw.flags & (SCSW_STATUS | SCSW_FUNCTIONS)) {
        guest_cc(s, c->scsw.flags & SCSW_STATUS ? 1 : 2);
        return;
    }
    c->pmcw.parm = orb.parm;
    c->scsw = (struct scsw){
        .flags = SCSW_START_FUNCTION | SCSW_WORKS | (orb.flags & ORB_FORMAT_1)};
    guest_cc(s, 0);
    s->vm->sio++;
    c->driver->start(s, c, orb.flags, orb.ccw);
}

static void tsch(struct sie *s, struct subchannel *c)
{
    uint32_t irb[24] = {0};

    memcpy(irb, &c->scsw, sizeof(c->scsw));
    if (!guest_write(s, guest_operand(s), irb, sizeof(irb)))
        return;
    guest_cc(s, c->scsw.flags & SCSW_PENDING ? 0 : 1);
    if (c->scsw.flags & SCSW_PENDING)
        c->scsw = (struct scsw){0};
    s->interrupts &= (uint8_t)~c->bit;
    if (c->driver == &console_driver)
        console_typed(s);    /* what was typed meanwhile */
}

void io_cleared(struct sie *s, struct subchannel *c)
{
    c->scsw.flags |= SCSW_PENDING;
    s->interrupts |= c->bit;
    sie_wake(s);
}

/* CLEAR and HALT SUBCHANNEL */
static void clear(struct sie *s, struct subchannel *c, uint32_t function)
{
    s->interrupts &= (uint8_t)~c->bit;
    c->scsw = (struct scsw){.flags = function};
    guest_cc(s, 0);
    if (c->driver->clear(s, c))
        io_cleared(s, c);
}

static void stcrw(struct sie *s)
{
    static const uint32_t none;

    if (guest_write(s, guest_operand(s), &none, sizeof(none)))
        guest_cc(s, 1);
}

void io_instruction(struct sie *s, unsigned op)
{
    struct subchannel *c;

    switch (op) {
    case TPI: tpi(s); return;
    case STCRW: stcrw(s); return;
    case RCHP: guest_cc(s, 3); return;
    case CSCH: case HSCH: case MSCH: case SSCH: case STSCH: case TSCH: case XSCH: case RSCH: break;
    default: return;         /* SET ADDRESS LIMIT, SET CHANNEL MONITOR, STORE CHANNEL PATH STATUS */
    }
    c = named(s);
    if (!c)
        return;
    switch (op) {
    case CSCH: clear(s, c, 0x1000U); break;
    case HSCH: clear(s, c, 0x2000U); break;
    case MSCH: msch(s, c); break;
    case SSCH: ssch(s, c); break;
    case STSCH: stsch(s, c); break;
    case TSCH: tsch(s, c); break;
    default: guest_cc(s, 2); /* nothing to cancel or to resume */
    }
}
