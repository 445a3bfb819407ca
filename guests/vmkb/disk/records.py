# SPDX-License-Identifier: MIT
"""Text and bytes to the stored form of records, and back: pure."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from vmkb.guests.vmkb.disk.codepage import decode, encode
from vmkb.guests.vmkb.disk.fsformat import LRECL_MAX, FsError


@dataclass(frozen=True)
class Stored:
    """A file's content as the disk holds it."""

    recfm: str
    lrecl: int
    records: int
    data: bytes


def variable(records: list[bytes]) -> Stored:
    """RECFM V: each record behind its length."""
    parts = []
    for number, record in enumerate(records, 1):
        if len(record) > LRECL_MAX:
            raise FsError(f"record {number} has {len(record)} bytes: the most is {LRECL_MAX}")
        parts += [struct.pack(">H", len(record)), record]
    longest = max((len(r) for r in records), default=0)
    return Stored("V", longest, len(records), b"".join(parts))


def fixed(data: bytes, lrecl: int) -> Stored:
    """RECFM F: the bytes as they are; the last record may be short."""
    if not 1 <= lrecl <= LRECL_MAX:
        raise FsError(f"LRECL {lrecl} is not from 1 to {LRECL_MAX}")
    return Stored("F", lrecl, -(-len(data) // lrecl), data)


def from_text(text: str, recfm: str = "V", lrecl: int = 80) -> Stored:
    """Lines to EBCDIC records. V: an empty line is one blank, as CMS stores it; F: blank-padded.

    FsError names the line when a character has no EBCDIC form or a line is longer than lrecl.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    records = []
    for number, line in enumerate(lines, 1):
        try:
            record = encode(line.expandtabs())
        except UnicodeEncodeError as e:
            raise FsError(f"line {number}: '{e.object[e.start]}' has no EBCDIC character") from None
        if recfm == "F" and len(record) > lrecl:
            raise FsError(f"line {number} has {len(record)} characters: LRECL is {lrecl}")
        records.append(record.ljust(lrecl, b"\x40") if recfm == "F" else record or b"\x40")
    return fixed(b"".join(records), lrecl) if recfm == "F" else variable(records)


def split(stored: Stored) -> list[bytes]:
    """The records; FsError when a V length runs past the end."""
    if stored.recfm == "F":
        return [stored.data[i : i + stored.lrecl] for i in range(0, len(stored.data), stored.lrecl)]
    records: list[bytes] = []
    at, data = 0, stored.data
    while at < len(data):
        size = int.from_bytes(data[at : at + 2], "big")
        if at + 2 + size > len(data):
            raise FsError(f"record {len(records) + 1} runs past the end of the file")
        records.append(data[at + 2 : at + 2 + size])
        at += 2 + size
    return records


def to_text(stored: Stored) -> str:
    """Records as lines, trailing blanks dropped."""
    return "".join(decode(r).rstrip(" ") + "\n" for r in split(stored))
