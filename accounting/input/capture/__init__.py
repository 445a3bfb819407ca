# SPDX-License-Identifier: MIT
"""The TCPs at the ends of the wire, from a capture."""
