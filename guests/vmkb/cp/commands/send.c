/* SPDX-License-Identifier: MIT */
/* SEND userid [line]: the secondary user of a disconnected machine types for it. As a line from a
 * terminal it ends SLEEP, and without text it does nothing else. (z/VM's; VM/370 has none.) */
#include "commands.h"
#include "lib.h"

int cmd_send(struct cmd *c)
{
    char word[USERID_WORD];

    if (!cmd_userid(c, "SND", word))
        return 20;
    struct vm *vm = cmd_user(c, "SND", word);
    if (!vm)
        return 45;
    if (vm->term)
        return cmd_error(c, 57, "DMKSND057W %s NOT RECEIVING; NOT DISCONNECTED", vm->userid);
    if (strcmp(vm->secuser, c->vm->userid) != 0)
        return cmd_error(c, 57, "DMKSND057W %s NOT RECEIVING; NOT ITS SECONDARY USER", vm->userid);
    if (vm->wait & WAIT_SLEEP)
        sleep_end(vm);
    if (*c->args && !console_input(vm, c->args, strlen(c->args)))
        return cmd_error(c, 57, "DMKSND057W %s NOT RECEIVING; TOO MANY LINES WAIT", vm->userid);
    return 0;
}
