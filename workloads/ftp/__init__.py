# SPDX-License-Identifier: MIT
"""The FTP workload: what is transferred, how a trial is run and what it left behind."""

from vmkb.workloads.ftp.workload import Workload

__all__ = ["Workload"]
