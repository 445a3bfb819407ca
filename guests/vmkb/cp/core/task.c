/* SPDX-License-Identifier: MIT */
/* Work of CP's own that is less urgent than any machine: the dispatcher does it before it waits. */
#include "defs.h"

static struct task *first, **end = &first;

void task_later(struct task *t)
{
    if (t->waits)
        return;
    t->waits = true;
    t->next = 0;
    *end = t;
    end = &t->next;
}

bool task_run(void)
{
    struct task *t = first;

    if (!t)
        return false;
    first = t->next;
    if (!first)
        end = &first;
    t->waits = false;
    t->run();
    acct_change(&acct_system); /* it has said whose work it did */
    return true;
}
