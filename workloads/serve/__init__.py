# SPDX-License-Identifier: MIT
"""What serving files by FTP costs a whole system: kernels beside each other, and beside VM/KB."""

from vmkb.workloads.serve.workload import Workload

__all__ = ["Workload"]
