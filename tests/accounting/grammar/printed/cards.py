# SPDX-License-Identifier: MIT
"""Accounting cards as CP punches them, and as dumps show them."""

from __future__ import annotations

import struct

from tests.accounting.grammar.printed.parts import hms
from vmkb.accounting.input.cards import _COUNTS, _TYPE_01, _WORDS
from vmkb.accounting.input.ebcdic import encode
from vmkb.accounting.records import Record


def punch_card(record: Record) -> bytes:
    """RECORD (of a card kind) as the 80 bytes that CP would punch."""
    code = record.word("code")
    card = bytearray(encode(" " * 78 + code))

    def put(column: int, text: str, length: int) -> None:
        card[column - 1 : column - 1 + length] = encode(text.ljust(length)[:length])

    put(1, record.word("userid"), 8)
    if code == "C0":
        put(9, record.word("data"), 70)
        return bytes(card)
    put(9, record.word("account"), 8)
    date, at = record.word("date"), hms(int(record.value("clock").value)).replace(":", "")
    put(17, date[5:7] + date[8:] + date[2:4] + at, 12)
    base = code[1]
    if base == "1":
        numbers = [int(record.value(name).value) // scale for name, _, scale in _TYPE_01]
        card[28:64] = struct.pack(">9I", *numbers)
    elif base in "23":
        card[28:32] = (int(record.value("connect").value) // 1_000_000).to_bytes(4, "big")
        card[32:36] = bytes.fromhex(record.word("device"))
        if base == "3":
            card[36:38] = int(record.value("cylinders").value).to_bytes(2, "big")
    else:
        for codes, name, column, length in _WORDS:
            if code in codes:
                put(column, record.word(name), length)
        if base in "46":
            for name, column in _COUNTS:
                put(column, f"{int(record.value(name).value):02}", 2)
    return bytes(card)


def digits(record: Record) -> str:
    """RECORD as one line of 160 hexadecimal digits in words of 8."""
    text = punch_card(record).hex().upper()
    return " ".join(text[at : at + 8] for at in range(0, 160, 8))


def dump(record: Record) -> str:
    """RECORD as five lines of 16 bytes with offsets, as a hex dump prints it."""
    card = punch_card(record)
    rows = (card[at : at + 16].hex(" ").upper() for at in range(0, 80, 16))
    return "\n".join(f"{number * 16:04X}  {row}" for number, row in enumerate(rows))
