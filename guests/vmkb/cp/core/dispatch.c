/* SPDX-License-Identifier: MIT */
/* The dispatcher: who runs next (ready.h), for how long, and what to do when run() comes back. */
#include "ready.h"
#include "lib.h"
#include "psa.h"
#include "s390.h"

static struct context idle = {.psw = {PSW_WAIT, 0}};
static bool for_timers;          /* what the comparator has is the first timer's time */

static inline void load_comparator(uint64_t due)
{
    loaded_comparator = due;
    set_clock_comparator(due);
}

static inline uint64_t timer_due(void)
{
    uint64_t next = timer_next();

    timer_changed = false;
    return next == UINT64_MAX ? UINT64_MAX : next << 12;
}

/* What is loaded may be earlier than it need be, from the machine before: that costs an
 * interruption now and then, less than to load it at each change of machine. */
static inline void arm_comparator(uint64_t slice_end)
{
    uint64_t due = timer_due();

    if (slice_end < due)
        due = slice_end;
    if (due < loaded_comparator)
        load_comparator(due);
    for_timers = false;
}

static void interrupted(int reason)
{
    if (reason == RUN_IO) {
        channel_interrupt();
    } else if (reason == RUN_MCK) {
        cp_stop(0xc0de);
    } else {
        loaded_comparator = UINT64_MAX; /* it has come, and comes again until another is loaded */
        for_timers = false;
        timer_run();
    }
    acct_interrupted();
}

static ONE_PIECE void run_idle(void)
{
    if (timer_changed || !for_timers) {
        load_comparator(timer_due());
        for_timers = true;
    }
    acct_leave_cp(&acct_idle);
    int reason = run(&idle);
    acct_enter_interrupted();
    idle.psw.mask = PSW_WAIT;
    interrupted(reason);
}

/* One turn: until the slice is over, it waits, or a machine of the first list should go before it.
 * A DIAGNOSE that CP answers at once comes back here and goes on without a look at the lists. */
static inline void turn(struct vm *vm, uint64_t slice_end)
{
    int reason;

    do {
        if (timer_changed || slice_end < loaded_comparator)
            arm_comparator(slice_end);
        acct_leave_cp(&vm->acct);
        reason = run(&vm->ctx);
        if (reason == RUN_PGM) {
            acct_enter_cp();
            program_check(vm);
        } else if (reason == RUN_SVC) {
            acct_enter_cp();
            vm_end(vm, "SUPERVISOR CALL EXCEPTION");
        } else {
            acct_enter_interrupted();
            interrupted(reason);
        }
    } while (!vm->wait && reason != RUN_EXT && !(vm->queue == 1 && queue_head[0]));
}

/* The same of a machine under SIE, which comes back from there by SVC. */
static __attribute__((noinline)) void sie_turn(struct vm *vm, uint64_t slice_end)
{
    int reason = 0;

    while (sie_ready(vm) && reason != RUN_EXT && !(vm->queue == 1 && queue_head[0])) {
        if (timer_changed || slice_end < loaded_comparator)
            arm_comparator(slice_end);
        acct_leave_cp(&vm->acct);
        reason = run(&vm->ctx);
        if (reason == RUN_SVC || reason == RUN_PGM) {
            acct_enter_cp();
            sie_back(vm, reason);
        } else {
            acct_enter_interrupted();
            sie_sliced(vm);
            interrupted(reason);
        }
        if (vm->wait)
            break;
    }
}

static inline void run_vm(struct vm *vm)
{
    if (vm->slice_left <= 0)
        vm->slice_left = SLICE;
    if (vm->asce != loaded_asce) {
        loaded_asce = vm->asce;
        load_cr1(&loaded_asce);
    }
    uint64_t slice_end = tod() + (uint64_t)vm->slice_left;
    running = vm;
    if (vm->sie)
        sie_turn(vm, slice_end);
    else
        turn(vm, slice_end);
    running = 0;
    /* whom it chooses next, and how long that takes, depends on the others */
    acct_change(&acct_system);
    if (vm->state != VM_HERE) {
        vm_reap(vm);
        return;
    }
    if (vm->wait & WAIT_FOR_SOMEBODY)
        return;
    vm->slice_left = (int64_t)(slice_end - tod());
    int used_up = vm->slice_left <= 0, gives_way = vm->wait & WAIT_TURN;
    vm->wait &= ~(uint32_t)WAIT_TURN;
    if (used_up && !vm->favored)
        vm->queue = 1;
    if (gives_way)
        ready_second(vm);
    else if (!vm->wait && !vm->queued)
        enqueue(vm, !used_up);
}

_Noreturn void dispatch(void)
{
    for (;;) {
        struct vm *vm = ready_pick();
        if (vm)
            run_vm(vm);
        else if (!task_run())
            run_idle();
    }
}
