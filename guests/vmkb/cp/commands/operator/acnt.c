/* SPDX-License-Identifier: MIT */
/* ACNT userid ... | ALL: an accounting card for each machine, its times told to its user unless SET
 * ACNT OFF, and its counters start again (Operator's Guide, ACNT). */
#include "commands.h"
#include "lib.h"

/* The accounts of vm start again from here, after its card is punched (ACNT). */
static void account_reset(struct vm *vm)
{
    vm->acct_base = vm->acct;
    vm->acnt_tod = us_now();
    vm->sio_base = vm->sio;
    vm->punched_base = vm->punched;
    vm->printed_base = vm->printed;
    vm->read_base = vm->read;
}

static void account(struct vm *vm)
{
    char line[LINE_MAX];

    if (vm->set & SET_ACNT) {
        connect_line(vm, line, sizeof(line));
        console_line(vm, line, strlen(line), 0);
    }
    card_session(vm);
    account_reset(vm);
}

int cmd_acnt(struct cmd *c)
{
    char word[USERID_WORD];
    int rc = 0;

    if (!cmd_userid(c, "CPV", word))
        return 20;
    acct_settle();           /* up to now */
    do {
        if (strcmp(word, "ALL") == 0) {
            for (int i = 0; i < VM_MAX; i++)
                if (vms[i].state == VM_HERE)
                    account(&vms[i]);
            continue;
        }
        struct vm *vm = cmd_user(c, "CPV", word);
        if (vm)
            account(vm);
        else
            rc = 45;
    } while (cmd_word(c, word, sizeof(word)));
    return rc;
}
