/* SPDX-License-Identifier: MIT */
#include "smsg.h"
#include "lib.h"

int smsg_put(struct vm *vm, const char *from, const char *text, size_t len)
{
    if (vm->smsg_count == SMSG_MAX)
        return DIAG_ELIMIT;
    struct smsg *m = &vm->smsg[(vm->smsg_head + vm->smsg_count++) % SMSG_MAX];
    fmt(m->from, sizeof(m->from), "%s", from);
    m->text.len = (uint16_t)(len < LINE_MAX ? len : LINE_MAX);
    memcpy(m->text.text, text, m->text.len);
    vm_event(vm, EV_SMSG);
    return 0;
}

bool smsg_take(struct vm *vm, struct event *e)
{
    if (!vm->smsg_count)
        return false;
    const struct smsg *m = &vm->smsg[vm->smsg_head];
    memset(e->from, ' ', sizeof(e->from));
    memcpy(e->from, m->from, strlen(m->from));
    e->text_len = m->text.len;
    memcpy(e->text, m->text.text, m->text.len);
    vm->smsg_head = (uint8_t)((vm->smsg_head + 1) % SMSG_MAX);
    vm->smsg_count--;
    return true;
}
