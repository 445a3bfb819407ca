# SPDX-License-Identifier: MIT
"""Accounting cards as text: 160 hexadecimal digits, a hex dump of 16 bytes a line, or the
character types (04, 05, 06) as a line of 80 translated characters.

What the bytes mean is in accounting/input/cards.py; binary files of cards are read there too.
"""

from __future__ import annotations

import re
from typing import Any

from vmkb.accounting.grammar.base import Mismatch, p_error
from vmkb.accounting.input.cards import SECRET, read_card
from vmkb.accounting.input.ebcdic import encode

__all__ = ["LEXICON", "p_error", "tokens"]

LEXICON = [
    ("IMAGE", r"(?m:^)[^\n]{8}[^\n]{8}\d{12}[^\n]{50}0[456](?=\s|$)", "80 characters"),
    ("OFFSET", r"(?:0000){1,2}[0-4]0:?(?= )|00[0-4]0:?(?= )", "an offset 0000 to 0040"),
    ("HEX", r"(?:[0-9A-Fa-f]{2}){1,80}(?!\S)", "pairs of hexadecimal digits"),
    ("ASCII", r"(?:\|[^\n]*\||\*[^\n]*\*)(?=\s|$)", "the dump's own text column"),
    ("NL", r"\n", "a new line"),
]
tokens = [name for name, _, _ in LEXICON]
_IMAGE = re.compile(r"^(.*[^\n]{16}\d{12}[^\n]{4})([^\n]{8})([^\n]{38}0[46][ \t\r]*)$")
_LINE = re.compile(r"(?:[0-9A-Fa-f] ?){156}[Ff]0 ?[Ff][46](?![0-9A-Fa-f])")
_CODE_ROW = re.compile(r"(?m)0040:? +(?:[0-9A-Fa-f]{2} {0,2}){14}[Ff]0 {0,2}[Ff][46]")
_ROW = re.compile(r"(?m)(0020:? +)((?:[0-9A-Fa-f]{2} {0,2}){8})((?:[0-9A-Fa-f]{2} {0,2}){8})(.*)$")


def hide(raw: str) -> str:
    """RAW, which has one of the forms above, with asterisks where the card holds a password.

    Not one character longer or shorter; blanks, which are no password, stay.
    """
    if image := _IMAGE.match(raw):
        return image[1] + _stars(image[2]) + image[3]
    if line := _LINE.search(raw):
        at = [m.start() for m in re.finditer(r"[0-9A-Fa-f]", raw) if m.start() >= line.start()]
        digits = at[2 * SECRET.start : 2 * SECRET.stop]
        return _asterisks(raw, digits)
    if _CODE_ROW.search(raw) and (row := _ROW.search(raw)):
        digits = [row.start(2) + m.start() for m in re.finditer(r"[0-9A-Fa-f]", row[2])]
        hidden = _asterisks(raw, digits)
        text = re.search(r"[|*]", row[4])
        if text and hidden != raw:
            at_text = row.start(4) + text.end()
            hidden = hidden[:at_text] + "*" * 8 + hidden[at_text + 8 :]
        return hidden
    return raw


def _stars(word: str) -> str:
    return "*" * len(word) if word.strip(" \0") else word


def _asterisks(raw: str, digits: list[int]) -> str:
    """RAW with EBCDIC asterisks at its hexadecimal DIGITS, unless these are blanks."""
    if not "".join(raw[at] for at in digits).replace("40", "").replace("00", ""):
        return raw
    made = list(raw)
    for at, digit in zip(digits, "5C" * (len(digits) // 2), strict=True):
        made[at] = digit
    return "".join(made)


def _decoded(data: bytes, what: str) -> Any:
    try:
        kind, fields, notes = read_card(data)
    except Mismatch as miss:
        raise Mismatch(None, f"{miss.expected} ({what})", 0) from None
    return [(kind, fields, notes, 0)]


def p_image(p: Any) -> None:
    "card : IMAGE"
    p[0] = _decoded(encode(p[1]), "card of characters")


def p_line(p: Any) -> None:
    "card : hex"
    p[0] = _decoded(bytes.fromhex("".join(p[1])), "card in hexadecimal")


def p_dump(p: Any) -> None:
    "card : rows"
    p[0] = _decoded(bytes.fromhex("".join(p[1])), "dump of a card")


def p_rows(p: Any) -> None:
    """rows : rows NL row
    | row"""
    if len(p) == 4:
        p[1].extend(p[3])
    p[0] = p[1]


def p_row(p: Any) -> None:
    """row : OFFSET hex
    | OFFSET hex ASCII"""
    p[0] = p[2]


def p_hex(p: Any) -> None:
    """hex : hex HEX
    | HEX"""
    if len(p) == 3:
        p[1].append(p[2])
    p[0] = p[1] if len(p) == 3 else [p[1]]
