# SPDX-License-Identifier: MIT
"""The cost of serving files by FTP for a whole system: kernels beside each other, and beside
VM/KB."""

from vmkb.workloads.serve.workload import Workload

__all__ = ["Workload"]
