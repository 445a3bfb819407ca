# SPDX-License-Identifier: MIT
"""The wire: a LAN in user space, in a process of its own. docs/wire.md tells the whole."""
