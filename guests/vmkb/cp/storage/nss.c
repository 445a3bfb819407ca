/* SPDX-License-Identifier: MIT */
/* Named systems: programs that the .ins file loaded beside CP. Their text is shared, read only, by
 * all machines that IPL them; each machine gets its own copy of the data. */
#include "defs.h"
#include "ctype.h"
#include "lib.h"

/* DAT, I/O and external on, machine checks, problem state */
#define PSW_MACHINE 0x0705000180000000UL

static const struct nss *systems[NSS_MAX];
static int system_count;

void nss_init(void)
{
    for (uint64_t at = NSS_BASE; at < DYNAMIC_BASE; at += NSS_STEP) {
        const struct nss *n = (const struct nss *)at;
        if (n->magic == NSS_MAGIC && system_count < NSS_MAX)
            systems[system_count++] = n;
    }
}

const struct nss *nss_index(int i)
{
    return i < system_count ? systems[i] : 0;
}

static const struct nss *exactly(const char *name)
{
    char padded[9];

    fmt(padded, sizeof(padded), "%-8.8s", name);
    for (int i = 0; i < system_count; i++)
        if (memcmp(systems[i]->name, padded, 8) == 0)
            return systems[i];
    return 0;
}

/* A system may be there in levels, NAMEnnn: the IPL parameter NAME=nnn chooses, else the last one
 * loaded. */
const struct nss *nss_find(const char *name)
{
    const struct nss *n = exactly(name);
    char level[9], with_level[20];
    size_t len = strlen(name);

    if (n)
        return n;
    if (ipl_parm_value(name, level, sizeof(level))) {
        fmt(with_level, sizeof(with_level), "%s%s", name, level);
        return exactly(with_level);
    }
    for (int i = system_count - 1; i >= 0 && len < 8; i--)
        if (memcmp(systems[i]->name, name, len) == 0 && is_digit(systems[i]->name[len]))
            return systems[i];
    return 0;
}

/* Give vm the program: storage of vm->size bytes, data, registers. Returns 0 or DIAG_ELIMIT. */
int nss_load(struct vm *vm, const struct nss *n)
{
    vm->nss = n;
    if (n->data_addr + n->data_size + n->bss_size + 0x10000 > vm->size)
        return DIAG_ERANGE;
    if (space_create(vm, vm->size) != 0)
        return DIAG_ELIMIT;
    memcpy(vm->store + (n->data_addr - VM_LOW), (const uint8_t *)n + n->data_offset, n->data_size);
    memset(&vm->ctx, 0, sizeof(vm->ctx));
    vm->ctx.psw.mask = PSW_MACHINE;
    vm->ctx.psw.addr = n->entry;
    vm->ctx.gr[15] = vm->size - 160;
    return 0;
}
