/* SPDX-License-Identifier: MIT */
/* DIAGNOSE: CP's services for the program in a machine. Arguments in GR2-GR6, result in GR2.
 * One that must wait leaves the machine held; whoever ends the wait puts the result in GR2. One
 * that finds no room for output is repeated: the PSW goes back to the instruction. */
#include "defs.h"
#include "lib.h"
#include "iucv.h"
#include "models.h"
#include "smsg.h"
#include "spool.h"
#include "terminal.h"
#include "vctc.h"

#define ARG(n) (vm->ctx.gr[2 + (n)])

static long d_id(struct vm *vm)
{
    struct diag_id *d = vm_ptr(vm, ARG(0), sizeof(*d));

    if (!d)
        return DIAG_EADDR;
    memset(d, ' ', offsetof(struct diag_id, classes));
    memcpy(d->userid, vm->userid, strlen(vm->userid));
    memcpy(d->account, vm->account, strlen(vm->account));
    memcpy(d->node, system_node, strlen(system_node));
    memcpy(d->system, "VM/KB", 5);
    memcpy(d->ipl_name, vm->ipl_name, strlen(vm->ipl_name));
    memcpy(d->ipl_parm, vm->ipl_parm, strlen(vm->ipl_parm));
    d->classes = vm->classes;
    memset(d->parm, 0, sizeof(d->parm));
    fmt(d->parm, sizeof(d->parm), "%s", ipl_parm);
    return 0;
}

static long d_time(struct vm *vm)
{
    struct diag_time *d = vm_ptr(vm, ARG(0), sizeof(*d));
    char text[24];

    if (!d)
        return DIAG_EADDR;
    date_format(unix_us(), text);    /* mm/dd/yy hh:mm:ss */
    memcpy(d->date, text, 8);
    memcpy(d->time, text + 9, 8);
    d->now_us = unix_us();
    d->virt_us = model_us(&vm->acct.virt);
    d->total_us = d->virt_us + model_us(&vm->acct.cp);
    d->virt_instr = vm->acct.virt.instr;
    d->total_instr = vm->acct.virt.instr + vm->acct.cp.instr;
    return 0;
}

/* The machine waits, and then its DIAGNOSE is done again: GR2 stays its first argument. */
static long vm_retry_diag(struct vm *vm, uint32_t why)
{
    vm->ctx.psw.addr -= 4;
    vm_hold(vm, why);
    return (long)ARG(0);
}

static long d_cpcmd(struct vm *vm)
{
    uint64_t len = ARG(1), max = ARG(3);
    const char *text = vm_source(vm, ARG(0), len);
    char *reply = 0;
    long got = 0;

    if (!text || len > CMD_MAX)
        return DIAG_EADDR;
    if (ARG(2)) {
        reply = vm_ptr(vm, ARG(2), max);
        if (!reply)
            return DIAG_EADDR;
    } else if (!console_room(vm)) {
        return vm_retry_diag(vm, WAIT_OUTPUT);
    }
    long rc = command_diag(vm, text, len, reply, max, &got);
    ARG(1) = (uint64_t)got;
    return rc;
}

static long d_write(struct vm *vm)
{
    uint64_t len = ARG(1);
    const char *text = vm_source(vm, ARG(0), len);

    if (!text || len > 4096)
        return DIAG_EADDR;
    if (!console_room(vm) || !spool_line_room(vm)) {
        return vm_retry_diag(vm, WAIT_OUTPUT);
    }
    vm->console_lines++;
    console_line(vm, text, len, (int)ARG(2));
    return 0;
}

static long d_read(struct vm *vm)
{
    uint64_t max = ARG(1);

    if (!vm_ptr(vm, ARG(0), max))
        return DIAG_EADDR;
    return console_read(vm, ARG(0), max, (int)ARG(2));
}

static inline bool take_iucv(struct vm *vm, struct event *e)
{
    bool took = iucv_take(vm, e);

    if (!iucv_pending(vm))
        vm->events &= ~EV_IUCV;
    e->type = EV_IUCV;
    return took;
}

/* Fill the event that is first in order of urgency; 0 when there is none of those asked for. */
static uint32_t take_event(struct vm *vm, uint32_t mask, struct event *e)
{
    uint32_t have = vm->events & mask;

    if (have == EV_IUCV && take_iucv(vm, e))
        return EV_IUCV;      /* by far the most frequent, alone */
    if (have & EV_ATTN) {
        vm->events &= ~EV_ATTN;
        return e->type = EV_ATTN;
    }
    if (have & EV_CTC) {
        vm->events &= ~EV_CTC;
        if (mask & EV_CTC_BLOCK)
            e->block_len = ctca_op(vm, CTC_READ, e->block, e->block_room);
        return e->type = EV_CTC;
    }
    if (have & EV_CTC_OUT) {
        vm->events &= ~EV_CTC_OUT;
        return e->type = EV_CTC_OUT;
    }
    if ((have & EV_IUCV) && take_iucv(vm, e))
        return EV_IUCV;
    if (have & EV_SMSG) {
        bool took = smsg_take(vm, e);
        if (!vm->smsg_count)
            vm->events &= ~EV_SMSG;
        if (took)
            return e->type = EV_SMSG;
    }
    if (have & EV_LTERM) {
        e->lterm = diag_lterm_next(vm);
        if (e->lterm)
            return e->type = EV_LTERM;
        vm->events &= ~EV_LTERM;
    }
    if (have & EV_SCREEN) {
        vm->events &= ~EV_SCREEN;
        return e->type = EV_SCREEN;
    }
    if ((mask & EV_CONSOLE) && vm->stack_count)
        return e->type = EV_CONSOLE;
    if (have & EV_TIMER) {
        vm->events &= ~EV_TIMER;
        return e->type = EV_TIMER;
    }
    if (have & EV_VCTC) {
        vm->events &= ~EV_VCTC;
        return e->type = EV_VCTC;
    }
    return 0;
}

/* The timer of a wait is left as it is when the wait ends, and may belong to an earlier one: to
 * look at the clock then costs less than to take it out of the list and put it in at each wait. */
static void wait_timeout(void *arg)
{
    struct vm *vm = arg;

    acct_change(&vm->acct);
    if (!vm_waits(vm, EV_TIMER))
        return;
    if (us_now() < vm->wait_until)
        timer_set(&vm->timer, vm->wait_until, wait_timeout, vm);
    else
        vm_event(vm, EV_TIMER);
}

/* Event for mask into *buffer, within timeout microseconds (0: for ever). */
static long wait_event(struct vm *vm, uint32_t mask, uint64_t buffer, uint64_t timeout)
{
    struct event *e = vm_ptr(vm, buffer, sizeof(*e));
    uint32_t got = 0;

    if (!e)
        return DIAG_EADDR;
    if (mask & EV_ANSWER)
        iucv_function(vm, IUCV_REPLY, e->answer);
    vm->events &= ~EV_TIMER; /* of a wait that is over */
    if (mask & EV_SMSG)
        vm->set |= SET_SMSG;   /* who waits for special messages wants them */
    if ((vm->events & mask) || (mask & EV_CONSOLE))
        got = take_event(vm, mask, e);
    if (got)
        return got;
    if (timeout) {
        mask |= EV_TIMER;
        vm->wait_until = us_now() + timeout;
        if (!vm->timer.due || vm->timer.due > vm->wait_until)
            timer_set(&vm->timer, vm->wait_until, wait_timeout, vm);
    }
    vm->event_mask = mask;
    vm->event = e;
    vm_hold(vm, WAIT_EVENT);
    return 0;
}

/* An IUCV function and, when it went well and GR4 names an event, the wait for what comes next. */
static long d_iucv(struct vm *vm)
{
    uint64_t buffer = ARG(2);
    long rc = iucv_function(vm, (int)ARG(0), ARG(1));

    if (!buffer)
        return rc;
    return rc == IUCV_OK ? wait_event(vm, EV_IUCV | (uint32_t)ARG(3), buffer, ARG(4)) : -1000 - rc;
}

/* The answer is given, and then another machine has a turn. True: the DIAGNOSE is done again behind
 * that, without these two. */
static bool gives_way(struct vm *vm, uint32_t mask)
{
    const struct event *e = vm_source(vm, ARG(3), sizeof(*e));

    if (e && (mask & EV_ANSWER))
        iucv_function(vm, IUCV_REPLY, e->answer);
    ARG(0) &= ~((uint64_t)(EV_TURN | EV_ANSWER) << CTC_EVENTS_SHIFT);
    if (!ready_others())
        return false;
    vm->ctx.psw.addr -= 4;
    vm_hold(vm, WAIT_TURN);
    return true;
}

static long d_ctc(struct vm *vm)
{
    uint64_t op = ARG(0) & ((1U << CTC_EVENTS_SHIFT) - 1);

    if (op != CTC_WRITE_THEN_WAIT)
        return ctca_op(vm, (int)ARG(0), ARG(1), ARG(2));
    uint32_t mask = (uint32_t)(ARG(0) >> CTC_EVENTS_SHIFT);
    if (mask & EV_TURN) {
        if (gives_way(vm, mask))
            return (long)ARG(0);
        mask = (uint32_t)(ARG(0) >> CTC_EVENTS_SHIFT);
    }
    if ((mask & EV_BEFORE) && (vm->events & mask) == EV_IUCV && iucv_pending(vm)) {
        long got = wait_event(vm, mask, ARG(3), ARG(4));
        return got == EV_IUCV ? EV_IUCV | CTC_KEPT : got;
    }
    long rc = ctca_op(vm, CTC_WRITE, ARG(1), ARG(2));
    return rc == 0 ? wait_event(vm, mask, ARG(3), ARG(4)) : rc;
}

void diag_event_ready(struct vm *vm)
{
    uint32_t got = take_event(vm, vm->event_mask, vm->event);

    if (got)
        event_told(vm, got);
}

static long d_space(struct vm *vm)
{
    struct diag_space *d = vm_ptr(vm, ARG(0), sizeof(*d));

    if (!d)
        return DIAG_EADDR;
    d->low = VM_LOW;
    d->size = vm->size;
    d->free_from = (vm->nss->data_addr + vm->nss->data_size + vm->nss->bss_size + 15) & ~15UL;
    return 0;
}

static long d_account(struct vm *vm)
{
    uint64_t len = ARG(1);
    const char *text = vm_source(vm, ARG(0), len);

    if (!text || len > 70)
        return len > 70 ? DIAG_ERANGE : DIAG_EADDR;
    return card_user(vm, text, len);
}

static long d_attn(struct vm *vm)
{
    long a = vm->attention;

    vm->attention = 0;
    vm->events &= ~EV_ATTN;
    return a;
}

static long d_diskinfo(struct vm *vm)
{
    struct diag_disk *d = vm_ptr(vm, ARG(1), sizeof(*d));

    return d ? mdisk_info(vm, (uint16_t)ARG(0), d) : DIAG_EADDR;
}

/* A blank-padded name of the caller's, as a string. False: not in its storage. */
static bool given_name(struct vm *vm, uint64_t at, char name[9])
{
    const char *p = vm_source(vm, at, 8);

    if (p)
        name_string(name, p);
    return p != 0;
}

static long d_rights(struct vm *vm)
{
    char userid[9], owner[9];

    if (!(vm->classes & 0x1f))
        return DIAG_EPRIV;
    if (!given_name(vm, ARG(0), userid) || !given_name(vm, ARG(1), owner))
        return DIAG_EADDR;
    return directory_rights(userid, owner, (uint16_t)ARG(2));
}

static long d_end(struct vm *vm)
{
    char text[40];

    fmt(text, sizeof(text), "DISABLED WAIT PSW '00020000 %08lX'", ARG(0));
    vm_end(vm, text);
    return 0;
}

void diag_service(struct vm *vm, int code)
{
    long r;

    switch (code) {
    case DIAG_ID:       r = d_id(vm); break;
    case DIAG_CPCMD:    r = d_cpcmd(vm); break;
    case DIAG_TIME:     r = d_time(vm); break;
    case DIAG_ACCOUNT:  r = d_account(vm); break;
    case DIAG_FULL:     r = full_screen(vm, (int)ARG(0), ARG(1), ARG(2), (int)ARG(3)); break;
    case DIAG_LTERM: r = diag_lterm_service(vm, (int)ARG(0), (long)ARG(1), ARG(2), ARG(3)); break;
    case DIAG_BLOCK:
        r = mdisk_io(vm, (uint16_t)ARG(0), (int)ARG(1), (uint32_t)ARG(2), (uint32_t)ARG(3), ARG(4));
        break;
    case DIAG_WRITE:    r = d_write(vm); break;
    case DIAG_READ:     r = d_read(vm); break;
    case DIAG_WAIT:     r = wait_event(vm, (uint32_t)ARG(0), ARG(1), ARG(2)); break;
    case DIAG_SPACE:    r = d_space(vm); break;
    case DIAG_IUCV:     r = d_iucv(vm); break;
    case DIAG_CTC:      r = d_ctc(vm); break;
    case DIAG_DISKINFO: r = d_diskinfo(vm); break;
    case DIAG_ATTN:     r = d_attn(vm); break;
    case DIAG_MONITOR:  r = monitor_service(vm, (long)ARG(0), ARG(1)); break;
    case DIAG_STACKED:  r = vm->stack_count; break;
    case DIAG_NULL:     r = 0; break;
    case DIAG_AUTHENT:  r = authenticate(vm, ARG(0), ARG(1)); break;
    case DIAG_RIGHTS:   r = d_rights(vm); break;
    case DIAG_GMS:      r = gms_service(vm, (int)ARG(0), ARG(1), ARG(2), ARG(3), ARG(4)); break;
    case DIAG_SPOOL:
        r = spool_service(vm, (int)ARG(0), (uint16_t)ARG(1), ARG(2), ARG(3));
        break;
    case DIAG_VCTC:
        r = vctc_service(vm, (int)ARG(0), (uint16_t)ARG(1), ARG(2), ARG(3));
        break;
    case DIAG_END:      r = d_end(vm); break;
    default:            r = DIAG_EUNKNOWN; break;
    }
    vm->ctx.gr[2] = (uint64_t)r;
}
