/* SPDX-License-Identifier: MIT */
/* One-instruction inlines. Sections named are of the z/Architecture Principles of Operation. */
#ifndef VMKB_S390_H
#define VMKB_S390_H
#include <stdint.h>

/* STORE CLOCK FAST: bit 51 ticks each microsecond */
static inline uint64_t tod(void)
{
    uint64_t t;
    __asm__ volatile("stckf %0" : "=Q"(t) : : "cc");
    return t;
}

/* STORE CPU TIMER: counts down, 4096 to the microsecond */
static inline int64_t cpu_timer(void)
{
    int64_t t;
    __asm__ volatile("stpt %0" : "=Q"(t));
    return t;
}

static inline void set_clock_comparator(uint64_t t)
{
    __asm__ volatile("sckc %0" : : "Q"(t));
}

/* Hercules' DIAGNOSE X'F08': low 32 bits of the count of instructions (not in the architecture) */
static inline uint32_t instruction_count(void)
{
    register uint64_t r1 __asm__("1");
    __asm__ volatile("diag %0,%0,0xf08(0)" : "=d"(r1));
    return (uint32_t)r1;
}

/* The same with the bytes that instructions moved and summed, which the next register gets of an
 * emulator that counts them; else they are 0. A profiling emulator does what the request asks
 * (acct.h), any other takes no notice of it. */
static inline void instruction_counts(const void *request, uint32_t *count, uint32_t *moved,
                                      uint32_t *summed)
{
    register uint64_t r2 __asm__("2") = 0;
    register uint64_t r3 __asm__("3") = 0;
    if (request)
        __asm__ volatile("diag %0,%2,0xf08(0)" : "+&d"(r2), "+&d"(r3) : "a"(request) : "memory");
    else
        __asm__ volatile("diag %0,%0,0xf08(0)" : "+d"(r2), "+d"(r3) : : "memory");
    *count = (uint32_t)r2;
    *moved = (uint32_t)(r3 >> 32);
    *summed = (uint32_t)r3;
}

static inline void load_cr1(const uint64_t *asce)
{
    __asm__ volatile("lctlg 1,1,%0" : : "Q"(*asce) : "memory");
}

static inline void load_cr6(uint64_t mask)
{
    __asm__ volatile("lctlg 6,6,%0" : : "Q"(mask));
}

/* PURGE TLB, after page tables change */
static inline void purge_tlb(void)
{
    __asm__ volatile("ptlb" : : : "memory");
}

/* INVALIDATE PAGE TABLE ENTRY of that page in that page table, and forget what the TLB has of it */
static inline void invalidate_page(uint64_t *page_table, uint64_t page)
{
    __asm__ volatile("ipte %0,%1" : : "a"(page_table), "a"(page) : "memory");
}

static inline uint64_t store_cpu_id(void)
{
    uint64_t v;
    __asm__ volatile("stidp %0" : "=Q"(v));
    return v;
}

/* Stop for good: a disabled wait whose address says why. Called with anything in any state. */
static inline _Noreturn void disabled_wait(uint64_t code)
{
    struct {
        uint64_t mask, addr;
    } __attribute__((aligned(8))) w = {0x0002000180000000UL, code};
    __asm__ volatile("lpswe %0" : : "Q"(w) : "memory");
    __builtin_unreachable();
}
#endif
