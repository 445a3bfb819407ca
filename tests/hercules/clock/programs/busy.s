# SPDX-License-Identifier: MIT
# 20 million instructions of a loop, without a wait. ESA/390; flat image at 0.
    .text
    .long 0x00080000, 0x80001000
    .org  0x700
stop:
    .long 0x000a0000, 0x80000000
loops:
    .long 5000000
    .org  0x1000
    l     %r1, loops
again:
    ahi   %r2, 1
    ahi   %r3, 1
    ahi   %r4, 1
    brct  %r1, again
    lpsw  stop
