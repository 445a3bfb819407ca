# SPDX-License-Identifier: MIT
"""Where the instructions of a run went: kept files, kernels, and their tables."""
