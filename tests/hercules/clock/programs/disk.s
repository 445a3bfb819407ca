# SPDX-License-Identifier: MIT
# Three reads of one block each from the FBA disk at subchannel 0, and what the clock said before and
# after each, at 0x400: blocks 0, 744 (the next cylinder) and 745 of a minidisk that begins at block
# 0. ESA/390; flat image at 0.
    .text
    .long 0x00080000, 0x80001000
    .org  0x600
stop:
    .long 0x000a0000, 0x80000000
subchannel:
    .long 0x00010000
orb:
    .long 0, 0x0080ff00, chain
extent:
    .long 0, 0, 0, 100000
locate:
    .byte 6, 0
    .short 1
block:
    .long 0
blocks:
    .long 0, 744, 745
    .balign 8
chain:
    .long 0x63400010, extent
    .long 0x43400008, locate
    .long 0x42000200, 0x8000
    .org  0x1000
    l     %r1, subchannel
    stsch 0x800
    oi    0x805, 0x80                  # enabled
    msch  0x800
    lhi   %r2, 0x400
    lhi   %r3, 3
    lhi   %r4, 0
again:
    l     %r5, blocks(%r4)
    st    %r5, block
    stck  0(%r2)
    ssch  orb
busy:
    tsch  0x880
    brc   4, busy
    stck  8(%r2)
    ahi   %r2, 16
    ahi   %r4, 4
    brct  %r3, again
    lpsw  stop
