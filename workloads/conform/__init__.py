# SPDX-License-Identifier: MIT
"""Whether TCP/IP stacks do what TCP promises, check by check."""

from vmkb.workloads.conform.workload import Workload

__all__ = ["Workload"]
