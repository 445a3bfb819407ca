# SPDX-License-Identifier: MIT
"""A designed experiment: what moves the CPU of a kilobyte, and by how much."""
