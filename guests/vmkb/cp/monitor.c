/* SPDX-License-Identifier: MIT */
/* What a monitor program can ask of CP (DIAG_MONITOR): the system, then each machine. Class E. */
#include "monitor.h"
#include "dasd.h"
#include "lib.h"
#include "models.h"

static void system_record(struct monitor *m)
{
    struct account all = acct_retired;

    for (int i = 0; i < VM_MAX; i++)
        if (vms[i].in_use == 1) {
            m->users++;
            all.virt.time += vms[i].acct.virt.time;
            all.virt.instr += vms[i].acct.virt.instr;
            all.cp.time += vms[i].acct.cp.time;
            all.cp.instr += vms[i].acct.cp.instr;
        }
    m->virt = all.virt;
    m->cp = all.cp;
    m->system = acct_system.cp;
    m->idle = acct_idle.virt;
    m->queue[0] = dispatch_queue_length(0);
    m->queue[1] = dispatch_queue_length(1);
    m->pages_total = pages_total();
    m->pages_free = pages_free_count();
    m->mdc_hits = mdc_hits;
    m->mdc_misses = mdc_misses;
    for (int i = 0; device_index(i); i++)
        m->sio += device_starts(i);
}

static void vm_record(struct monitor *m, const struct vm *vm)
{
    memset(m->userid, ' ', 8);
    memcpy(m->userid, vm->userid, strlen(vm->userid));
    m->virt = vm->acct.virt;
    m->cp = vm->acct.cp;
    m->corrections = vm->acct.corrections;
    m->sio = vm->sio;
    m->iucv = vm->iucv_msgs;
    m->console = vm->console_lines;
    m->storage = (uint32_t)(vm->store ? vm->size >> 10 : 0);
    m->wait = vm->wait;
    m->queue[0] = vm->queue;
    m->connected = vm->term != 0;
}

/* index 0: the system; 1..VM_MAX: that slot. Returns 1 filled, 0 slot empty, DIAG_ERANGE past the end. */
long monitor_service(struct vm *vm, long index, uint64_t buffer)
{
    struct monitor *m = vm_ptr(vm, buffer, sizeof(*m));

    if (!(vm->classes & (1u << 4)))
        return DIAG_EPRIV;
    if (!m)
        return DIAG_EADDR;
    if (index < 0 || index > VM_MAX)
        return DIAG_ERANGE;
    memset(m, 0, sizeof(*m));
    m->now_us = unix_us();
    memcpy(m->model, model_name(), strlen(model_name()) < 8 ? strlen(model_name()) : 8);
    if (index == 0) {
        system_record(m);
        return 1;
    }
    if (vms[index - 1].in_use != 1)
        return 0;
    vm_record(m, &vms[index - 1]);
    m->virt_us = model_us(&m->virt);
    m->total_us = m->virt_us + model_us(&m->cp);
    return 1;
}
