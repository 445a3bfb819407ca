# SPDX-License-Identifier: MIT
"""What every workload shares: what one is, the run loop, the lab, and the way to a guest."""
