# SPDX-License-Identifier: MIT
"""The one way from trials to what is printed of them: tables, costs, doubts, notes, answer."""
