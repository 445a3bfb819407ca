# SPDX-License-Identifier: MIT
"""A TCP/IP stack or a VM/KB of the user's own, built as a release beside VM/KB's."""
