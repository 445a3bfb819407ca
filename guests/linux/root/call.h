/* SPDX-License-Identifier: MIT */
/* What the kernel is asked for, without a library. */
#ifndef VMKB_CALL_H
#define VMKB_CALL_H

static long call(long number, long a, long b, long c, long d)
{
    register long r1 __asm__("1") = number;
    register long r2 __asm__("2") = a;
    register long r3 __asm__("3") = b;
    register long r4 __asm__("4") = c;
    register long r5 __asm__("5") = d;

    __asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3), "d"(r4), "d"(r5) : "memory", "cc");
    return r2;
}
#endif
