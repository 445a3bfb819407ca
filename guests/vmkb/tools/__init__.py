# SPDX-License-Identifier: MIT
"""Scripts that VM/KB's Makefile runs; the order of a link is used by kernels too."""
