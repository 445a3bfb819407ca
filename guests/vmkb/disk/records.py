# SPDX-License-Identifier: MIT
"""Text and bytes to the stored form of records, and back: pure."""

from __future__ import annotations

from dataclasses import dataclass

from vmkb.guests.vmkb.disk.codepage import decode, encode
from vmkb.guests.vmkb.disk.fsformat import LRECL_MAX, FsError

BLANK = b"\x40"
_LINE_END = encode("\n")


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
        parts += [len(record).to_bytes(2, "big"), record]
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
    try:
        records = encode(text.expandtabs()).split(_LINE_END)
    except UnicodeEncodeError as e:
        number = e.object.count("\n", 0, e.start) + 1
        raise FsError(f"line {number}: '{e.object[e.start]}' has no EBCDIC character") from None
    if not records[-1]:
        records.pop()
    if recfm != "F":
        return variable([record or BLANK for record in records])
    for number, record in enumerate(records, 1):
        if len(record) > lrecl:
            raise FsError(f"line {number} has {len(record)} characters: LRECL is {lrecl}")
    return fixed(b"".join(record.ljust(lrecl, BLANK) for record in records), lrecl)


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
