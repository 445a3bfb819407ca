# SPDX-License-Identifier: MIT
"""VM/KB: its disk format, and how a workload uses it. The system itself is the C beside."""
