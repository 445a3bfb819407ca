/* SPDX-License-Identifier: MIT */
/* Absolute 0: the IPL PSW and z/Architecture's new PSWs; 0x10000: the first instructions.
 * Loaded by `ipl vmkb.ins` (Hercules' .ins form), entered in ESA/390 mode with DAT off. */
#include "psa.h"

    .section .lowcore, "a"
    .org 0
    .long 0x00080000, 0x80010000        /* IPL PSW: 31-bit, at 0x10000 */
    .org PSA_RESTART_NEW
    .quad 0x0000000180000000, start64
    .org PSA_EXT_NEW
    .quad 0x0000000180000000, ext_entry
    .org PSA_SVC_NEW
    .quad 0x0000000180000000, svc_entry
    .org PSA_PGM_NEW
    .quad 0x0000000180000000, pgm_entry
    .org PSA_MCK_NEW
    .quad 0x0000000180000000, mck_entry
    .org PSA_IO_NEW
    .quad 0x0000000180000000, io_entry
    .org 0x400

    .section .init, "ax"
    .globl start
start:
    basr %r13,0
0:  lhi %r1,1                           /* operand: z/Architecture, this CPU's PSW too */
    lhi %r0,0
    lhi %r4,0
    sigp %r1,%r4,0x12                   /* SET ARCHITECTURE */
    sam64
    larl %r14,start64
    br %r14
start64:
    larl %r15,stack_top
    aghi %r15,-160
    larl %r1,timer_never
    spt 0(%r1)                          /* both start out pending: put them far away */
    larl %r1,clock_never
    sckc 0(%r1)
    larl %r1,control
    lctlg %c0,%c15,0(%r1)
    xgr %r11,%r11
    brasl %r14,cp_main
    larl %r1,dead
    lpswe 0(%r1)

    .section .rodata
    .balign 8
timer_never: .quad 0x7fffffffffffffff
clock_never: .quad 0xffffffffffffffff
dead:    .quad 0x0002000180000000, 0xdead
control: /* CR0: clock comparator subclass (bit 52) and AFP off; CR6: I/O subclass set in C; CR14 as reset */
    .quad 0x0000000000000800, 0, 0, 0, 0, 0, 0, 0
    .quad 0, 0, 0, 0, 0, 0, 0x00000000c2000000, 0

    .section .stack, "aw", @nobits
    .balign 16
    .skip 32768
stack_top:
