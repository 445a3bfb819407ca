# SPDX-License-Identifier: MIT
"""One small ply grammar per family of output; the list of them is in families.py."""
