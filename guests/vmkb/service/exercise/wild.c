/* SPDX-License-Identifier: MIT */
/* Programs that go wrong, one way each. */
#include "exercise.h"
#include "lib.h"

void exercise_loop(unsigned n)
{
    (void)n;
    say("EXERCISE: LOOPING");
    for (volatile unsigned long i = 0;; i++)
        ;
}

static void touch(uintptr_t address)
{
    volatile char *p = (volatile char *)address;
    say("EXERCISE: READS %lX", address);
    char c = *p;
    say("EXERCISE: IT COULD READ %02X", c);
}

void exercise_low(unsigned n)
{
    (void)n;
    touch(0x1d0);            /* CP's program new PSW */
}

void exercise_other(unsigned n)
{
    (void)n;
    touch(0x00800000);       /* where real storage of other machines begins */
}

void exercise_bad(unsigned n)
{
    (void)n;
    touch(0x7ffff0000000UL);
}

void exercise_writetext(unsigned n)
{
    (void)n;
    say("EXERCISE: WRITES TO ITS SHARED TEXT");
    *(volatile char *)0x10000000UL = 0;
    say("EXERCISE: IT COULD WRITE");
}

void exercise_priv(unsigned n)
{
    (void)n;
    say("EXERCISE: SETS THE CPU TIMER");
    static uint64_t zero;
    __asm__ volatile("spt %0" : : "Q"(zero));
    say("EXERCISE: IT COULD");
}

/* What all machines and CP have executed is not for a machine: the emulator lets CP answer, as for
 * any DIAGNOSE of a machine, and CP knows no such code. */
void exercise_count(unsigned n)
{
    const uint64_t mark = 0x0123456789abcdefUL;
    register uint64_t count __asm__("1") = mark;

    (void)n;
    __asm__ volatile("diag %0,%0,0xf08(0)" : "+d"(count) : : "2", "3", "cc", "memory");
    say(count == mark ? "EXERCISE: READS NO COUNT" : "EXERCISE: IT COULD READ THE COUNT");
}

/* Every bad operand of a minidisk request is answered, none harms. */
void exercise_blocks(unsigned n)
{
    static char page[8192];
    (void)n;
    say("EXERCISE: %ld %ld %ld %ld %ld %ld %ld", diag_block(0x9ff, BLOCK_READ, 0, 1, page),
        diag_block(0x191, 7, 0, 1, page), diag_block(0x191, BLOCK_READ, 0xfffffff0, 1, page),
        diag_block(0x191, BLOCK_READ, 0, 0, page),
        diag_block(0x191, BLOCK_READ, 0, 8, (void *)0x100),
        diag_block(0x191, BLOCK_READ, 0, 2049, page), diag_block(0x191, BLOCK_READ, 0, 1, page));
}
