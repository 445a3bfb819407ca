/* SPDX-License-Identifier: MIT */
/* DIAG_GMS: what a program in a machine may ask of gms_net (gms_diag.h). */
#include "gms_cp.h"
#include "defs.h"
#include "lan.h"
#include "lib.h"

#define SERVERS 0x1f             /* privilege classes A to E */

static struct counted stored[GMS_STORED];
static struct counted *free_stored;
static unsigned stored_made;
static struct counted *spare; /* with pages: to find some takes longer than to send them */
static unsigned spares;

static void stored_gone(struct counted *c)
{
    if (spares < GMS_SLOTS) {
        spares++;
        c->next = spare;
        spare = c;
        return;
    }
    pages_free(c->at, GMS_PAGES);
    c->next = free_stored;
    free_stored = c;
}

static struct counted *stored_get(void)
{
    if (spare) {
        struct counted *kept = spare;
        spare = kept->next;
        spares--;
        *kept = (struct counted){kept->at, 1, stored_gone, 0};
        return kept;
    }
    struct counted *c = free_stored;
    uint8_t *at = c || stored_made < GMS_STORED ? pages_get(GMS_PAGES) : 0;

    if (!at)
        return 0;
    if (c)
        free_stored = c->next;
    else
        c = &stored[stored_made++];
    *c = (struct counted){at, 1, stored_gone, 0};
    return c;
}

static long put(struct vm *vm, uint32_t file, uint32_t page, uint64_t from, uint64_t bytes)
{
    const void *p = vm_source(vm, from, bytes);

    if (!(vm->classes & SERVERS))
        return DIAG_EPRIV;
    if (bytes != GMS_PAGE && bytes != GMS_PAGES * GMS_PAGE)
        return DIAG_ERANGE;
    if (!p)
        return DIAG_EADDR;
    struct counted *of = stored_get();
    if (!of)
        return DIAG_ELIMIT;
    memcpy(of->at, p, bytes);
    if (gms_store(gms, file, page, of, (unsigned)(bytes / GMS_PAGE), vm))
        return 0;
    counted_let(of);
    return DIAG_ELIMIT;
}

static long says(struct vm *vm, uint32_t file, uint64_t name)
{
    const char *p = vm_source(vm, name, 8);
    char node[9];
    uint8_t mac[6];

    if (!(vm->classes & SERVERS))
        return DIAG_EPRIV;
    if (!p)
        return DIAG_EADDR;
    name_string(node, p);
    lan_name_address(node, mac);
    return gms_set_place(gms, file, mac, vm) ? 0 : DIAG_ELIMIT;
}

/* The caller's machine wakes when the reply is there. */
static bool woken(struct gms_call *c, void *arg, bool late)
{
    struct vm *vm = c->owner;
    struct gms_user *u = vm->gms;
    const struct gms_parm *p = vm_ptr(vm, (uintptr_t)arg, sizeof(*p));

    (void)late;
    if (u)
        u->last = c->landed;
    if (c->landed != GMS_NOWHERE && p && p->receive == GMS_COPIED) {
        gms_copy_out(u, c, p->buffer);
        gms_slot_free(u, c->landed);
        u->last = GMS_NOWHERE;
    }
    gms_wake(vm, c->status, c->landed);
    return true;
}

/* The slot has what was asked for: the machine wakes if it sleeps for that. */
static bool filled(struct gms_call *c, void *arg, bool late)
{
    struct gms_slot *s = arg;
    struct vm *vm = c->owner;
    struct gms_user *u = vm->gms;

    (void)late;
    s->busy = 0;
    s->status = c->status;
    if (u->awaited == s - u->slot) {
        u->awaited = GMS_NOWHERE;
        gms_wake(vm, s->status, 0);
    }
    return true;
}

static void sleep(struct vm *vm)
{
    vm->event_mask = 0;
    vm_hold(vm, WAIT_EVENT);
}

static struct vm *napping;

static void end_nap(void)
{
    struct vm *vm = napping;

    if (!vm)
        return;              /* it is gone */
    napping = 0;
    acct_change(&vm->acct);
    gms_wake(vm, 0, 0);
}

static long nap(struct vm *vm)
{
    static struct task end = {.run = end_nap};

    if (napping)
        return DIAG_EBUSY;
    napping = vm;
    sleep(vm);
    task_later(&end);
    return 0;
}

static ONE_PIECE long call(struct vm *vm, uint64_t parm, bool await)
{
    const struct gms_parm *p = vm_ptr(vm, parm, sizeof(*p));
    struct gms_user *u = vm->gms;

    if (!p)
        return DIAG_EADDR;
    if (p->pages > GMS_PAGES || p->receive > GMS_COPIED || p->slot >= GMS_SLOTS
        || (p->pages && !u) || (!await && !u))
        return DIAG_ERANGE;
    if (!await && u->slot[p->slot].busy)
        return DIAG_EBUSY;
    if (p->pages && p->receive == GMS_COPIED && !vm_ptr(vm, p->buffer, GMS_FRAME))
        return DIAG_EADDR;
    struct gms_call *c = gms_call_for(vm, p);
    if (!c)
        return DIAG_EBUSY;
    if (u && await && u->last != GMS_NOWHERE) {
        if (u->last >= GMS_SOLICITED)
            gms_slot_free(u, u->last);
        u->last = GMS_NOWHERE;
    }
    if (p->pages && (!await || p->receive == GMS_TO_SLOT))
        gms_aim(c, u, p->slot);
    if (await) {
        gms_then(c, woken, (void *)(uintptr_t)parm);
        sleep(vm);
    } else {
        u->slot[p->slot].busy = 1;
        gms_then(c, filled, &u->slot[p->slot]);
    }
    gms_call_start(gms, c);
    return 0;
}

/* The machine's bytes go with the request; it goes on, and may use their storage again. */
static long write(struct vm *vm, uint64_t parm)
{
    const struct gms_parm *p = vm_ptr(vm, parm, sizeof(*p));
    struct gms_user *u = vm->gms;

    if (!p)
        return DIAG_EADDR;
    if (!p->pages || p->pages > GMS_PAGES || p->slot >= GMS_SLOTS || !u)
        return DIAG_ERANGE;
    if (u->slot[p->slot].busy)
        return DIAG_EBUSY;
    const void *from = vm_source(vm, p->buffer, p->pages * GMS_PAGE);
    if (!from)
        return DIAG_EADDR;
    struct counted *of = stored_get();
    if (!of)
        return DIAG_ELIMIT;
    struct gms_call *c = gms_call_for(vm, p);
    if (!c) {
        counted_let(of);
        return DIAG_EBUSY;
    }
    memcpy(of->at, from, p->pages * GMS_PAGE);
    gms_carry(c, of, p->pages);
    c->request.message.want = 0;
    u->slot[p->slot].busy = 1;
    gms_then(c, filled, &u->slot[p->slot]);
    gms_call_start(gms, c);
    return 0;
}

static long await_slot(struct vm *vm, uint64_t slot)
{
    struct gms_user *u = vm->gms;

    if (!u || slot >= GMS_SLOTS)
        return DIAG_ERANGE;
    if (!u->slot[slot].busy)
        return u->slot[slot].status;
    u->awaited = (uint16_t)slot;
    sleep(vm);
    return 0;
}

static long open(struct vm *vm)
{
    return vm->gms || gms_user_open(vm) ? 0 : DIAG_ELIMIT;
}

static long free_slot(struct vm *vm, uint64_t slot)
{
    struct gms_user *u = vm->gms;

    if (!u || slot >= GMS_SLOTS)
        return DIAG_ERANGE;
    if (u->slot[slot].busy)
        return DIAG_EBUSY;
    gms_slot_free(u, (unsigned)slot);
    return 0;
}

long gms_service(struct vm *vm, int op, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    if (!gms_start())
        return ctca_there() ? DIAG_ELIMIT : DIAG_ENODEV;
    switch (op) {
    case GMS_OPEN:  return open(vm);
    case GMS_CALL:  return call(vm, a, true);
    case GMS_RUN:   return gms_run(vm, a);
    case GMS_START: return call(vm, a, false);
    case GMS_AWAIT: return await_slot(vm, a);
    case GMS_FREE:  return free_slot(vm, a);
    case GMS_PUT:   return put(vm, (uint32_t)a, (uint32_t)b, c, d);
    case GMS_SAYS:  return says(vm, (uint32_t)a, b);
    case GMS_NAP:   return nap(vm);
    case GMS_WRITE: return write(vm, a);
    default:        return DIAG_EUNKNOWN;
    }
}

void gms_vm_gone(struct vm *vm)
{
    if (!gms)
        return;
    if (napping == vm)
        napping = 0;
    gms_forget(gms, vm);
    gms_runs_forget(vm);
    if (vm->gms)
        gms_user_close(vm->gms);
}
