# SPDX-License-Identifier: MIT
"""Everything that touches an emulator, a terminal or a wire."""
