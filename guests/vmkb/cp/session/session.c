/* SPDX-License-Identifier: MIT */
/* A session: where it is, what the operator reads of it, its end and its going on without a
 * terminal. */
#include "command.h"
#include "lib.h"
#include "spool.h"

#define HUNG_UP_S 900u       /* VM's 15 minutes in which who has lost the line may log on again */

const char *terminal_label(const struct terminal *t, char text[12])
{
    static const char *const kinds[] = {"", "GRAF", "CONS", "LINE"};

    fmt(text, 12, "%s %s", kinds[t->kind], t->name);
    return text;
}

unsigned users_count(void)
{
    unsigned n = 0;

    for (int i = 0; i < VM_MAX; i++)
        n += vms[i].state == VM_HERE;
    return n;
}

const char *vm_where(const struct vm *vm, char text[12])
{
    if (vm->term)
        return terminal_label(vm->term, text);
    return "USER DSC";
}

/* What the operator reads of sessions; "what" is LOGON  AS, LOGOFF AS, RECONNECT or DSCONNECT. */
void session_tell(const char *where, const char *what, const struct vm *vm, unsigned left,
                  const char *after)
{
    operator_say("%s %s %-8s USERS = %03u%s", where, what, vm->userid, left, after);
}

void session_end(struct vm *vm, const char *by)
{
    char line[LINE_MAX], where[12];

    acct_settle();           /* up to now: it is told and punched below */
    if (vm->set & SET_ACNT) {
        connect_line(vm, line, sizeof(line));
        console_line(vm, line, strlen(line), 0);
    }
    time_line("LOGOFF AT", line, sizeof(line));
    if (by)
        fmt(line + strlen(line), sizeof(line) - strlen(line), " BY %s", by);
    console_line(vm, line, strlen(line), 0);
    session_tell(vm_where(vm, where), "LOGOFF AS", vm, users_count() - 1, by ? "  FORCED" : "");
    card_session(vm);
    spool_logoff(vm);
    vm_destroy(vm);
}

/* The machine goes on without a terminal. */
void vm_disconnect(struct vm *vm)
{
    char line[LINE_MAX], where[12];

    if (!vm->term)
        return;
    time_line("DISCONNECT AT", line, sizeof(line));
    console_line(vm, line, strlen(line), 0);
    session_tell(vm_where(vm, where), "DSCONNECT", vm, users_count(), "");
    console_detach(vm);
}

static void forced(void *arg)
{
    acct_change(&acct_system);
    session_end(arg, "SYSTEM");
}

void vm_hung_up(struct vm *vm)
{
    vm_disconnect(vm);
    timer_set(&vm->hung_up, us_now() + HUNG_UP_S * 1000000UL, forced, vm);
}

void terminal_gone(struct terminal *t)
{
    if (t->vm)
        vm_hung_up(t->vm);
    timer_cancel(&t->delay);
    t->kind = TERM_NONE;
}
