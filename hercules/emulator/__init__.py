# SPDX-License-Identifier: MIT
"""Hercules itself: its configuration, its process, what it logs, which build of it is run."""
