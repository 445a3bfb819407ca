/* SPDX-License-Identifier: MIT */
/* The machines that can run, in two lists: 0 holds those that woke from a wait and have used less
 * than a slice since, 1 those that used a whole one. List 0 goes first; the head of list 1 gets its
 * turn when it has waited STARVE_US, so a busy pair of servers cannot keep a computing machine from
 * the CPU for ever. Within a list a smaller SET PRIORITY goes first, equals in turn. For ready.c
 * and dispatch.c. */
#ifndef VMKB_READY_H
#define VMKB_READY_H
#include "defs.h"

#define STARVE_US 40000
#define SLICE ((int64_t)SLICE_US * 4096)
/* then a new slice, in list 0 */
#define WAIT_FOR_SOMEBODY (WAIT_CONSOLE | WAIT_EVENT | WAIT_SLEEP | WAIT_CP)

extern struct vm *queue_head[2], *queue_tail[2];
extern uint64_t loaded_asce;     /* what CR1 has; 0: it has to be loaded */

/* A list that is not empty: front puts it before its equals (it was preempted), else behind
 * them. */
void ready_insert(struct vm *vm, int front);

/* Behind the first one of list 0, whatever their priorities. */
void ready_second(struct vm *vm);

static inline void enqueue(struct vm *vm, int front)
{
    int q = vm->queue;

    vm->queued = 1;
    if (q == 1)
        vm->queue_since = us_now();
    if (queue_head[q])
        ready_insert(vm, front);
    else
        queue_head[q] = queue_tail[q] = vm;
}

/* The machine that goes next, out of its list; 0: none can run. */
static inline struct vm *ready_pick(void)
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
#endif
