# SPDX-License-Identifier: MIT
"""Text of others on its way to somebody's terminal or spreadsheet."""

from __future__ import annotations

import re
from typing import Any

# C0 but for line end and tab, DEL, C1, halves of characters
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def plain(text: str) -> str:
    """TEXT without what a terminal would obey: each control character as \\xNN."""
    return _CONTROLS.sub(lambda m: ascii(m[0])[1:-1], text)


def csv_cell(cell: Any) -> Any:
    """CELL, with an apostrophe before a text that a spreadsheet would work out. A number stays,
    also one of percent."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell.removesuffix(" %"))
    except ValueError:
        return f"'{cell}"
    return cell
