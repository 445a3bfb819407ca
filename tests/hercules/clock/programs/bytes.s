# SPDX-License-Identifier: MIT
# What the emulator says of bytes moved and summed around one instruction or a few. Results are at
# 0x400, two doublewords each: the bytes before and after, moved in the high half, summed in the low
# half. z/Architecture; flat image at 0. test_bytes.py knows what each of them is.

    .macro bytes at                     # DIAGNOSE X'F08' to R14 and R15
    .insn rs, 0x83000000, %r14, %r14, 0xf08
    stg   %r15, \at
    .endm
    .set  case, 0
    .macro before
    bytes "0x400 + 16 * case"
    .endm
    .macro after
    bytes "0x408 + 16 * case"
    .set  case, case + 1
    .endm
    .macro pair to, from                # R2 and R4: operands, R3 and R5: their lengths
    larl  %r2, target
    lghi  %r3, \to
    larl  %r4, source
    lghi  %r5, \from
    .endm
    .text
    .long 0x00080000, 0x80000000 + start
    .org  0x1d0
    .quad 0x0002000180000000, 0x1d0     # no program check is expected
    .org  0x600
done:
    .quad 0x0002000180000000, 0

    .org  0x1000
start:
    lhi   %r3, 1                        # z/Architecture
    lhi   %r4, 0
    sigp  %r2, %r4, 0x12
    sam64
    larl  %r12, target
    larl  %r13, source
    # the sources: 4096 letters
    pair  0, 0
    lgr   %r2, %r13
    lghi  %r3, 4096
    lghi  %r8, 0xc1
0:  mvcle %r2, %r4, 0(%r8)
    jo    0b

    before                              # nothing, and registers
    stmg  %r0, %r15, 0x300
    lmg   %r0, %r13, 0x300
    after
    before                              # eight bytes are an instruction's
    mvc   0(8, %r12), 0(%r13)
    after
    before
    mvc   0(9, %r12), 0(%r13)
    after
    before
    mvc   0(256, %r12), 0(%r13)
    after
    before
    xc    0(64, %r12), 0(%r12)
    oc    0(64, %r12), 0(%r13)
    nc    0(64, %r12), 0(%r13)
    clc   0(64, %r12), 0x100(%r12)
    after
    before
    tr    0(100, %r12), 0(%r13)
    trt   0x100(50, %r12), 0x100(%r12)
    mvcin 0(20, %r12), 40(%r13)
    after
    lghi  %r1, 20
    before                              # the length that EXECUTE gives it
    exrl  %r1, executed
    after
    pair  2000, 1000
    before                              # moved, and filled
    mvcl  %r2, %r4
    after
    pair  5000, 4500
    before                              # page by page
0:  mvcle %r2, %r4, 0
    jo    0b
    after
    pair  300, 300
    before                              # equal
    lgr   %r2, %r4
    clcl  %r2, %r4
    after
    pair  300, 200
    before                              # the first is filled up with the letter, and equal
    lgr   %r2, %r4
    lghi  %r3, 200
    lghi  %r5, 300
    lghi  %r8, 0xc1
0:  clcle %r2, %r4, 0(%r8)
    jo    0b
    after
    mvi   50(%r13), 0
    lghi  %r0, 0
    pair  0, 0
    before                              # with the byte at its end
0:  mvst  %r2, %r4
    jo    0b
    after
    pair  0, 0
    before
0:  clst  %r2, %r4
    jo    0b
    after
    larl  %r5, source + 4096
    before
0:  srst  %r5, %r4
    jo    0b
    after
    pair  0, 5001
    lghi  %r2, 0
    before                              # summed
0:  cksm  %r2, %r4
    jo    0b
    after
    lghi  %r1, 100
    lghi  %r3, 0
    before
    mvck  0(%r1, %r12), 0(%r13), %r3
    after
    lghi  %r0, 99
    lghi  %r1, 0
    before
    mvcdk 0(%r12), 0(%r13)
    mvcsk 0(%r12), 0(%r13)
    after
    lghi  %r0, 0
    larl  %r2, target
    larl  %r4, source
    before
    mvpg  %r2, %r4
    after
    lghi  %r0, 0xff
    pair  60, 0
    before
0:  tre   %r2, %r4
    jo    0b
    after
    lpswe done
executed:
    mvc   0(1, %r12), 0(%r13)
    .org  0x8100
target:
    .org  0xc200
source:
