# SPDX-License-Identifier: MIT
# No instruction at all: the PSW of the IPL is a disabled wait. ESA/390; flat image at 0.
    .text
    .long 0x000a0000, 0x80000000
