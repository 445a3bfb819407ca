# SPDX-License-Identifier: MIT
"""The terminal workload: TYPE over TELNET, SET HOST and LAT between two guests."""

from vmkb.workloads.terminal.workload import Workload

__all__ = ["Workload"]
