# SPDX-License-Identifier: MIT
"""Console text in, records out; records in, tables out. Pure: no emulator, no clock."""
