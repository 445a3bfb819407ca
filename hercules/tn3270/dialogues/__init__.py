# SPDX-License-Identifier: MIT
"""Dialogues that come with the project, a TOML file each."""
