# SPDX-License-Identifier: MIT
"""Tables of costs, independent of how they are printed: accounting.report prints them."""
