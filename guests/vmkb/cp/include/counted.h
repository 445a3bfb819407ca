/* SPDX-License-Identifier: MIT */
/* Storage that several parts of CP have a hold of: the last one to let go gives it back. */
#ifndef VMKB_COUNTED_H
#define VMKB_COUNTED_H
#include <stdint.h>

struct counted {
    uint8_t *at;
    uint32_t holds;
    void (*gone)(struct counted *c); /* nobody has a hold of it any more */
    struct counted *next;            /* among those that are free, for whom it then belongs to */
};

static inline void counted_hold(struct counted *c)
{
    c->holds++;
}

static inline void counted_let(struct counted *c)
{
    if (--c->holds == 0)
        c->gone(c);
}
#endif
