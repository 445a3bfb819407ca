# SPDX-License-Identifier: MIT
"""Users of CMS at 3270 displays, after IBM's workload CMS1."""

from vmkb.workloads.cms.workload import Workload

__all__ = ["Workload"]
