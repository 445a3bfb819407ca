# SPDX-License-Identifier: MIT
"""VM/370, as its users have it: they bring the disks."""
