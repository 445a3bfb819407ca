/* SPDX-License-Identifier: MIT */
/* Minidisk I/O for a machine: checked against its extent, served from the cache, or by channel
 * programs that move data straight between the volume and the machine's storage while it waits. */
#include "dasd.h"
#include "tdisk.h"
#include "lib.h"

struct mdisk *mdisk_find(struct vm *vm, uint16_t vaddr)
{
    for (int i = 0; i < VM_MDISKS; i++)
        if (vm->mdisk[i].vaddr == vaddr && vaddr)
            return &vm->mdisk[i];
    return 0;
}

static void request(struct dasd_request *r, uint32_t block, uint32_t left, uint8_t *data);

static void done(struct dasd_request *r)
{
    struct vm *vm = r->vm;
    struct dasd_request *next;

    vm->sio++;
    if (r->result == 0)
        mdc_note(r->volume, r->block, r->count, r->data, r->write);
    if (r->result == 0 && tdisk_has(r->block))
        r->write ? tdisk_wrote(r->block, r->count) : tdisk_hide(r->block, r->count, r->data);
    if (r->result == 0 && r->left && vm->state == VM_HERE && !(vm->wait & WAIT_NOTREADY)
        && (next = dasd_get()) != 0) {
        *next = *r;
        request(next, r->block + r->count, r->left, r->data + r->count * 512);
        return;
    }
    vm->ctx.gr[2] = (uint64_t)(long)(r->result == 0 && r->left ? DIAG_ELIMIT : r->result);
    if (vm->state != VM_HERE || (vm->wait & WAIT_NOTREADY))
        vm_io_done(vm);
    else
        vm_release(vm, WAIT_IO);
}

static void request(struct dasd_request *r, uint32_t block, uint32_t left, uint8_t *data)
{
    r->block = block;
    r->count = left < DASD_CHAIN ? left : DASD_CHAIN;
    r->left = left - r->count;
    r->data = data;
    r->done = done;
    dasd_start(r);
}

int mdisk_io(struct vm *vm, uint16_t vaddr, int op, uint32_t block, uint32_t count, uint64_t buffer)
{
    struct mdisk *m = mdisk_find(vm, vaddr);

    if (!m)
        return DIAG_ENODEV;
    if (op != BLOCK_READ && op != BLOCK_WRITE)
        return DIAG_EUNKNOWN;
    if (op == BLOCK_WRITE && !m->writable)
        return DIAG_EREADONLY;
    if (count == 0 || count > BLOCK_COUNT_MAX || block >= m->blocks || count > m->blocks - block)
        return DIAG_ERANGE;
    uint8_t *data = vm_ptr(vm, buffer, (uint64_t)count * 512);
    if (!data)
        return DIAG_EADDR;
    vm->bytes_io += (uint64_t)count * 512;
    if (op == BLOCK_READ && mdc_read(m->volume, m->start + block, count, data)) {
        if (tdisk_has(m->start))
            tdisk_hide(m->start + block, count, data);
        return 0;
    }
    struct dasd_request *r = dasd_get();
    if (!r)
        return DIAG_ELIMIT;
    r->volume = m->volume;
    r->write = op == BLOCK_WRITE;
    r->owner = &vm->acct;
    r->vm = vm;
    vm_hold(vm, WAIT_IO);
    request(r, m->start + block, count, data);
    return 0;
}

long mdisk_info(struct vm *vm, uint16_t vaddr, struct diag_disk *out)
{
    struct mdisk *m = mdisk_find(vm, vaddr);

    if (!m)
        return DIAG_ENODEV;
    *out = (struct diag_disk){.blocks = m->blocks, .writable = m->writable, .cached = mdc_on,
                              .owner_vaddr = m->owner_vaddr};
    memcpy(out->owner, m->owner, 8);
    memset(out->volser, ' ', 8);
    memcpy(out->volser, dasd_volume(m->volume)->volser, 6);
    return 0;
}
