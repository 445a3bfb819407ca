/* SPDX-License-Identifier: MIT */
/* Variables that a host command sets: what is called EXECCOMM on CMS. */
#include "rx.h"

static void set(struct rx *rx, const char *name, uint32_t n, rx_val value)
{
    rx_set(rx, rx_intern(rx, name, n, true), value);
}

/* What is raised for want of room ends here: the command goes on. */
static __attribute__((noinline)) bool guarded(struct rx *rx, const char *name, uint32_t n,
                                              rx_val value)
{
    rx_jmp here;
    rx->catcher = &here;
    if (__builtin_setjmp(here))
        return false;
    set(rx, name, n, value);
    return true;
}

bool rexx_set(struct rexx_env *env, const char *name, uint32_t n, const char *value, uint32_t len)
{
    struct rx *rx = env->asking;

    if (!rx)
        return false;
    rx_jmp *catcher = rx->catcher;
    bool done = guarded(rx, name, n, rx_text(value, len));
    rx->catcher = catcher;
    rx_lend(rx);
    return done;
}
