# SPDX-License-Identifier: MIT
"""The vmkb command: one file for each subcommand."""
