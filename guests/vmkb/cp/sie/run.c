/* SPDX-License-Identifier: MIT */
/* In and out of START INTERPRETIVE EXECUTION: what is done before a machine is entered, and about
 * each cause for which it comes back. The dispatcher enters it as any other machine; its context is
 * sie_enter below, in supervisor state with DAT off, GR14 its state description. */
#include "sie.h"
#include "acct_clock.h"
#include "lib.h"
#include "s390.h"

#define PSW_ENTER  0x0304000180000000UL /* I/O, external and machine check on, 64-bit */
#define CAUSE_INSTRUCTION 4
#define CAUSE_PROGRAM     8
#define CAUSE_PROGRAM_AND_INSTRUCTION 12
#define CAUSE_EXTERNAL    16
#define CAUSE_IO          24
#define CAUSE_WAIT        28
#define CAUSE_VALIDITY    32
#define CAUSE_OPERATION   44

#define CR0_SERVICE    0x200UL
#define CR0_COMPARATOR 0x800UL
#define CR0_TIMER      0x400UL
#define LCTL_CR0       0x8000U
#define LCTL_CR6       0x0200U
#define EXT_SERVICE    0x2401

/* In boot/entry.S: the machine's own instructions follow the first instruction there, and it comes
 * back by the second; CP pays for both. */
extern const char sie_enter[];
#define ENTERED 1U
#define LEFT    1U

const char *const sie_cause_names[SIE_CAUSES] = {
    "SIGP", "STSI", "SERVC", "CHSC", "DIAGNOSE", "STSCH MSCH", "SSCH", "TSCH", "TPI", "STIDP",
    "STAP", "SPX STPX", "STFL", "PTFF", "LCTL", "KEYS", "OTHER", "PROGRAM", "ENABLED", "WAIT",
    "SLICE",
};

/* The state of the one real CPU that no context has: whose it is. */
static struct sie *loaded;

static void save_rest(struct sie *s)
{
    __asm__ volatile("std 0,0(%0)\n\tstd 1,8(%0)\n\tstd 2,16(%0)\n\tstd 3,24(%0)\n\t"
                     "std 4,32(%0)\n\tstd 5,40(%0)\n\tstd 6,48(%0)\n\tstd 7,56(%0)\n\t"
                     "std 8,64(%0)\n\tstd 9,72(%0)\n\tstd 10,80(%0)\n\tstd 11,88(%0)\n\t"
                     "std 12,96(%0)\n\tstd 13,104(%0)\n\tstd 14,112(%0)\n\tstd 15,120(%0)\n\t"
                     "stam 0,15,0(%1)\n\tstfpc 0(%2)"
                     :
                     : "a"(s->fpr), "a"(s->ar), "a"(&s->fpc)
                     : "memory");
}

static void load_rest(const struct sie *s)
{
    __asm__ volatile("ld 0,0(%0)\n\tld 1,8(%0)\n\tld 2,16(%0)\n\tld 3,24(%0)\n\t"
                     "ld 4,32(%0)\n\tld 5,40(%0)\n\tld 6,48(%0)\n\tld 7,56(%0)\n\t"
                     "ld 8,64(%0)\n\tld 9,72(%0)\n\tld 10,80(%0)\n\tld 11,88(%0)\n\t"
                     "ld 12,96(%0)\n\tld 13,104(%0)\n\tld 14,112(%0)\n\tld 15,120(%0)\n\t"
                     "lam 0,15,0(%1)\n\tlfpc 0(%2)"
                     :
                     : "a"(s->fpr), "a"(s->ar), "a"(&s->fpc)
                     : "memory");
}

/* Floating-point and access registers: no other machine uses them, so they stay from one turn to
 * the next. */
static __attribute__((noinline)) void swap_rest(struct sie *s)
{
    static const uint64_t cr0 = 0x0000000000040800UL; /* as boot/ipl.S, and all of the registers */

    __asm__ volatile("lctlg 0,0,%0" : : "Q"(cr0));
    if (loaded)
        save_rest(loaded);
    load_rest(s);
    loaded = s;
}

void sie_forget(struct sie *s)
{
    if (loaded == s)
        loaded = 0;
}

/* One that the emulator has put into the state description: the guest has it. */
static void reflect_program(struct sie *s)
{
    uint8_t *low = guest_real(s, 0, PAGE_SIZE);

    memcpy(low + PSA_PGM_ILC, s->sd.parameters + (PSA_PGM_ILC - 0x80), 0xb4 - PSA_PGM_ILC);
    sie_swap_psw(s, PSA_PGM_OLD, PSA_PGM_NEW);
}

static void external(struct sie *s, unsigned code, uint32_t parm)
{
    uint8_t *low = guest_real(s, 0, PAGE_SIZE);

    *(uint32_t *)(low + 0x80) = parm;
    *(uint16_t *)(low + 0x84) = 0;
    *(uint16_t *)(low + PSA_EXT_CODE) = (uint16_t)code;
    sie_swap_psw(s, PSA_EXT_OLD, PSA_EXT_NEW);
}

/* Give it what is pending and what it is open for; ask to be told when it opens for the rest. */
static void interruptions(struct sie *s)
{
    uint8_t ask = 0;
    uint16_t lctl = 0;

    if (s->service) {
        if (!(s->sd.cr[0] & CR0_SERVICE)) {
            lctl |= LCTL_CR0;
        } else if (s->sd.psw.mask & PSW_EXTERNAL) {
            external(s, EXT_SERVICE, s->service);
            s->service = 0;
        } else {
            ask |= SD_EXTERNAL;
        }
    }
    if (io_open(s) && (s->sd.psw.mask & PSW_IO))
        io_deliver(s);
    if (io_open(s))
        ask |= SD_IO;
    else if (io_waits(s))
        lctl |= LCTL_CR6;
    s->sd.v = (uint8_t)((s->sd.v & ~(SD_IO | SD_EXTERNAL)) | ask);
    s->sd.lctl_control = lctl;
    s->pending = 0;
}

static void clock_due(void *arg)
{
    struct sie *s = arg;

    acct_change(&s->vm->acct);
    sie_wake(s);
}

/* An enabled wait lasts until an interruption; the emulator takes the clocks' when it is entered
 * again. */
static void wait(struct sie *s)
{
    uint64_t mask = s->sd.psw.mask, due = UINT64_MAX;

    interruptions(s);
    if (!(s->sd.psw.mask & PSW_WAITS))
        return;
    if (!(mask & (PSW_IO | PSW_EXTERNAL))) {
        char text[64];
        fmt(text, sizeof(text), "DISABLED WAIT PSW '%016lX %016lX'", mask, s->sd.psw.addr);
        vm_end(s->vm, text);
        return;
    }
    if ((mask & PSW_EXTERNAL) && (s->sd.cr[0] & CR0_COMPARATOR))
        due = s->sd.comparator == UINT64_MAX ? UINT64_MAX : (s->sd.comparator >> 12) + 1;
    if ((mask & PSW_EXTERNAL) && (s->sd.cr[0] & CR0_TIMER)) {
        uint64_t left = s->sd.cpu_timer < 0 ? 0 : (uint64_t)s->sd.cpu_timer >> 12;
        if (us_now() + left < due)
            due = us_now() + left + 1;
    }
    s->waits = 1;
    s->vm->event_mask = 0;
    vm_hold(s->vm, WAIT_EVENT);
    if (due != UINT64_MAX)
        timer_set(&s->clock, due, clock_due, s);
}

/* What was executed at the entry and the exit is no instruction of the machine's own. */
static void own(struct vm *vm, struct account *payer, unsigned n)
{
    vm->acct.virt.instr -= n;
    payer->cp.instr += n;
}

static enum sie_cause intercepted(struct sie *s)
{
    char text[80];

    switch (s->sd.code) {
    case CAUSE_INSTRUCTION:
        return sie_instruction(s);
    case CAUSE_OPERATION:
        sie_program(s, PGM_OPERATION);
        return SIE_PROGRAM;
    case CAUSE_PROGRAM:
    case CAUSE_PROGRAM_AND_INSTRUCTION:
        reflect_program(s);
        return SIE_PROGRAM;
    case CAUSE_EXTERNAL:
    case CAUSE_IO:
        interruptions(s);
        return SIE_ENABLED;
    case CAUSE_WAIT:
        wait(s);
        return SIE_WAIT;
    default:
        fmt(text, sizeof(text), "STATE DESCRIPTION REFUSED, CODE %02X %04X %08X PSW %016lX",
            s->sd.code, s->sd.ipa, s->sd.ipb, s->sd.psw.addr);
        vm_end(s->vm, text);
        return SIE_OTHER;
    }
}

/* CP has worked for it since the count was that. */
static void handle(struct vm *vm, uint32_t since)
{
    struct sie *s = vm->sie;
    uint64_t number = s->number;
    enum sie_cause cause = intercepted(s);

    if (!vm->sie || vm->sie->number != number)
        return;              /* CP has ended it */
    if (s->pending && !s->waits)
        interruptions(s);
    s->tally[cause].times++;
    s->tally[cause].instr += instruction_count() - since;
}

void sie_back(struct vm *vm, int reason)
{
    own(vm, acct_now.leaving, ENTERED);
    if (reason == RUN_SVC) {
        own(vm, &vm->acct, LEFT);
        handle(vm, psa()->in.count);
        return;
    }
    char text[80];
    fmt(text, sizeof(text), "STORAGE OF THE MACHINE CANNOT BE REACHED, CODE %04X AT %016lX",
        psa()->pgm_code, psa()->trans_addr);
    vm_end(vm, text);
}

/* It may have come before the first instruction, or between an interception and the SVC behind
 * it. */
void sie_sliced(struct vm *vm)
{
    struct sie *s = vm->sie;

    if (clock_in()->count - clock_out()->count != CLOCK_OUT + CLOCK_IN)
        own(vm, acct_now.leaving, ENTERED);
    s->intercepted = vm->ctx.psw.addr != (uintptr_t)sie_enter;
    s->tally[SIE_SLICE].times += !s->intercepted;
}

bool sie_ready(struct vm *vm)
{
    struct sie *s = vm->sie;

    if (s->intercepted) {
        s->intercepted = 0;
        acct_change(&vm->acct);
        handle(vm, instruction_count());
        if (vm->wait || !vm->sie)
            return false;
    }
    if (s->output) {
        acct_change(&vm->acct);
        console_resume(s);
        if (s->output) {
            vm_hold(vm, WAIT_OUTPUT);
            return false;
        }
    }
    if (s->pending) {
        acct_change(&vm->acct);
        interruptions(s);
    }
    if (loaded != s)
        swap_rest(s);
    ctca_listen();           /* SIE is left for one that is masked too, again and again */
    vm->ctx.psw.mask = PSW_ENTER;
    vm->ctx.psw.addr = (uintptr_t)sie_enter;
    vm->ctx.gr[14] = (uintptr_t)&s->sd;
    return true;
}
