# SPDX-License-Identifier: MIT
"""An asynchronous line between two modems, with PPP on it. docs/wire.md tells the whole."""
