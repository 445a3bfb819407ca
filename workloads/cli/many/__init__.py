# SPDX-License-Identifier: MIT
"""Subcommands about many runs."""
