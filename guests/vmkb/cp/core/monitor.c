/* SPDX-License-Identifier: MIT */
/* What a monitor program can ask of CP (DIAG_MONITOR): the system, then each machine. Class E. */
#include "monitor.h"
#include "channel.h"
#include "dasd.h"
#include "defs.h"
#include "lib.h"
#include "models.h"

#define FIRST_DASD 0x0100        /* device number of volume 0; the others follow */

static void add(struct usage *sum, const struct usage *more)
{
    sum->time += more->time;
    sum->instr += more->instr;
    sum->moved += more->moved;
    sum->summed += more->summed;
}

static void system_record(struct monitor *m)
{
    struct account all = acct_retired;

    for (int i = 0; i < VM_MAX; i++)
        if (vms[i].state == VM_HERE) {
            m->users++;
            m->connected += vms[i].term != 0;
            add(&all.virt, &vms[i].acct.virt);
            add(&all.cp, &vms[i].acct.cp);
        }
    m->virt = all.virt;
    m->cp = all.cp;
    m->system = acct_system.cp;
    m->idle = acct_idle.virt;
    m->system_us = model_us(&m->system);
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
    m->logon_us = vm->logon_tod;
}

static void device_record(struct monitor_device *m, const struct device *d)
{
    const struct dasd_volume *v = d->devno >= FIRST_DASD ? dasd_volume(d->devno - FIRST_DASD) : 0;

    memset(m, 0, sizeof(*m));
    memset(m->volser, ' ', sizeof(m->volser));
    m->devno = d->devno;
    m->present = d->present;
    m->busy = d->busy;
    m->starts = d->starts;
    if (v) {
        memcpy(m->volser, v->volser, strlen(v->volser));
        m->reads = v->reads;
        m->writes = v->writes;
        m->queue = dasd_queue(d->devno - FIRST_DASD);
    }
}

static long device_records(struct vm *vm, uint64_t buffer)
{
    struct monitor_device *m = vm_ptr(vm, buffer, DEVICES * sizeof(*m));
    const struct device *d;
    int n = 0;

    if (!m)
        return DIAG_EADDR;
    for (; n < DEVICES && (d = device_index(n)) != 0; n++)
        device_record(&m[n], d);
    return n;
}

long monitor_service(struct vm *vm, long index, uint64_t buffer)
{
    struct monitor *m;

    if (!(vm->classes & (1u << 4)))
        return DIAG_EPRIV;
    if (index == MONITOR_DEVICES)
        return device_records(vm, buffer);
    m = vm_ptr(vm, buffer, sizeof(*m));
    if (!m)
        return DIAG_EADDR;
    bool next = index > MONITOR_NEXT && index <= MONITOR_NEXT + VM_MAX;
    long slot = next ? index - MONITOR_NEXT : index;
    if (slot < 0 || slot > VM_MAX)
        return DIAG_ERANGE;
    while (next && slot <= VM_MAX && vms[slot - 1].state != VM_HERE)
        slot++;
    if (slot > VM_MAX || (slot && vms[slot - 1].state != VM_HERE))
        return 0;
    memset(m, 0, sizeof(*m));
    m->now_us = unix_us();
    memcpy(m->model, model_name(), strlen(model_name()) < 8 ? strlen(model_name()) : 8);
    if (slot == 0)
        system_record(m);
    else
        vm_record(m, &vms[slot - 1]);
    m->virt_us = model_us(&m->virt);
    m->total_us = m->virt_us + model_us(&m->cp);
    return next ? slot : 1;
}
