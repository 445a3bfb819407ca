# SPDX-License-Identifier: MIT
"""The cost of a file on a terminal for the whole system that types it by TELNET."""

from vmkb.workloads.telnet.workload import Workload

__all__ = ["Workload"]
