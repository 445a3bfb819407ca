/* SPDX-License-Identifier: MIT */
/* cp/io/mdisk.c, dasd.c and mdc.c with a volume in storage and a pool of four requests. A line in,
 * a line out:
 *   reset WRITABLE0 WRITABLE1 WRITABLE2    three machines, each with minidisk 191; the cache is on
 *                                          and empty
 *   io VM OP BLOCK COUNT AT                DIAGNOSE X'A8': AT is a block of its storage -> rc held
 *   step BAD                               the channel program that runs ends -> WRITE BLOCK COUNT,
 *                                          or -1
 *   vm VM                                  -> wait GR2
 *   temporary VM                           its minidisk becomes a temporary one, which DEFINE gives
 *                                          -> rc, its first block
 *   reset_vm VM                            SYSTEM RESET: its storage must stay until the request
 *                                          has ended
 *   poke VM AT BYTE, peek VM AT            a block of its storage, all one byte (-1: it is not)
 *   volume BLOCK                           the same of the volume */
#include "../words.h"
#include "param.h"
#undef DASD_REQUESTS
#undef DASD_VOLUMES
#undef MDC_BLOCKS
#undef MDC_HASH
#define DASD_REQUESTS 4
#define DASD_VOLUMES  1
#define MDC_BLOCKS 8
#define MDC_HASH   4
#include "channel.h"
#include "dasd.c"
#undef GROUP
#include "mdc.c"
#include "mdisk.c"
#include "tdisk.c"

#define MACHINES 3
#define BLOCKS   400                     /* of each machine's storage */
#define EXTENT   300                     /* of its minidisk */
#define VOLUME   (8 + MACHINES * EXTENT)

struct vm vms[VM_MAX];
struct account acct_system;
static uint8_t stores[MACHINES][BLOCKS * 512], cache[MDC_BLOCKS * PAGE_SIZE], disk[VOLUME * 512];
static struct device device = {.devno = 0x0100, .present = 1};
static const struct ccw *program;
static unsigned released;

struct device *device_find(uint16_t devno) { return devno == 0x0100 ? &device : 0; }
uint64_t us_now(void) { return 0; }
void wait_for_io(uint64_t until) { (void)until; abort(); }
uint8_t *pages_get(uint32_t pages) { return pages * PAGE_SIZE <= sizeof(cache) ? cache : 0; }
void pages_free(void *p, uint32_t pages) { (void)p, (void)pages; }
bool ipl_parm_value(const char *n, char *v, size_t m) { (void)n, (void)v, (void)m; return false; }
struct acct_now acct_now = {.account = &acct_system};
void vm_hold(struct vm *vm, uint32_t why) { vm->wait |= why; }
void vm_release(struct vm *vm, uint32_t why) { vm->wait &= ~why; }
void vm_io_done(struct vm *vm) { vm->wait &= ~WAIT_IO; released++; }
const void *vm_text(struct vm *vm, uint64_t at, uint64_t n)
{
    (void)vm, (void)at, (void)n;
    return 0;
}

int device_start(struct device *d, const struct ccw *chain)
{
    if (d->busy)
        return 1;
    d->busy = 1;
    program = chain;
    return 0;
}

static void *real(uint32_t at)
{
    return (void *)(uintptr_t)at;
}

/* What a 3370 does with it. A program that leaves its extent or its data is a mistake of CP's. */
static void step(int bad)
{
    const struct extent *e = real(program[0].data);
    const struct locate *l = real(program[1].data);
    const struct ccw *move = &program[2];
    struct irb irb = {.dstat = DSTAT_CHANNEL_END | DSTAT_DEVICE_END | (bad ? DSTAT_UNIT_CHECK : 0)};
    size_t n = (size_t)l->count * 512;

    if (e->last_relative != l->block + l->count - 1 || move->count != n
        || l->block + l->count > VOLUME)
        abort();
    printf("%d %u %u\n", move->cmd == FBA_WRITE, l->block, l->count);
    if (!bad && move->cmd == FBA_WRITE)
        memcpy(disk + (size_t)l->block * 512, real(move->data), n);
    else if (!bad)
        memcpy(real(move->data), disk + (size_t)l->block * 512, n);
    device.busy = 0;
    device.interrupt(&device, &irb, 1);
}

static int uniform(const uint8_t *p)
{
    for (int i = 1; i < 512; i++)
        if (p[i] != p[0])
            return -1;
    return p[0];
}

static void reset(void)
{
    memset(vms, 0, sizeof(vms));
    memset(stores, 0, sizeof(stores));
    memset(drives, 0, sizeof(drives));
    memset(&device, 0, sizeof(device));
    memset(entries, 0, sizeof(entries));
    device.devno = 0x0100;
    free_list = 0;
    hand = 0;
    store = 0;
    for (int i = 0; i < VOLUME; i++)
        memset(disk + (size_t)i * 512, i % 251, 512);
    for (int i = 0; i < MACHINES; i++) {
        vms[i].state = VM_HERE;
        vms[i].store = stores[i];
        vms[i].span = sizeof(stores[i]);
        vms[i].mdisk[0] = (struct mdisk){.vaddr = 0x191, .writable = (uint8_t)number(),
                                         .start = 8 + (uint32_t)i * EXTENT, .blocks = EXTENT};
    }
    tdisk_first = UINT32_MAX;
    dasd_init();
    mdc_set(true);
}

int main(void)
{
    char word[16];

    setvbuf(stdout, 0, _IOLBF, 0);
    while (scanf("%15s", word) == 1) {
        if (strcmp(word, "reset") == 0) {
            reset();
            printf("%d\n", mdc_on);
        } else if (strcmp(word, "step") == 0) {
            int bad = (int)number();
            if (device.busy)
                step(bad);
            else
                puts("-1");
        } else if (strcmp(word, "volume") == 0) {
            printf("%d\n", uniform(disk + (size_t)number() * 512));
        } else {
            struct vm *vm = &vms[number()];
            if (strcmp(word, "io") == 0) {
                int op = (int)number();
                uint32_t block = (uint32_t)number(), count = (uint32_t)number();
                int rc = mdisk_io(vm, 0x191, op, block, count, VM_LOW + (uint64_t)number() * 512);
                printf("%d %d\n", rc, vm->wait & WAIT_IO ? 1 : 0);
            } else if (strcmp(word, "vm") == 0) {
                printf("%u %ld\n", vm->wait, (long)vm->ctx.gr[2]);
            } else if (strcmp(word, "temporary") == 0) {
                struct mdisk *m = vm->mdisk;
                struct vol_area area = {.start = m->start, .blocks = EXTENT};
                tdisk_start(0, &area);
                m->vaddr = 0;
                int rc = tdisk_define(vm, 0x191, EXTENT);
                printf("%d %u\n", rc, m->start);
            } else if (strcmp(word, "reset_vm") == 0) {
                vm->wait |= WAIT_NOTREADY;
                puts("0");
            } else if (strcmp(word, "poke") == 0) {
                uint8_t *p = vm->store + number() * 512;
                memset(p, (int)number(), 512);
                puts("0");
            } else {
                printf("%d\n", uniform(vm->store + number() * 512));
            }
        }
    }
    return 0;
}
