# SPDX-License-Identifier: MIT
# A control program without anything: four guests under SIE, one after the other, and what the
# instruction counter and the clock said around each. Results are at 0x400, four doublewords each:
# the count before and after, the clock before and after; behind them the bytes before and after the
# first guest. z/Architecture; flat image at 0.
#
# The guests have the host's storage, by its primary space, and a prefix area of their own at 0x20000.

    .macro count register               # DIAGNOSE X'F08': the instruction counter
    .insn rs, 0x83000000, \register, %r0, 0xf08
    .endm
    .macro bytes at                     # that were moved (high half) and summed
    count %r10
    stg   %r11, \at
    .endm
    .macro before phase                 # ST and SIE follow this count
    stck  0x410 + 32 * \phase
    count %r11
    st    %r11, 0x404 + 32 * \phase
    .endm
    .macro after phase                  # STCK comes before this count
    stck  0x418 + 32 * \phase
    count %r11
    st    %r11, 0x40c + 32 * \phase
    .endm
    .macro intercepted                  # a guest's last instruction
    .insn rs, 0x83000000, %r0, %r0, 0x500
    .endm

    .equ  siebk, 0x10000
    .text
    .long 0x00080000, 0x80000000 + start
    .org  0x1b0
    .quad 0x0000000180000000, interrupted
    .quad 0x0002000180000000, 0x1c0     # nothing else is expected
    .quad 0x0002000180000000, 0x1d0
    .quad 0x0002000180000000, 0x1e0
    .quad 0x0002000180000000, 0x1f0

    .org  0x600
controls:
    .quad 0x00000000000408e0            # AFP registers, clock comparator
    .quad 0x0000000000000020            # the primary space is real storage
millisecond:
    .quad 1000 << 12
never:
    .quad -1
done:
    .quad 0x0002000180000000, 0
failed_psw:
    .quad 0x0002000180000000, 0xbad
counted_psw:
    .quad 0x0000000180000000, counted
loops_psw:
    .quad 0x0000000180000000, loops
timed_psw:
    .quad 0x0100000180000000, loops
waits_psw:
    .quad 0x0102000180000000, 0

    .org  0x1000
start:
    lhi   %r3, 1                        # z/Architecture
    lhi   %r4, 0
    sigp  %r2, %r4, 0x12
    sam64
    lctlg %c0, %c1, controls
    sckc  never
    llilh %r15, siebk >> 16

    # 0: a known number of instructions.
    mvc   0x90(16, %r15), counted_psw
    bytes 0x480
    before 0
    .insn s, 0xb2140000, 0(%r15)
    after 0
    bytes 0x488

    # 1: the host's clock comparator interrupts a guest that loops.
    mvc   0x90(16, %r15), loops_psw
    stck  0x500
    lg    %r13, 0x500
    ag    %r13, millisecond
    stg   %r13, 0x508
    before 1
    sckc  0x508
    stosm 0x510, 0x01
    .insn s, 0xb2140000, 0(%r15)
    j     failed                        # only an interruption comes out of that guest
interrupted:
    after 1
    sckc  never

    # 2: the guest's own CPU timer interrupts it.
    mvc   0x90(16, %r15), timed_psw
    mvc   0x28(8, %r15), millisecond
    before 2
    .insn s, 0xb2140000, 0(%r15)
    after 2

    # 3: the same, and the guest waits meanwhile, by the wait-state assist.
    mvc   0x90(16, %r15), waits_psw
    mvc   0x28(8, %r15), millisecond
    oi    0x4c(%r15), 0x20
    before 3
    .insn s, 0xb2140000, 0(%r15)
    after 3

    lpswe done
failed:
    lpswe failed_psw

    # 1 + 5 * 1000 + SVC and its way back + EXECUTE with its target + the intercepted one
    .org  0x2000                        # a guest's own lowest 8 KB are its prefix area
counted:
    lhi   %r1, 1000
again:
    ahi   %r2, 1
    j     far
back:
    brct  %r1, again
    svc   1
    exrl  %r0, target
    intercepted
target:
    mvc   0x518(24), 0x530
loops:
    j     loops

    .org  0x3800                        # in another page
far:
    ahi   %r3, 1
    j     back

    # the guests' state description
    .org  siebk + 0x02
    .byte 0x08, 0x20                    # z/Architecture
    .long 0x20000                       # prefix
    .org  siebk + 0x28
    .quad -1 >> 1, -1                   # CPU timer, clock comparator
    .org  siebk + 0x4c
    .byte 0x80                          # external interruptions are the guest's own
    .org  siebk + 0x62
    .byte 0x10                          # the host keeps no reference and change bits
    .org  siebk + 0x88
    .quad 0xf00000                      # 16 MB
    .org  siebk + 0x100
    .quad 0x00000000000004e0            # CR0: CPU timer
    .org  siebk + 0x170
    .quad 0xc2000000                    # CR14

    # the guests' prefix area: real storage of these 8 KB is absolute 0, as 0 is here
    .org  0x20000 + 0x1b0
    .quad 0x0000000180000000, guest_interrupted
    .quad 0x0000000180000000, guest_called
    .quad 0x0002000180000000, 0x21d0
    .org  0x22000
guest_interrupted:
    intercepted
guest_called:
    lpswe 0x140
