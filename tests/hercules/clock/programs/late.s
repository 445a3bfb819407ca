# SPDX-License-Identifier: MIT
# A line on the console at subchannel 0, whose end is taken 0.2 s after the byte at 0x500 has been
# set; then a disabled wait as soon as the console gives an attention. ESA/390; flat image at 0.
    .text
    .long 0x00080000, 0x80001000
    .org  0x500
now:
    .long 0
    .org  0x600
stop:
    .long 0x000a0000, 0x80000000
subchannel:
    .long 0x00010000
orb:
    .long 0, 0x0080ff00, chain
delay:
    .quad 200000 << 12
    .balign 8
chain:
    .long 0x09200005, text
text:
    .byte 0xc5, 0xd5, 0xc4, 0xc5, 0xc4  # ENDED
    .org  0x1000
    l     %r1, subchannel
    stsch 0x800
    oi    0x805, 0x80                  # enabled
    msch  0x800
    ssch  orb
idle:
    tm    now, 1
    jz    idle
    stck  0x700
    lm    %r2, %r3, 0x700
    al    %r3, delay+4                 # the first word is 0
    brc   12, due
    ahi   %r2, 1
due:
    stck  0x700
    cl    %r2, 0x700
    jh    due
    jl    over
    cl    %r3, 0x704
    jh    due
over:
    tsch  0x880
    brc   4, over
    tm    0x888, 0x80                  # attention
    jz    over
    lpsw  stop
