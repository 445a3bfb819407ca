# SPDX-License-Identifier: MIT
"""One figure over many runs in time, and where it changed."""
