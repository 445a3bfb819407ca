# SPDX-License-Identifier: MIT
"""FTP over a slow line, from hosts whose TCPs behave differently."""

from vmkb.workloads.line.workload import Workload

__all__ = ["Workload"]
