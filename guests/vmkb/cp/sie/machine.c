/* SPDX-License-Identifier: MIT */
/* The life of a machine under SIE (MACHINE Z in the directory): made by IPL, gone by SYSTEM RESET,
 * another IPL or LOGOFF. */
#include "sie.h"
#include "directory.h"
#include "lib.h"
#include "s390.h"

#define MX_ZARCH   0x08
#define M_XA       0x20
#define EC_EXTERNAL_ASSIST 0x80
#define EC_MVPG    0x01
#define EC2_PROTECTION 0x20
#define RCP_BYPASS 0x10
#define RESET_CR0  0x00000000000000e0UL
#define RESET_CR14 0x00000000c2000000UL
#define NO_CPU     0xffff
#define SEGMENTS   2048UL    /* 2 GB: one segment table */
#define PAGES_OF_MB (MB / PAGE_SIZE)
#define TL_ALL     3UL       /* all of the segment table is there */
#define INVALID    0x20UL
#define WORK_BYTES PAGE_SIZE /* for struct sie */

_Static_assert(sizeof(struct sie) <= WORK_BYTES, "struct sie");

static uint64_t table_bytes(uint64_t size)
{
    return SEGMENTS * 8 + size / MB * PAGES_OF_MB * 8;
}

/* The host's tables, by which guest absolute storage is virtual storage from 0 on. */
static uint64_t map(uint64_t *segments, uint64_t size, uint64_t real)
{
    uint64_t *entry = segments + SEGMENTS;

    for (uint64_t i = 0; i < SEGMENTS; i++) {
        segments[i] = i < size / MB ? (uintptr_t)(entry + i * PAGES_OF_MB) : INVALID;
        for (uint64_t k = 0; i < size / MB && k < PAGES_OF_MB; k++)
            entry[i * PAGES_OF_MB + k] = real + i * MB + k * PAGE_SIZE;
    }
    return (uintptr_t)segments | TL_ALL;
}

static void describe(struct state_description *sd, uint64_t size)
{
    memset(sd, 0, sizeof(*sd));
    sd->mx = MX_ZARCH;
    sd->m = M_XA;
    sd->cpu_timer = INT64_MAX;
    sd->comparator = UINT64_MAX;
    sd->ec[0] = EC_EXTERNAL_ASSIST | EC_MVPG;
    sd->ec[2] = EC2_PROTECTION;
    sd->rcpo[2] = RCP_BYPASS;
    sd->limit = size - 1;
    sd->last_cpu = NO_CPU;
    sd->cr[0] = RESET_CR0;
    sd->cr[14] = RESET_CR14;
}

static void devices(struct sie *s)
{
    const struct dir_user *u = directory_find(s->vm->userid);
    const struct dir_device *d;

    if (!u)
        return;
    if (u->flags & DIR_CONSOLE)
        io_add(s, u->console_vaddr, &console_driver);
    for (uint32_t i = 0; (d = directory_device_at(u, i)) != 0; i++)
        if (d->kind == DIR_DEDICATE)
            dedicated_add(s, d->vaddr, d->raddr);
    adapters_add(s);
    disks_add(s);
}

static uint64_t made;

static void typed(struct vm *vm)
{
    console_typed(vm->sie);
}

static bool known(const char *name)
{
    return host_system(name) != 0;
}

/* 0, or the number of the message that says why not. */
static int ipl(struct vm *vm, const char *name, const char *parm)
{
    const struct host_system *h = host_system(name);
    uint64_t size = vm->size & ~(MB - 1), whole = size + table_bytes(size) + WORK_BYTES;
    uint8_t *at;

    if (!h)
        return IPL_NOT_FOUND;
    if (size < host_system_least(h) || size > SEGMENTS * MB)
        return IPL_TOO_SMALL;
    at = host_get(whole);
    if (!at)
        return IPL_NO_STORAGE;
    struct sie *s = (struct sie *)(at + size + table_bytes(size));
    s->vm = vm;
    s->number = ++made;
    s->store = s->whole = at;
    s->size = size;
    s->whole_size = whole;
    describe(&s->sd, size);
    vm->asce = map((uint64_t *)(at + size), size, (uintptr_t)at);
    vm->sie = s;
    vm->typed = typed;
    devices(s);
    host_load(h, s, parm);
    space_forget_asce();
    purge_tlb();
    return 0;
}

static void gone(struct vm *vm)
{
    struct sie *s = vm->sie;

    if (!s)
        return;
    timer_cancel(&s->clock);
    s->waits = 0;            /* what ends from here on does not wake it */
    adapters_gone(s);
    bool quiet = dedicated_quiet(s) & disks_quiet(s);
    sie_forget(s);
    vm->sie = 0;
    vm->typed = 0;
    vm->asce = 0;
    if (quiet)               /* else a device may still write there */
        host_free(s->whole, s->whole_size);
    space_forget_asce();
    purge_tlb();
}

void sie_init(void)
{
    host_storage_init();
    vm_on_ipl_hosted((struct ipl_hosted){known, ipl});
    vm_on_gone(gone);
}
