# SPDX-License-Identifier: MIT
"""The dxu workload: FTP, Rx and AFS between guests over a router, as CITI measured."""

from vmkb.workloads.dxu.workload import Workload

__all__ = ["Workload"]
