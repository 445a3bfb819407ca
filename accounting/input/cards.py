# SPDX-License-Identifier: MIT
"""VM accounting cards: 80 bytes EBCDIC with binary fullwords, types 01-06 and C0-C3.

Layouts: VM/SP R3 System Programmer's Guide SC19-6203-2 p. 94, VM/370 R6 GC20-1807-7
pp. 154-157.  Type 01 has TOTAL CPU before VIRTUAL, in milliseconds: the opposite order
of the QUERY TIME line.  C1-C3 are 01-03 charged to another user; C0 is user data.
Inferred, not documented: that the counts of 04 and 06 (two bytes) may be either
characters or a binary halfword.
"""

from __future__ import annotations

import struct

from vmkb.accounting.grammar.base import Mismatch
from vmkb.accounting.grammar.times import iso_date
from vmkb.accounting.input.ebcdic import decode
from vmkb.accounting.records import Field, Source, Unit, Value

LENGTH = 80
CODES = ("01", "02", "03", "04", "05", "06", "C0", "C1", "C2", "C3")

_AC = Source.AC
#: Fullwords of type 01 from column 29: field, unit, ticks in it.
_TYPE_01 = (
    ("connect", Unit.US, 1_000_000),
    ("totcpu", Unit.US, 1_000),
    ("virtcpu", Unit.US, 1_000),
    ("page_reads", Unit.COUNT, 1),
    ("page_writes", Unit.COUNT, 1),
    ("sio", Unit.COUNT, 1),
    ("punch", Unit.COUNT, 1),
    ("printer", Unit.COUNT, 1),
    ("reader", Unit.COUNT, 1),
)
#: Character fields of 04-06: type, field, first column, length. Columns 33-40 of 04 and 06 hold a
#: password, which is in no field, and in raw text as asterisks.
_WORDS = (
    ("04 05 06", "terminal", 29, 4),
    ("04", "by", 41, 8),
    ("05 06", "owner", 41, 8),
    ("05 06", "minidisk", 49, 3),
)
_COUNTS = (("count", 52), ("limit", 54))
SECRET = slice(32, 40)
_WITH_PASSWORD = (b"\xf0\xf4", b"\xf0\xf6")


def kind_of(code: str) -> str:
    """Record kind of a card code: C1 has the layout of 01."""
    return "card_c0" if code == "C0" else "card_0" + code[1]


def hide(card: bytes) -> bytes:
    """CARD with asterisks where it holds a password: types 04 and 06, if it is not blank there."""
    if card[78:80] not in _WITH_PASSWORD or not card[SECRET].strip(b"\x40\0"):
        return card
    return card[: SECRET.start] + b"\x5c" * 8 + card[SECRET.stop :]


def _word(card: bytes, column: int, length: int, what: str) -> str:
    text = decode(card[column - 1 : column - 1 + length])
    if not text.isprintable():
        raise Mismatch(None, f"{what} in columns {column}-{column + length - 1}", column - 1)
    return text.rstrip(" ")


def _half(card: bytes, column: int) -> Value:
    two = card[column - 1 : column + 1]
    text = decode(two).strip()
    number = int(text) if text.isascii() and text.isdigit() else int.from_bytes(two, "big")
    return Value(number, Unit.COUNT, _AC, 1)


def read_card(card: bytes) -> tuple[str, dict[str, Field], tuple[str, ...]]:
    """Kind, fields and notes of an 80-byte card; Mismatch (at = 0-based column) if it is none."""
    if len(card) != LENGTH:
        raise Mismatch(None, f"{LENGTH} bytes, not {len(card)}", len(card))
    code = decode(card[78:])
    if code not in CODES:
        raise Mismatch(None, "a card code 01-06 or C0-C3 in columns 79-80", 78)
    fields: dict[str, Field] = {"userid": _word(card, 1, 8, "a userid"), "code": code}
    if code == "C0":
        fields["data"] = decode(card[8:78])
        return "card_c0", fields, ()
    if code != "04":  # there columns 9-16 are reserved
        fields["account"] = _word(card, 9, 8, "an account number")
    stamp = decode(card[16:28])
    if not (stamp.isascii() and stamp.isdigit()):
        raise Mismatch(None, "mmddyyhhmmss in columns 17-28", 16)
    month_day, clock = f"{stamp[:2]}/{stamp[2:4]}/{stamp[4:6]}", stamp[6:]
    try:
        fields["date"] = iso_date(month_day)[0]
    except Mismatch as miss:
        raise Mismatch(None, miss.expected, 16) from None
    hours, minutes, seconds = int(clock[:2]), int(clock[2:4]), int(clock[4:])
    if hours > 24 or minutes > 59 or seconds > 59:
        raise Mismatch(None, "a time of day hhmmss in columns 23-28", 22)
    fields["clock"] = Value(hours * 3600 + minutes * 60 + seconds, Unit.DAY_S, _AC, 1)
    notes: tuple[str, ...] = ()
    base = code[1]
    if base == "1":
        numbers = struct.unpack(">9I", card[28:64])
        for (name, unit, scale), number in zip(_TYPE_01, numbers, strict=True):
            fields[name] = Value(number * scale, unit, _AC, scale)
        if numbers[2] > numbers[1]:
            notes = ("total CPU is less than virtual, which it should include",)
    elif base in "23":
        connected = int.from_bytes(card[28:32], "big")
        fields["connect"] = Value(connected * 1_000_000, Unit.US, _AC, 1_000_000)
        fields["device"] = card[32:36].hex().upper()
        if base == "3":
            fields["cylinders"] = Value(int.from_bytes(card[36:38], "big"), Unit.COUNT, _AC, 1)
    else:
        for codes, name, column, length in _WORDS:
            if code in codes:
                fields[name] = _word(card, column, length, name)
        if base in "46":
            for name, column in _COUNTS:
                fields[name] = _half(card, column)
    return kind_of(code), fields, notes
