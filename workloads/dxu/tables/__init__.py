# SPDX-License-Identifier: MIT
"""The report's tables beside ours, and what they cost."""
