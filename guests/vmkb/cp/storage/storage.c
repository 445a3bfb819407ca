/* SPDX-License-Identifier: MIT */
/* Real storage in 4 KB pages, and the address spaces of machines. A machine's private storage is
 * one run of real pages, so CP turns a virtual address into a real one by adding: no table walk on
 * the paths that copy. The tables the CPU uses are built once, at logon or IPL. Tables: one segment
 * table (512 entries, 512 MB) and a page table per megabyte (Principles of Operation, "Dynamic
 * Address Translation"). */
#include "command.h"
#include "defs.h"
#include "gms_diag.h"
#include "lib.h"
#include "s390.h"

#define FIRST (DYNAMIC_BASE / PAGE_SIZE)
#define SEG_INVALID  0x20UL
#define PAGE_PROTECT 0x200UL
#define ASCE_LENGTH  0x0UL   /* segment table, TL 0: 512 entries */
#define PT_BYTES     2048    /* 256 entries of 8 */

static uint8_t used[REAL_STORAGE_MAX / PAGE_SIZE];
static uint32_t pages = REAL_STORAGE / PAGE_SIZE, free_pages;

/* IPL may say STORAGE=n, the megabytes that the emulator has, from REAL_STORAGE on. */
void storage_init(void)
{
    char value[8];
    uint32_t mb;

    if (ipl_parm_value("STORAGE", value, sizeof(value)) && cmd_number(value, &mb)
        && mb >= REAL_STORAGE >> 20 && mb <= REAL_STORAGE_MAX >> 20)
        pages = mb * (uint32_t)((1 << 20) / PAGE_SIZE);
    memset(used, 1, FIRST);
    free_pages = pages - FIRST;
}

uint32_t pages_free_count(void)
{
    return free_pages;
}

uint32_t pages_total(void)
{
    return pages;
}

/* The first page from i on that is not in that state. */
static uint32_t other(uint32_t i, uint8_t state)
{
    return (uint32_t)(find_byte(used + i, used + pages, !state) - used);
}

/* The smallest run of free pages that has room. Small machines that come and go would lie in all
 * large ones otherwise, and who needs such a one, TCPIP above all, could not come back. */
static uint32_t best_run(uint32_t wanted)
{
    uint32_t best = 0, size = pages + 1;

    for (uint32_t i = other(FIRST, 1), end; i < pages && size > wanted; i = other(end, 1)) {
        end = other(i, 0);
        if (end - i >= wanted && end - i < size) {
            best = i;
            size = end - i;
        }
    }
    return best;
}

uint8_t *pages_get(uint32_t count)
{
    uint32_t p = count ? best_run(count) : 0;

    if (!p)
        return 0;
    memset(used + p, 1, count);
    free_pages -= count;
    uint8_t *at = (uint8_t *)(p * PAGE_SIZE);
    memset(at, 0, count * PAGE_SIZE);
    return at;
}

void pages_free(void *at, uint32_t count)
{
    if (!at)
        return;
    memset(used + (uintptr_t)at / PAGE_SIZE, 0, count);
    free_pages += count;
}

/* Page tables for virtual from..to mapped to real (to excluded); bits: PAGE_PROTECT or 0. */
static uint8_t *map(uint64_t *segments, uint8_t *tables, uint64_t from, uint64_t to,
                    const uint8_t *real, uint64_t bits)
{
    for (uint64_t v = from & ~0xfffffUL; v < to; v += 0x100000) {
        uint64_t *pt = (uint64_t *)tables;
        for (int i = 0; i < 256; i++) {
            uint64_t page = v + (uint64_t)i * PAGE_SIZE;
            pt[i] = page >= from && page < to
                        ? ((uint64_t)(uintptr_t)real + (page - from)) | bits
                        : PAGE_INVALID;
        }
        segments[v >> 20] = (uintptr_t)pt;
        tables += PT_BYTES;
    }
    return tables;
}

/* Make vm->size bytes of storage and the tables for it and for the text of vm->nss (may be 0). */
int space_create(struct vm *vm, uint64_t size)
{
    uint32_t private_pages = (size - VM_LOW) / PAGE_SIZE;
    uint64_t text = vm->nss ? (vm->nss->text_size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1) : 0;
    uint32_t pts = (uint32_t)((size + 0xfffff) >> 20) + (uint32_t)((text + 0xfffff) >> 20);
    uint32_t table_pages = 1 + (pts * PT_BYTES + PAGE_SIZE - 1) / PAGE_SIZE;

    vm->store = pages_get(private_pages);
    if (!vm->store)
        return DIAG_ELIMIT;
    vm->tables = (uint64_t *)pages_get(table_pages);
    if (!vm->tables) {
        pages_free(vm->store, private_pages);
        vm->store = 0;
        return DIAG_ELIMIT;
    }
    vm->table_pages = table_pages;
    vm->size = size;
    vm->span = size - VM_LOW;
    for (int i = 0; i < 512; i++)
        vm->tables[i] = SEG_INVALID;
    uint8_t *next = map(vm->tables, (uint8_t *)vm->tables + PAGE_SIZE, VM_LOW, size, vm->store, 0);
    if (text)
        map(vm->tables, next, VM_TEXT, VM_TEXT + text, (const uint8_t *)vm->nss, PAGE_PROTECT);
    vm->asce = (uintptr_t)vm->tables | ASCE_LENGTH;
    space_forget_asce();
    purge_tlb();
    return 0;
}

/* The megabyte at VM_WINDOW is as that page table says; 0: there is nothing. */
void space_window(struct vm *vm, uint64_t *page_table)
{
    if (!vm->tables)
        return;
    vm->tables[VM_WINDOW >> 20] = page_table ? (uintptr_t)page_table : SEG_INVALID;
    purge_tlb();
}

void space_destroy(struct vm *vm)
{
    if (vm->store) {
        pages_free(vm->store, (vm->size - VM_LOW) / PAGE_SIZE);
        pages_free(vm->tables, vm->table_pages);
    }
    vm->store = 0;
    vm->span = 0;
    vm->tables = 0;
    vm->asce = 0;
    space_forget_asce();
    purge_tlb();
}

/* Not in private storage: the program's text, or nothing of the machine's. */
const void *vm_text(struct vm *vm, uint64_t virt, uint64_t len)
{
    uint64_t off = virt - VM_TEXT;

    if (!vm->nss || off >= vm->nss->text_size || len > vm->nss->text_size - off)
        return 0;
    return (const uint8_t *)vm->nss + off;
}
