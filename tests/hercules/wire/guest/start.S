/* SPDX-License-Identifier: MIT */
/* IPL, the switch to z/Architecture and the wait for an I/O interruption of the CTC test guest.
   Linked at 0 as a flat image; loaded by a .ins file. */

    .section .lowcore, "a"
    .globl lowcore
lowcore:
    .long 0x00080000, 0x80010000        /* IPL PSW, ESA/390, 31-bit, to _start */
    .org 0x1a0
    .quad 0x0002000180000000, 0x1a0     /* restart: disabled wait, the code is the offset */
    .quad 0x0002000180000000, 0x1b0     /* external: never enabled */
    .quad 0x0002000180000000, 0x1c0     /* SVC: never used */
    .quad 0x0002000180000000, 0x1d0     /* program check */
    .quad 0x0002000180000000, 0x1e0     /* machine check */
    .quad 0x0000000180000000, io_entry  /* I/O: only taken inside io_wait */

    .section .start, "ax"
    .globl _start
_start:
    lhi   %r3, 1                        /* parameter 1: z/Architecture */
    lhi   %r4, 0                        /* CPU address 0, this one */
    sigp  %r2, %r4, 0x12
    sam64
    larl  %r1, controls
    lctlg %c0, %c15, 0(%r1)
    larl  %r15, stack_top
    aghi  %r15, -160
    brasl %r14, guest_main
    larl  %r1, stop_psw
    lpswe 0(%r1)

    .globl io_wait
io_wait:                                /* void io_wait(void): returns after one I/O interruption */
    larl  %r1, wait_psw
    lpswe 0(%r1)
io_entry:
    br    %r14

    .section .data
    .balign 8
controls:
    .quad 0, 0, 0, 0, 0, 0
    .quad 0xff000000                    /* CR6: all I/O interruption subclasses */
    .quad 0, 0, 0, 0, 0, 0, 0, 0, 0
wait_psw:
    .quad 0x0202000180000000, 0         /* wait, I/O enabled */
stop_psw:
    .quad 0x0002000180000000, 0xffff

    .section .bss
    .balign 8
    .skip 32768
stack_top:

    .section .note.GNU-stack, "", @progbits
