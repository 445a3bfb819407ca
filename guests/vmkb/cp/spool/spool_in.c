/* SPDX-License-Identifier: MIT */
/* A virtual reader: the first file of its class in the queue, page by page, straight to the
 * machine's storage while it waits; and DIAGNOSE X'138'. */
#include "spool.h"
#include "dasd.h"
#include "lib.h"

static void done(struct dasd_request *r)
{
    struct vm *vm = r->vm;

    vm->sio++;
    if (r->result != 0)
        vm->ctx.gr[2] = (uint64_t)(long)r->result;
    if (vm->state != VM_HERE || (vm->wait & WAIT_NOTREADY))
        vm_io_done(vm);
    else
        vm_release(vm, WAIT_IO);
}

/* The file that the device reads: one is chosen if there is none. */
static bool open(struct vm *vm, struct spool_device *d)
{
    struct spool_file *f = 0;

    if (d->in)
        return true;
    while ((f = spool_next(vm->userid, SPOOL_RDR, f)) != 0)
        if (f->state == SPOOL_FILED && !f->e.hold && (d->class == '*' || d->class == f->e.class))
            break;
    if (!f)
        return false;
    f->state = SPOOL_READ;
    d->in = f;
    d->page = 0;
    return true;
}

long spool_read(struct vm *vm, struct spool_device *d, uint64_t buffer, uint64_t len)
{
    uint8_t *to = vm_ptr(vm, buffer, SPOOL_PAGE);

    if (!to || len < SPOOL_PAGE)
        return DIAG_EADDR;
    if (!open(vm, d))
        return DIAG_EBUSY;
    const struct spool_entry *e = &d->in->e;
    if (d->page == e->pages)
        return 0;
    if (!spool_io(false, spool_page(d->in, d->page), to, done, vm, 0))
        return DIAG_ELIMIT;
    vm_hold(vm, WAIT_IO);
    if (++d->page < e->pages)
        return SPOOL_PAGE;
    vm->read += e->records;
    return e->last;
}

static long info(struct vm *vm, struct spool_device *d, uint64_t buffer, uint64_t len)
{
    struct diag_spool *to = vm_ptr(vm, buffer, sizeof(*to));

    if (!to || len < sizeof(*to))
        return DIAG_EADDR;
    if (!open(vm, d))
        return DIAG_EBUSY;
    const struct spool_entry *e = &d->in->e;
    memcpy(to->origin, &e->origin, 8);
    memcpy(to->name, e->name, sizeof(to->name));
    to->created_us = e->created;
    to->records = e->records;
    to->id = e->id;
    to->class = e->class;
    to->copies = e->copies;
    memcpy(to->made_by, maker_names[e->made_by], sizeof(to->made_by));
    memset(to->reserved, 0, sizeof(to->reserved));
    return 0;
}

void spool_close_in(struct vm *vm, struct spool_device *d, bool keep)
{
    struct spool_file *f = d->in;

    d->in = 0;
    if (keep || d->hold) {
        f->state = SPOOL_FILED;
        return;
    }
    spool_purge(f);
    spool_wait(vm);
}

void spool_reset(struct vm *vm)
{
    struct spool_device *d = &vm->spool[DEV_RDR];

    if (d->in)
        spool_close_in(vm, d, true);
}

long spool_service(struct vm *vm, int op, uint16_t vaddr, uint64_t buffer, uint64_t len)
{
    struct spool_device *d = spool_device(vm, vaddr);

    if (!d || d == &vm->spool[DEV_CON] || (d == &vm->spool[DEV_RDR]) != (op != SPOOL_WRITE))
        return DIAG_ENODEV;
    if (op == SPOOL_WRITE) {
        const uint8_t *records = vm_source(vm, buffer, len);
        return records ? spool_write(vm, d, records, len) : DIAG_EADDR;
    }
    if (op == SPOOL_READ_PAGE)
        return spool_read(vm, d, buffer, len);
    return op == SPOOL_INFO ? info(vm, d, buffer, len) : DIAG_EUNKNOWN;
}
