# SPDX-License-Identifier: MIT
# ROTATE THEN ... SELECTED BITS with all first and last bits, and SEARCH STRING around the end of a
# page: all results in two sums at 0x400. z/Architecture; flat image at 0.

    .macro into sum register            # the sum moves, so that the order of results counts too
    rllg  \sum, \sum, 7
    xgr   \sum, \register
    .endm

    .equ  string, 0x20f80               # 128 bytes before the end of a page
    .text
    .long 0x00080000, 0x80000000 + start
    .org  0x1d0
    .quad 0x0002000180000000, 0xbad     # a program interruption
    .org  0x600
done:
    .quad 0x0002000180000000, 0
first:
    .quad 0x0123456789abcdef
second:
    .quad 0xfedcba9876543210
    .org  0x1000
start:
    lhi   %r3, 1                        # z/Architecture
    lhi   %r4, 0
    sigp  %r2, %r4, 0x12
    sam64
    lghi  %r14, 0
    lghi  %r15, 0

    # I3 is in r5, I4 in r6; I5 comes of both.
    lghi  %r5, 255
firsts:
    lghi  %r6, 255
lasts:
    larl  %r13, rotated
    lhi   %r12, 4
operations:
    stc   %r5, 2(%r13)
    stc   %r6, 3(%r13)
    ahi   %r13, 6
    brct  %r12, operations
    lr    %r7, %r5
    mhi   %r7, 5
    ar    %r7, %r6
    stc   %r7, inserted + 4
    stc   %r7, anded + 4
    stc   %r7, ored + 4
    stc   %r7, exclusive + 4
    lg    %r8, first
    lg    %r9, second
rotated:
inserted:
    risbg %r8, %r9, 0, 0, 0
anded:
    rnsbg %r9, %r8, 0, 0, 0
ored:
    rosbg %r8, %r9, 0, 0, 0
exclusive:
    rxsbg %r9, %r8, 0, 0, 0
    ipm   %r7
    into  %r14, %r7
    into  %r14, %r8
    into  %r14, %r9
    brctg %r6, lasts
    brctg %r5, firsts

    # What is sought lies r5 bytes behind the beginning, the string's end r6; 0 is left out.
    lghi  %r0, 0xa5
    lghi  %r5, 300
places:
    larl  %r4, string
    la    %r13, 0(%r5, %r4)
    mvi   0(%r13), 0xa5
    lghi  %r6, 300
ends:
    la    %r8, 0(%r6, %r4)
    lgr   %r9, %r4
    srst  %r8, %r9
    ipm   %r7
    into  %r15, %r7
    into  %r15, %r8
    into  %r15, %r9
    brctg %r6, ends
    mvi   0(%r13), 0
    brctg %r5, places

    # An end before the beginning: the string goes on from there.
    lgr   %r9, %r4
    lgr   %r8, %r4
    aghi  %r8, -1
    srst  %r8, %r9
    into  %r15, %r8
    into  %r15, %r9
    stg   %r14, 0x400
    stg   %r15, 0x408
    lpswe done
