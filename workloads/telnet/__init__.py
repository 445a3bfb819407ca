# SPDX-License-Identifier: MIT
"""What a file on a terminal costs the whole system that types it by TELNET."""

from vmkb.workloads.telnet.workload import Workload

__all__ = ["Workload"]
