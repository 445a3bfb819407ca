# SPDX-License-Identifier: MIT
"""The parts that subcommands share: printing, failing, stopping, and guests of their own."""
