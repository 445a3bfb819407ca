# SPDX-License-Identifier: MIT
"""The terminal workload: TYPE over TELNET, SET HOST and LAT between two guests."""

from workloads.terminal.workload import Workload

__all__ = ["Workload"]
