# SPDX-License-Identifier: MIT
"""Text, cards, tables and captures of anybody's, as records and trials."""
