# SPDX-License-Identifier: MIT
"""Text of others on its way to somebody's terminal or spreadsheet."""

from __future__ import annotations

import json
import re
from typing import Any

# C0 but for line end and tab, DEL, C1, halves of characters; what is not seen or turns the
# direction of text: marks, embeddings, overrides, isolates, joiners, separators of lines
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
_FORMULA = ("=", "+", "-", "@", "\t")


def plain(text: str) -> str:
    """TEXT without what a terminal would obey: each control character as its escape, as \\x1b.

    Tables and answers are made of it, and all that a command prints goes through it.
    """
    return text if text.isprintable() else _CONTROLS.sub(lambda m: ascii(m[0])[1:-1], text)


def cut(text: str, most: int) -> str:
    """As much of TEXT as there is room for."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def json_plain(text: str) -> str:
    """The JSON TEXT with such characters as JSON has them, so that a reader gets what it was."""
    return _CONTROLS.sub(lambda m: json.dumps(m[0])[1:-1], text)


def csv_cell(cell: Any) -> Any:
    """CELL, with an apostrophe before a text that a spreadsheet would work out. A number stays,
    also one of percent."""
    if not isinstance(cell, str):
        return cell
    cell = plain(cell)
    if not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell.removesuffix(" %"))
    except ValueError:
        return f"'{cell}"
    return cell
