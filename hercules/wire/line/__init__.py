# SPDX-License-Identifier: MIT
"""An asynchronous line between two modems, with PPP on it. See docs/reference/wire.md."""
