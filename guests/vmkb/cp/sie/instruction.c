/* SPDX-License-Identifier: MIT */
/* Instructions that a guest cannot execute by itself: what each does in a virtual machine. They are
 * privileged but for PERFORM TIMING FACILITY FUNCTION. The PSW stands behind them. */
#include "sie.h"
#include "lib.h"
#include "psa.h"
#include "s390.h"

#define SIGP_SENSE   0x01
#define SIGP_STOP    0x05
#define SIGP_STOP_AND_STORE 0x09
#define SIGP_SET_ARCHITECTURE 0x12
#define SIGP_INVALID 0x02UL  /* status: the order is none */

#define DIAG_COUNTER   0xf08
#define PTF_HORIZONTAL 0
#define PTF_CHECK      2
#define PTF_IS_SO      0x100UL /* reason: it is polarized so already */

static unsigned r1_of(const struct sie *s) /* of RS */
{
    return s->sd.ipa >> 4 & 15;
}

static unsigned r3_of(const struct sie *s)
{
    return s->sd.ipa & 15;
}

static void stop(struct sie *s)
{
    vm_end(s->vm, "SIGP STOP");
}

/* There is one CPU, whose address is 0. */
static void sigp(struct sie *s)
{
    unsigned r1 = r1_of(s), order = guest_operand(s) & 0xff;

    if ((uint16_t)guest_gr(s, r3_of(s)) != 0) {
        guest_cc(s, 3);
        return;
    }
    guest_cc(s, 0);
    switch (order) {
    case SIGP_SENSE:
    case SIGP_SET_ARCHITECTURE: /* it is in z/Architecture mode from the start */
        break;
    case SIGP_STOP:
    case SIGP_STOP_AND_STORE:
        stop(s);
        break;
    default:
        guest_set_gr(s, r1, (guest_gr(s, r1) & ~0xffffffffUL) | SIGP_INVALID);
        guest_cc(s, 1);
    }
}

static void stidp(struct sie *s)
{
    uint64_t id = store_cpu_id();

    guest_write(s, guest_operand(s), &id, sizeof(id));
}

static void stap(struct sie *s)
{
    guest_write(s, guest_operand(s), &s->sd.cpu_address, sizeof(s->sd.cpu_address));
}

static void spx(struct sie *s)
{
    uint32_t prefix;

    if (!guest_read(s, guest_operand(s), &prefix, sizeof(prefix)))
        return;
    prefix &= 0x7fffe000U;
    if (!guest_absolute(s, prefix, 2 * PAGE_SIZE))
        sie_program(s, PGM_ADDRESSING);
    else
        s->sd.prefix = prefix;
}

static void stpx(struct sie *s)
{
    guest_write(s, guest_operand(s), &s->sd.prefix, sizeof(s->sd.prefix));
}

/* STORE FACILITY LIST puts its word at real 200, CP's first. */
static void stfl(struct sie *s)
{
    const uint8_t *own = (const uint8_t *)psa() + 200;

    __asm__ volatile(".insn s,0xb2b10000,0" : : : "memory");
    memcpy(guest_real(s, 200, 4), own, 4);
}

static void test_block(struct sie *s)
{
    uint8_t *block = guest_real(s, guest_gr(s, s->sd.ipb >> 16 & 15) & ~0xfffUL, PAGE_SIZE);

    if (!block) {
        sie_program(s, PGM_ADDRESSING);
        return;
    }
    memset(block, 0, PAGE_SIZE);
    guest_cc(s, 0);
    guest_set_gr(s, 0, 0);
}

/* There is no steering of a guest's clock: the query says that there are no functions. */
static void ptff(struct sie *s)
{
    static const uint64_t none[2];

    guest_cc(s, 3);
    if ((guest_gr(s, 0) & 0x7f) == 0 && guest_write(s, guest_gr(s, 1), none, sizeof(none)))
        guest_cc(s, 0);
}

/* PERFORM TOPOLOGY FUNCTION: one CPU, horizontal already; nothing has changed. Linux asks each
 * minute. */
static void ptf(struct sie *s)
{
    unsigned r1 = s->sd.ipb >> 20 & 15;
    uint64_t function = guest_gr(s, r1);

    if (function > PTF_CHECK) {
        sie_program(s, PGM_SPECIFICATION);
        return;
    }
    if (function != PTF_CHECK)
        guest_set_gr(s, r1, function | (function == PTF_HORIZONTAL ? PTF_IS_SO : 0));
    guest_cc(s, function == PTF_CHECK ? 0 : 2);
}

static void lctl(struct sie *s, bool grande)
{
    uint64_t from = guest_operand(s), value[16];
    unsigned r1 = r1_of(s), n = ((r3_of(s) - r1) & 15) + 1, size = grande ? 8 : 4;

    if (from & (size - 1)) {
        sie_program(s, PGM_SPECIFICATION);
        return;
    }
    if (!guest_read(s, from, value, (uint64_t)n * size))
        return;
    for (unsigned i = 0; i < n; i++) {
        uint64_t *cr = &s->sd.cr[(r1 + i) & 15];
        *cr = grande ? value[i] : (*cr & ~0xffffffffUL) | ((const uint32_t *)value)[i];
    }
    s->pending = 1;
}

static void servc(struct sie *s)
{
    unsigned r1 = s->sd.ipb >> 20 & 15, r2 = s->sd.ipb >> 16 & 15;

    guest_cc(s, sclp_call(s, (uint32_t)guest_gr(s, r1), guest_gr(s, r2)));
}

/* CHANNEL SUBSYSTEM CALL: no request is known here, as none of those that Linux makes is known to
 * the emulator but one. */
static void chsc(struct sie *s)
{
    uint64_t at = guest_gr(s, s->sd.ipb >> 20 & 15);
    uint16_t len;
    static const struct {
        uint16_t length, code;
        uint32_t rest;
    } unknown = {8, 0x0002, 0};

    if (at & (PAGE_SIZE - 1)) {
        sie_program(s, PGM_SPECIFICATION);
        return;
    }
    if (!guest_read(s, at, &len, sizeof(len)))
        return;
    if (len < 8 || len > PAGE_SIZE - sizeof(unknown))
        sie_program(s, PGM_OPERAND);
    else if (guest_write(s, at + len, &unknown, sizeof(unknown)))
        guest_cc(s, 0);
}

/* A CP command, voluntary ends of a time slice, and nothing else yet. */
static void diagnose(struct sie *s)
{
    switch (guest_operand(s) & 0xffff) {
    case 0x08: sie_command(s); break;
    case 0x44:
    case 0x9c:
        break;
    default:
        sie_program(s, PGM_SPECIFICATION);
    }
}

/* DIAGNOSE X'F08', which programs may give too: what the machine itself has executed, its low 32
 * bits, as the emulator answers a system without CP. */
static void counter(struct sie *s)
{
    guest_set_gr(s, r1_of(s), (uint32_t)s->vm->acct.virt.instr);
}

/* Those whose operation code is B2xx. */
static enum sie_cause b2(struct sie *s)
{
    switch (s->sd.ipa & 0xff) {
    case 0x02: stidp(s); return SIE_STIDP;
    case 0x04: guest_cc(s, 0); return SIE_OTHER; /* SET CLOCK: the clock is the system's */
    case 0x10: spx(s); return SIE_PREFIX;
    case 0x11: stpx(s); return SIE_PREFIX;
    case 0x12: stap(s); return SIE_STAP;
    case 0x20: servc(s); return SIE_SERVC;
    case 0x2c: test_block(s); return SIE_STORAGE;
    case 0x33: io_instruction(s, 0x33); return SIE_SSCH;
    case 0x35: io_instruction(s, 0x35); return SIE_TSCH;
    case 0x36: io_instruction(s, 0x36); return SIE_TPI;
    case 0x30:
    case 0x31:
    case 0x32:
    case 0x34:
    case 0x37:
    case 0x38:
    case 0x39:
    case 0x3a:
    case 0x3b:
    case 0x3c:
    case 0x76: io_instruction(s, s->sd.ipa & 0xff); return SIE_SUBCHANNEL;
    case 0x5f: chsc(s); return SIE_CHSC;
    case 0x7d: sie_stsi(s); return SIE_STSI;
    case 0xb1: stfl(s); return SIE_STFL;
    default: sie_program(s, PGM_OPERATION); return SIE_OTHER;
    }
}

enum sie_cause sie_instruction(struct sie *s)
{
    unsigned op = s->sd.ipa >> 8;

    if (s->sd.ipa == 0x0104) {
        ptff(s);
        return SIE_PTFF;
    }
    if (op == 0x83 && (guest_operand(s) & 0xffff) == DIAG_COUNTER) {
        counter(s);
        return SIE_DIAG;
    }
    if (s->sd.psw.mask & PSW_PROBLEM) {
        sie_program(s, PGM_PRIVILEGED);
        return SIE_PROGRAM;
    }
    switch (op) {
    case 0x83: diagnose(s); return SIE_DIAG;
    case 0xae: sigp(s); return SIE_SIGP;
    case 0xb2: return b2(s);
    case 0xb9:
        if (s->sd.ipa == 0xb9a2)
            ptf(s);
        else
            sie_program(s, PGM_OPERATION);
        return SIE_OTHER;
    case 0xb7: lctl(s, false); return SIE_LCTL;
    case 0xeb: lctl(s, true); return SIE_LCTL;
    case 0xe5: guest_cc(s, 3); return SIE_STORAGE; /* TPROT: it cannot be reached */
    default: sie_program(s, PGM_OPERATION); return SIE_OTHER;
    }
}
