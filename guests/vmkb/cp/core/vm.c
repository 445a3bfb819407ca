/* SPDX-License-Identifier: MIT */
/* The machines that there are, what happens to them, and who is told when the program in one is
 * gone. */
#include "defs.h"
#include "lib.h"

struct vm vms[VM_MAX];

struct vm *vm_find(const char *userid)
{
    for (int i = 0; i < VM_MAX; i++)
        if (vms[i].state == VM_HERE && strcmp(vms[i].userid, userid) == 0)
            return &vms[i];
    return 0;
}

static void (*gone[VM_GONE_MAX])(struct vm *vm);
static void (*event_ready)(struct vm *vm);

/* Called at IPL: one too many is a mistake of CP's. */
void vm_on_gone(void (*handler)(struct vm *vm))
{
    for (unsigned i = 0; i < VM_GONE_MAX; i++)
        if (!gone[i]) {
            gone[i] = handler;
            return;
        }
    cp_stop(0x90e);
}

void vm_gone(struct vm *vm)
{
    for (unsigned i = 0; i < VM_GONE_MAX && gone[i]; i++)
        gone[i](vm);
}

void vm_on_event(void (*handler)(struct vm *vm))
{
    event_ready = handler;
}

/* Mark events and, if the machine waits for one of them, let it run: who was named to vm_on_event
 * gives it the event. */
void vm_event(struct vm *vm, uint32_t ev)
{
    vm->events |= ev;
    if (vm_waits(vm, ev))
        event_ready(vm);
}

void event_told(struct vm *vm, uint32_t type)
{
    vm->events &= ~EV_TIMER;
    vm->event->type = type;
    vm->ctx.gr[2] = type;
    vm_release(vm, WAIT_EVENT);
}
