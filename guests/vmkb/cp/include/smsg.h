/* SPDX-License-Identifier: MIT */
/* Special messages (SMSG): queued in CP until the target program takes them as events. */
#ifndef VMKB_SMSG_H
#define VMKB_SMSG_H
#include "defs.h"

/* Queue text for vm. Returns 0, or DIAG_ELIMIT when vm has SMSG_MAX not taken. */
int smsg_put(struct vm *vm, const char *from, const char *text, size_t len);
bool smsg_take(struct vm *vm, struct event *e);
#endif
