# SPDX-License-Identifier: MIT
"""Measuring commands on a VM system that somebody else built and runs."""
