/* SPDX-License-Identifier: MIT */
/* The dispatcher: who runs next, for how long, and what to do when run() comes back.
 * Two lists: 0 holds machines that woke from a wait and have used less than a slice since, 1 those
 * that used a whole one. List 0 goes first; the head of list 1 gets its turn when it has waited
 * STARVE_US, so a busy pair of servers cannot keep a computing machine from the CPU for ever. Within
 * a list a smaller SET PRIORITY goes first, equals in turn. */
#include "defs.h"
#include "lib.h"
#include "psa.h"
#include "s390.h"

#define STARVE_US 40000
#define SLICE     ((int64_t)SLICE_US * 4096)
#define PSW_WAIT  0x0302000180000000UL
#define WAIT_FOR_SOMEBODY (WAIT_CONSOLE | WAIT_EVENT | WAIT_SLEEP | WAIT_CP) /* then a new slice, in list 0 */

struct vm *running;

static struct vm *queue_head[2], *queue_tail[2];
static struct context idle = {.psw = {PSW_WAIT, 0}};
static uint64_t loaded_asce;
static uint64_t loaded_comparator = UINT64_MAX;

uint32_t dispatch_queue_length(int queue)
{
    uint32_t n = 0;

    for (const struct vm *vm = queue_head[queue]; vm; vm = vm->next)
        n++;
    return n;
}

/* A list that is not empty: front puts it before its equals (it was preempted), else behind them. */
static __attribute__((noinline)) void insert(struct vm *vm, int front)
{
    int q = vm->queue;
    struct vm **p = &queue_head[q];

    if (!front && queue_tail[q]->priority <= vm->priority)
        p = &queue_tail[q]->next;
    else
        while (*p && ((*p)->priority < vm->priority || (!front && (*p)->priority == vm->priority)))
            p = &(*p)->next;
    vm->next = *p;
    *p = vm;
    if (!vm->next)
        queue_tail[q] = vm;
}

static inline void enqueue(struct vm *vm, int front)
{
    int q = vm->queue;

    vm->queued = 1;
    if (q == 1)
        vm->queue_since = us_now();
    if (queue_head[q])
        insert(vm, front);
    else
        queue_head[q] = queue_tail[q] = vm;
}

static void dequeue(struct vm *vm)
{
    int q = vm->queue;
    struct vm *before = 0;

    for (struct vm **p = &queue_head[q]; *p; before = *p, p = &(*p)->next)
        if (*p == vm) {
            *p = vm->next;
            if (queue_tail[q] == vm)
                queue_tail[q] = before;
            break;
        }
    vm->next = 0;
    vm->queued = 0;
}

void vm_ready(struct vm *vm)
{
    if (vm->wait || vm->queued || vm == running)
        return;
    enqueue(vm, 0);
}

void vm_hold(struct vm *vm, uint32_t why)
{
    vm->wait |= why;
    if (vm->queued)
        dequeue(vm);
}

void vm_release(struct vm *vm, uint32_t why)
{
    if (!(vm->wait & why))
        return;
    vm->wait &= ~why;
    if (vm->wait)
        return;
    if (why & WAIT_FOR_SOMEBODY) {
        vm->queue = 0;       /* interactive again */
        vm->slice_left = SLICE;
    }
    if (vm != running)
        enqueue(vm, 0);      /* what is held is in no list */
}

static struct vm *pick(void)
{
    struct vm *vm = queue_head[0];

    if (queue_head[1] && (!vm || us_now() - queue_head[1]->queue_since > STARVE_US))
        vm = queue_head[1];
    if (!vm)
        return 0;
    queue_head[vm->queue] = vm->next;
    vm->next = 0;
    vm->queued = 0;
    return vm;
}

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

/* What is loaded may be earlier than it need be, from the machine before: that costs an interruption now and
 * then, less than to load it at each change of machine. */
static inline void arm_comparator(uint64_t slice_end)
{
    uint64_t due = timer_due();

    if (slice_end < due)
        due = slice_end;
    if (due < loaded_comparator)
        load_comparator(due);
}

void dispatch_set_timer(void)
{
    loaded_comparator = UINT64_MAX;
    set_clock_comparator(loaded_comparator);
    timer_changed = true;
}

static void interrupted(int reason)
{
    if (reason == RUN_IO) {
        channel_interrupt();
    } else if (reason == RUN_MCK) {
        cp_stop(0xc0de);
    } else {
        loaded_comparator = UINT64_MAX; /* it has come, and comes again until another is loaded */
        timer_run();
    }
    acct_interrupted();
}

static void run_idle(void)
{
    load_comparator(timer_due());
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
    turn(vm, slice_end);
    running = 0;
    acct_change(&acct_system); /* whom it chooses next, and how long that takes, depends on the others */
    if (vm->in_use != 1) {
        vm_reap(vm);
        return;
    }
    if (vm->wait & WAIT_FOR_SOMEBODY)
        return;
    vm->slice_left = (int64_t)(slice_end - tod());
    int used_up = vm->slice_left <= 0;
    if (used_up && !vm->favored)
        vm->queue = 1;
    if (!vm->wait && !vm->queued)
        enqueue(vm, !used_up);
}

/* A machine that gave itself another space (IPL by DIAGNOSE) goes on in it within its turn. */
void space_forget_asce(void)
{
    loaded_asce = running ? running->asce : 0;
    if (loaded_asce)
        load_cr1(&loaded_asce);
}

_Noreturn void dispatch(void)
{
    for (;;) {
        struct vm *vm = pick();
        if (vm)
            run_vm(vm);
        else
            run_idle();
    }
}
