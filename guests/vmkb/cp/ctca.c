/* SPDX-License-Identifier: MIT */
/* The channel-to-channel adapters: see docs/wire.md. */
#include "defs.h"

void ctca_init(void)
{
}

long ctca_op(struct vm *vm, int op, uint64_t buffer, uint64_t len)
{
    (void)vm;
    (void)op;
    (void)buffer;
    (void)len;
    return DIAG_ENODEV;
}

int32_t ctca_result(struct vm *vm, int op)
{
    (void)vm;
    (void)op;
    return DIAG_ENODEV;
}

void ctca_vm_gone(struct vm *vm)
{
    (void)vm;
}
