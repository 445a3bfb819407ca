/* SPDX-License-Identifier: MIT */
/* The lists of machines that can run (ready.h): who comes into them and who is taken out. */
#include "ready.h"
#include "s390.h"

struct vm *running;
struct vm *queue_head[2], *queue_tail[2];
uint64_t loaded_asce;

uint32_t dispatch_queue_length(int queue)
{
    uint32_t n = 0;

    for (const struct vm *vm = queue_head[queue]; vm; vm = vm->next)
        n++;
    return n;
}

__attribute__((noinline)) void ready_insert(struct vm *vm, int front)
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

bool ready_others(void)
{
    return queue_head[0] != 0;
}

void ready_second(struct vm *vm)
{
    struct vm *first = queue_head[0];

    vm->queue = 0;
    vm->queued = 1;
    vm->next = first->next;
    first->next = vm;
    if (!vm->next)
        queue_tail[0] = vm;
}

/* A machine that gave itself another space (IPL by DIAGNOSE) goes on in it within its turn. */
void space_forget_asce(void)
{
    loaded_asce = running ? running->asce : 0;
    if (loaded_asce)
        load_cr1(&loaded_asce);
}
