# SPDX-License-Identifier: MIT
"""The terminal workload: TYPE over TELNET, SET HOST and LAT between two guests."""
