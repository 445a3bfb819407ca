# SPDX-License-Identifier: MIT
"""Workloads and the command that runs them."""
