# SPDX-License-Identifier: MIT
"""The parts that workloads share: what one is, the run loop, the lab, and the way to a guest."""
