/* SPDX-License-Identifier: MIT */
/* Chains of calls for GMS_RUN: each reply's continuation starts the next call, and no machine is
 * involved until the last one is done. */
#include "gms_cp.h"
#include "defs.h"
#include "lan.h"
#include "lib.h"

/* Who works on a run's window holds its lock. A continuation may try it, and not wait for it. */
struct lock {
    const void *holder;          /* 0: nobody */
};

static bool lock_try(struct lock *l, const void *who)
{
    if (l->holder)
        return false;
    l->holder = who;
    return true;
}

static void lock_let(struct lock *l)
{
    l->holder = 0;
}

static struct run {
    struct vm *vm;               /* 0: nobody's */
    struct gms_parm p;
    uint64_t parm;               /* where it is in the machine's storage */
    uint32_t started, under_way, failed;
    struct lock window;
    struct caller {
        struct run *run;
        struct gms_call *call;
        uint32_t done;
        uint32_t slot;
    } caller[GMS_CALLERS];
} runs[GMS_USERS];

/* The payload's token is that of the slot. */
void gms_aim(struct gms_call *c, const struct gms_user *u, unsigned slot)
{
    unsigned token = gms_token(u, slot);

    c->request.token = gms16(token);
    c->request.key = gms32(gms_arm(gms, token));
}

/* What came unasked to where the caller wanted it. */
bool gms_copy_out(struct gms_user *u, struct gms_call *c, uint64_t buffer)
{
    uint32_t n = gms32(c->reply.want);
    void *to = vm_ptr(u->vm, buffer, n);

    if (!to || n > GMS_FRAME)
        return false;
    memcpy(to, gms_slot_at(u, c->landed), n);
    return true;
}

/* The machine sleeps in its DIAGNOSE: that is over. */
void gms_wake(struct vm *vm, long result, long more)
{
    vm->ctx.gr[2] = (uint64_t)result;
    vm->ctx.gr[3] = (uint64_t)more;
    vm_release(vm, WAIT_EVENT);
}

static gms_continuation replied;

static void next(struct run *r, struct caller *k)
{
    struct gms_call *c = k->call;

    c->request.message.page = gms32(r->p.page + r->started % r->p.span);
    r->started++;
    if (r->p.pages && r->p.receive == GMS_TO_SLOT)
        gms_aim(c, r->vm->gms, k->slot);
    gms_then(c, replied, k);
    gms_call_start(gms, c);
}

static void last_started(struct run *r)
{
    uint32_t least = UINT32_MAX, most = 0;

    for (unsigned i = 0; i < r->p.callers; i++) {
        if (r->caller[i].done < least)
            least = r->caller[i].done;
        if (r->caller[i].done > most)
            most = r->caller[i].done;
    }
    r->p.least = least;
    r->p.most = most;
}

static void over(struct run *r)
{
    struct vm *vm = r->vm;
    struct gms_parm *p = vm_ptr(vm, r->parm, sizeof(*p));

    if (p) {
        p->least = r->p.least;
        p->most = r->p.most;
        p->status = r->p.status;
    }
    r->vm = 0;
    gms_wake(vm, r->failed, 0);
}

/* It needs the run's window, as a kernel's fault handler would its map. With GMS_DEFER the machine
 * holds the window in the interruption, and lets go of it when CP has time for what was late. */
static ONE_PIECE bool replied(struct gms_call *c, void *arg, bool late)
{
    struct caller *k = arg;
    struct run *r = k->run;
    struct gms_user *u = r->vm->gms;

    if (late)
        lock_let(&r->window);
    if (!lock_try(&r->window, k))
        return false;
    if (c->status != GMS_OK) {
        r->failed++;
        if (!r->p.status)
            r->p.status = c->status;
    } else if (c->landed != GMS_NOWHERE && r->p.receive != GMS_TO_SLOT) {
        if (r->p.receive == GMS_COPIED)
            gms_copy_out(u, c, r->p.buffer);
        gms_slot_free(u, c->landed);
    }
    k->done++;
    if (r->started < r->p.count) {
        next(r, k);
        if (r->started == r->p.count)
            last_started(r);
    } else if (--r->under_way == 0) {
        over(r);
    }
    lock_let(&r->window);
    if (r->p.wait == GMS_DEFER)
        lock_try(&r->window, r->vm);
    return true;
}

/* The station of a node: the last one asked for is nearly always the next one too. */
static const uint8_t *station_of(const char name[8])
{
    static char last[8];
    static uint8_t mac[6];

    if (memcmp(last, name, sizeof(last)) != 0) {
        char node[9];
        memcpy(last, name, sizeof(last));
        name_string(node, name);
        lan_name_address(node, mac);
    }
    return mac;
}

struct gms_call *gms_call_for(struct vm *vm, const struct gms_parm *p)
{
    struct gms_call *c = gms_call_get(gms, vm, station_of(p->node));
    if (c)
        c->request.message = (struct gms_message){gms32(p->file), gms32(p->page), gms32(p->pages),
                                                  0};
    return c;
}

/* Records for all callers, or for none. */
static bool get_records(struct run *r)
{
    for (unsigned i = 0; i < r->p.callers; i++) {
        struct gms_call *c = gms_call_for(r->vm, &r->p);
        r->caller[i] = (struct caller){r, c, 0, i};
        if (c)
            continue;
        while (i-- > 0)
            gms_call_give(gms, r->caller[i].call);
        return false;
    }
    return true;
}

long gms_run(struct vm *vm, uint64_t parm)
{
    const struct gms_parm *p = vm_ptr(vm, parm, sizeof(*p));
    struct run *r = 0;

    if (!p)
        return DIAG_EADDR;
    if (p->pages > GMS_PAGES || p->receive > GMS_COPIED || p->count < p->callers || !p->callers
        || p->callers > GMS_CALLERS || !p->span
        || (p->pages && (!vm->gms || p->callers > GMS_SOLICITED))
        || (p->pages && p->receive == GMS_COPIED && !vm_ptr(vm, p->buffer, GMS_FRAME)))
        return DIAG_ERANGE;
    for (unsigned i = 0; i < GMS_USERS && !r; i++)
        if (!runs[i].vm)
            r = &runs[i];
    if (!r)
        return DIAG_EBUSY;
    *r = (struct run){.vm = vm, .p = *p, .parm = parm};
    r->p.status = r->p.least = r->p.most = 0;
    if (!get_records(r)) {
        r->vm = 0;
        return DIAG_EBUSY;
    }
    r->under_way = r->p.callers;
    if (r->p.wait == GMS_DEFER)
        lock_try(&r->window, vm);
    vm->event_mask = 0;
    vm_hold(vm, WAIT_EVENT);
    lan_gather();                /* else the first one goes alone, and stays so */
    for (unsigned i = 0; i < r->p.callers; i++)
        next(r, &r->caller[i]);
    lan_gathered();
    if (r->started == r->p.count)
        last_started(r);
    return 0;
}

void gms_runs_forget(struct vm *vm)
{
    for (unsigned i = 0; i < GMS_USERS; i++)
        if (runs[i].vm == vm)
            runs[i].vm = 0;
}
