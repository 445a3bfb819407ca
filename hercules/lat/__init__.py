# SPDX-License-Identifier: MIT
"""LAT, DEC's Local Area Transport: a terminal server on the wire (docs/reference/lat.md)."""
