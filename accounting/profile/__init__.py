# SPDX-License-Identifier: MIT
"""Where a guest's instructions go: counts by real address, their names, layers, and tables."""
