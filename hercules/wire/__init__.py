# SPDX-License-Identifier: MIT
"""The wire: a LAN in user space, in a process of its own. See docs/reference/wire.md."""
