/* SPDX-License-Identifier: MIT */
/* The life of a virtual machine: made at LOGON, IPLed, ended by itself or by CP, gone at LOGOFF. */
#include "dasd.h"
#include "defs.h"
#include "ctype.h"
#include "directory.h"
#include "lib.h"
#include "terminal.h"
#include "vctc.h"

static void forget_program(struct vm *vm)
{
    timer_cancel(&vm->timer);
    timer_cancel(&vm->sleep);
    vm_gone(vm);
    vm->stack_count = 0;
    vm->events = vm->event_mask = 0;
    vm->attention = 0;
    vm->console_hidden = 0;
}

/* SYSTEM RESET. With a request under way the storage must stay until it has ended: see
 * vm_io_done. */
void vm_reset(struct vm *vm)
{
    forget_program(vm);
    vm_hold(vm, WAIT_NOTREADY);
    vm->wait &= ~(WAIT_CONSOLE | WAIT_EVENT | WAIT_OUTPUT | WAIT_SLEEP | WAIT_SPOOL);
    if (vm->wait & WAIT_IO)
        return;
    space_destroy(vm);
    vm->nss = 0;
}

void vm_ipl_failure(const struct vm *vm, const char *module, char text[LINE_MAX])
{
    static const char not_found[] = "DMK%s044E %s NOT FOUND OR CANNOT BE LOADED";
    static const char too_small[] = "DMK%s435E %s NEEDS MORE STORAGE THAN %luK";
    static const char no_storage[] = "DMK%s436E NO REAL STORAGE FOR %s, %luK ASKED FOR";

    fmt(text, LINE_MAX,
        vm->ipl_error == IPL_TOO_SMALL    ? too_small
        : vm->ipl_error == IPL_NO_STORAGE ? no_storage
                                      : not_found,
        module, vm->ipl_name[0] ? vm->ipl_name : "SYSTEM TO IPL", vm->size >> 10);
}

static struct ipl_hosted hosted;

void vm_on_ipl_hosted(struct ipl_hosted by)
{
    hosted = by;
}

bool ipl_known(uint32_t dir_flags, const char *name)
{
    return dir_flags & DIR_MACHINE_Z ? hosted.known(name) : nss_find(name) != 0;
}

static int nss_ipl(struct vm *vm, const char *name)
{
    const struct nss *n = nss_find(name);
    int rc = n ? nss_load(vm, n) : 0;

    if (rc)
        vm->nss = 0;
    return !n ? IPL_NOT_FOUND : rc == DIAG_ERANGE ? IPL_TOO_SMALL : rc ? IPL_NO_STORAGE : 0;
}

static void load(struct vm *vm)
{
    char why[LINE_MAX];

    vm->ipl_pending = 0;
    if (vm->dir_flags & DIR_MACHINE_Z)
        vm->ipl_error = (uint16_t)hosted.load(vm, vm->ipl_name, vm->ipl_parm);
    else
        vm->ipl_error = (uint16_t)nss_ipl(vm, vm->ipl_name);
    if (vm->ipl_error) {
        vm_ipl_failure(vm, "CFG", why);
        console_say(vm, "%s", why);
        return;
    }
    vm->wait &= ~(WAIT_CP | WAIT_NOTREADY);
    vm->cp_mode = 0;
    vm->queue = 0;
    vm_ready(vm);
    console_mode(vm);
}

/* Returns 0, or -1 when there is no such named system. */
int vm_ipl(struct vm *vm, const char *name, const char *parm)
{
    if (!ipl_known(vm->dir_flags, name)) {
        vm->ipl_error = IPL_NOT_FOUND;
        return -1;
    }
    vm_reset(vm);
    fmt(vm->ipl_name, sizeof(vm->ipl_name), "%s", name);
    fmt(vm->ipl_parm, sizeof(vm->ipl_parm), "%s", parm);
    for (char *p = vm->ipl_parm; *p; p++)
        *p = (char)to_upper(*p);
    vm->ipl_pending = 1;
    if (!(vm->wait & WAIT_IO))
        load(vm);
    return 0;
}

/* An empty machine; 0: VM_MAX are logged on. */
struct vm *vm_create(void)
{
    struct vm *vm = 0;

    for (int i = 0; i < VM_MAX && !vm; i++)
        if (vms[i].state == VM_FREE)
            vm = &vms[i];
    if (!vm)
        return 0;
    memset(vm, 0, sizeof(*vm));
    vm->state = VM_HERE;
    vm->wait = WAIT_NOTREADY;
    vm->set = SET_MSG | SET_WNG | SET_IMSG | SET_ACNT | SET_EMSG;
    vm->logon_tod = vm->acnt_tod = us_now();
    vm->term = 0;
    return vm;
}

static void finish(struct vm *vm)
{
    space_destroy(vm);
    if (vm == running)
        vm->state = VM_GONE;      /* the dispatcher frees the slot when it is done with it */
    else
        vm->state = VM_FREE;
}

/* The dispatcher is done with a machine that logged itself off. */
void vm_reap(struct vm *vm)
{
    if (vm->state == VM_GONE)
        vm->state = VM_FREE;
}

/* LOGOFF's last act; the slot is free again when no request uses the storage. */
void vm_destroy(struct vm *vm)
{
    forget_program(vm);
    vm_hold(vm, WAIT_DEAD);
    vm->state = VM_GOING;
    timer_cancel(&vm->hung_up);
    if (vm->term)
        console_detach(vm);
    acct_retire(&vm->acct);
    dasd_disown(&vm->acct);
    vctc_logoff(vm);
    if (!(vm->wait & WAIT_IO))
        finish(vm);
}

void vm_io_done(struct vm *vm)
{
    vm->wait &= ~WAIT_IO;
    if (vm->state == VM_GOING) {
        finish(vm);
    } else if (vm->wait & WAIT_NOTREADY) {
        space_destroy(vm);
        vm->nss = 0;
        if (vm->ipl_pending)
            load(vm);
    }
}

/* CP ends the program: it alone. The message is VM's for a machine that can not go on. */
void vm_end(struct vm *vm, const char *why)
{
    console_say(vm, "DMKDSP450W CP ENTERED; %s", why);
    forget_program(vm);
    vm_hold(vm, WAIT_CP | WAIT_NOTREADY);
    vm->wait &= ~(WAIT_CONSOLE | WAIT_EVENT | WAIT_OUTPUT | WAIT_SLEEP);
    if (!vm->term)
        operator_say("%-8s DMKDSP450W CP ENTERED; %s", vm->userid, why);
    console_mode(vm);
}
