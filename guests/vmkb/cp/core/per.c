/* SPDX-License-Identifier: MIT */
/* Program-event recording (Principles of Operation, chapter 4) of one machine at a time: what TRACE
 * shows, and where ADSTOP stops it. The machine's PSW alone switches it on, so the others and CP
 * cost what they cost without it. */
#include "defs.h"
#include "lib.h"
#include "psa.h"

#define PSW_PER      0x4000000000000000UL
#define EVENT_BRANCH 0x80000000UL
#define EVENT_FETCH  0x40000000UL
#define EVENT_STORE  0x20000000UL
enum { LEFT_OVER = 0x7f, CC_SHIFT = 44 };

static struct {
    struct vm *vm;
    struct per_trap trap;
} traced;

static void load(uint64_t events, uint64_t from, uint64_t to)
{
    uint64_t cr[3] = {events, from, to};

    __asm__ volatile("lctlg 9,11,%0" : : "Q"(cr));
}

/* An IPL or LOGOFF has ended it, if the machine's PSW does not have it. */
const struct vm *per_traced(void)
{
    if (traced.vm
        && (traced.vm->state != VM_HERE || !(traced.vm->ctx.psw.mask & PSW_PER)))
        traced.vm = 0;
    return traced.vm;
}

const struct per_trap *per_trap(const struct vm *vm)
{
    return per_traced() == vm ? &traced.trap : 0;
}

void per_start(struct vm *vm, const struct per_trap *trap)
{
    static const uint64_t events[] = {
        [PER_FETCH] = EVENT_FETCH, [PER_BRANCH] = EVENT_BRANCH, [PER_STORE] = EVENT_STORE,
        [PER_STOP] = EVENT_FETCH};
    bool all = trap->kind == PER_STOP; /* it is to stop before the instruction */

    traced.vm = vm;
    traced.trap = *trap;
    load(events[trap->kind], all ? 0 : trap->from, all ? UINT64_MAX : trap->to);
    vm->ctx.psw.mask |= PSW_PER;
}

void per_end(struct vm *vm)
{
    if (traced.vm == vm)
        traced.vm = 0;
    vm->ctx.psw.mask &= ~PSW_PER;
}

static void stop(struct vm *vm)
{
    vm_hold(vm, WAIT_CP);
    console_mode(vm);
}

/* Where it was, the instruction there, and the condition code behind it. */
static void show(struct vm *vm, uint64_t at)
{
    const uint8_t *i = vm_source(vm, at, 2);
    char digits[14] = "?";
    int n = i ? i[0] < 0x40 ? 2 : i[0] < 0xc0 ? 4 : 6 : 0;

    i = n ? vm_source(vm, at, (uint64_t)n) : 0;
    for (int k = 0; i && k < n; k++)
        fmt(digits + 2 * k, 3, "%02X", i[k]);
    console_say(vm, "-> %016lX  %-12s  CC %lu", at, digits,
                vm->ctx.psw.mask >> CC_SHIFT & 3);
}

bool per_event(struct vm *vm)
{
    const struct per_trap *t = &traced.trap;

    if (!per_trap(vm)) {
        vm->ctx.psw.mask &= ~PSW_PER;
    } else if (t->kind != PER_STOP) {
        show(vm, psa()->per_address);
        if (!t->run || !console_room(vm))
            stop(vm);
    } else if (vm->ctx.psw.addr == t->from) {
        console_say(vm, "ADSTOP AT %lX", t->from);
        per_end(vm);
        stop(vm);
    }
    return (psa()->pgm_code & LEFT_OVER) != 0;
}
