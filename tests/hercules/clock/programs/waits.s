# SPDX-License-Identifier: MIT
# 10,000 waits, each of which the CPU timer ends after 50 us. ESA/390; flat image at 0.
    .text
    .long 0x00080000, 0x80001000
    .org  0x58
    .long 0x00080000, 0x80000000 + interrupted
    .org  0x700
wait:
    .long 0x010a0000, 0x80000000
stop:
    .long 0x000a0000, 0x80000000
time:
    .quad 50 << 12
cr0:
    .long 0x00000400
    .org  0x1000
    lctl  %c0, %c0, cr0
    lhi   %r1, 10000
again:
    spt   time
    lpsw  wait
interrupted:
    brct  %r1, again
    lpsw  stop
