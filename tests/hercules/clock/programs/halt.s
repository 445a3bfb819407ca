# SPDX-License-Identifier: MIT
# One instruction, which stops the CPU for good: a disabled wait. ESA/390; flat image at 0.
    .text
    .long 0x00080000, 0x80001000
    .org  0x1000
    lpsw  stop
    .balign 8
stop:
    .long 0x000a0000, 0x80000000
