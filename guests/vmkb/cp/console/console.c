/* SPDX-License-Identifier: MIT */
/* A machine's virtual console: lines out to its terminal (or to its secondary user when
 * disconnected), lines in to the program that reads, or to CP when the machine is stopped at CP
 * READ. */
#include <stdarg.h>
#include "defs.h"
#include "ctype.h"
#include "lib.h"
#include "terminal.h"

#define ROOM 24              /* lines a CP answer may need at once */
#define SAID_BY 10           /* characters before what a disconnected machine says: its userid */

static void (*keep_line)(struct vm *vm, const char *text, size_t len);

void console_on_line(void (*keep)(struct vm *vm, const char *text, size_t len))
{
    keep_line = keep;
}

bool console_room(struct vm *vm)
{
    return !vm->term || vm->term->ops->room(vm->term, ROOM);
}

static void to_secondary(struct vm *vm, const char *text, size_t len)
{
    struct vm *s = vm->secuser[0] ? vm_find(vm->secuser) : 0;
    char line[LINE_MAX];

    if (!s || !s->term || s == vm)
        return;
    memset(line, ' ', SAID_BY);
    memcpy(line, vm->userid, strlen(vm->userid));
    line[SAID_BY - 2] = ':';
    if (len > sizeof(line) - 1 - SAID_BY)
        len = sizeof(line) - 1 - SAID_BY;
    memcpy(line + SAID_BY, text, len);
    console_line(s, line, SAID_BY + len, 0);
}

void console_line(struct vm *vm, const char *text, size_t len, int flags)
{
    if (vm->keep_console)
        keep_line(vm, text, len);
    if (vm->term)
        vm->term->ops->write(vm->term, text, len, flags);
    else
        to_secondary(vm, text, len);
}

void console_say(struct vm *vm, const char *f, ...)
{
    char text[LINE_MAX];
    va_list ap;

    va_start(ap, f);
    size_t n = vfmt_kept(text, sizeof(text), f, ap);
    va_end(ap);
    console_line(vm, text, n, 0);
}

void console_mode(struct vm *vm)
{
    if (!vm->term)
        return;
    int mode = vm->wait & WAIT_SLEEP                  ? TMODE_RUNNING
               : console_wants_cp(vm)                 ? TMODE_CPREAD
               : vm->wait & WAIT_CONSOLE            ? TMODE_VMREAD
                                                    : TMODE_RUNNING;
    vm->term->ops->mode(vm->term, mode, mode != TMODE_CPREAD && vm->console_hidden);
}

bool console_wants_cp(struct vm *vm)
{
    return vm->cp_mode || (vm->wait & (WAIT_CP | WAIT_NOTREADY)) != 0;
}

static size_t give(struct vm *vm, uint64_t buffer, uint64_t max, const char *text, size_t len)
{
    char *to = vm_ptr(vm, buffer, max);

    if (!to)
        return 0;
    if (len > max)
        len = max;
    memcpy(to, text, len);
    return len;
}

long console_read(struct vm *vm, uint64_t buffer, uint64_t max, int flags)
{
    if (vm->stack_count) {
        struct line *l = &vm->stacked[vm->stack_head];
        size_t n = give(vm, buffer, max, l->text, l->len);
        vm->stack_head = (uint8_t)((vm->stack_head + 1) % VM_STACKED);
        vm->stack_count--;
        if (vm->term && vm->term->ops->accept)
            vm->term->ops->accept(vm->term);
        return (long)n;
    }
    uint8_t was_hidden = vm->console_hidden;
    vm->console_hidden = (flags & READ_HIDDEN) != 0;
    if (flags & READ_NOWAIT) {
        if (vm->console_hidden != was_hidden)
            console_mode(vm);
        return DIAG_EBUSY;
    }
    vm->read_buffer = buffer;
    vm->read_len = max;
    vm_hold(vm, WAIT_CONSOLE);
    console_mode(vm);
    return 0;
}

/* HX, HI, HT and RT stop or mute a program that runs; to one that reads they are ordinary lines. */
static int immediate(const char *text, size_t len)
{
    if (len != 2 || (to_upper(text[0]) != 'H' && to_upper(text[0]) != 'R'))
        return 0;
    char a = to_upper(text[0]), b = to_upper(text[1]);
    if (a == 'R')
        return b == 'T' ? ATTN_RT : 0;
    return b == 'X' ? ATTN_HX : b == 'T' ? ATTN_HT : b == 'I' ? ATTN_HI : 0;
}

/* What is typed stands in the console's spool file as what is shown does; passwords do not. */
void console_keep(struct vm *vm, const char *text, size_t len)
{
    if (vm->keep_console && !vm->console_hidden)
        keep_line(vm, text, len);
}

/* A line typed for the program. False when no more can be typed ahead. */
bool console_input(struct vm *vm, const char *text, size_t len)
{
    console_keep(vm, text, len);
    if (vm->wait & WAIT_CONSOLE) {
        vm->ctx.gr[2] = give(vm, vm->read_buffer, vm->read_len, text, len);
        vm->console_hidden = 0;
        vm_release(vm, WAIT_CONSOLE);
        console_mode(vm);
        return true;
    }
    int imm = vm->console_hidden || vm->typed ? 0 : immediate(text, len);
    if (imm) {
        vm->attention = (uint8_t)imm;
        vm_event(vm, EV_ATTN);
        return true;
    }
    if (vm->stack_count == VM_STACKED)
        return false;
    struct line *l = &vm->stacked[(vm->stack_head + vm->stack_count) % VM_STACKED];
    l->len = (uint16_t)(len < LINE_MAX ? len : LINE_MAX);
    memcpy(l->text, text, l->len);
    vm->stack_count++;
    if (vm->console_hidden) {
        vm->console_hidden = 0;
        console_mode(vm);
    }
    if (vm->typed)
        vm->typed(vm);
    vm_event(vm, EV_CONSOLE);
    vm->events &= ~EV_CONSOLE; /* told by the count of lines, not by the bit */
    return true;
}

/* Attention, or CP alone: the machine stops in CP READ, unless SET RUN ON lets it go on
 * meanwhile. */
void console_to_cp(struct vm *vm)
{
    if (vm->set & SET_RUN)
        vm->cp_mode = 1;
    else
        vm_hold(vm, WAIT_CP);
    console_mode(vm);
}

void console_attach(struct vm *vm, struct terminal *t)
{
    vm->term = t;
    t->vm = vm;
    vm_event(vm, EV_SCREEN); /* a program that draws the whole screen has a new one */
    console_mode(vm);
}

void console_detach(struct vm *vm)
{
    struct terminal *t = vm->term;

    if (!t)
        return;
    vm->term = 0;
    vm->cp_mode = 0;
    t->vm = 0;
    t->not_shown = 0;
    t->ops->reset(t);
    vm_release(vm, WAIT_OUTPUT);
}
