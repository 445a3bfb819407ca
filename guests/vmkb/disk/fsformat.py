# SPDX-License-Identifier: MIT
"""Minidisk file system: numbers, structures and entries, the Python side of fs_format.h."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from vmkb.guests.vmkb.disk.codepage import checksum, encode, field, summed, unfield
from vmkb.guests.vmkb.disk.errors import VolumeError

FBA = 512
BLOCK = 4096
FBA_PER_BLOCK = 8
BLOCKS_MIN = 8
BLOCKS_MAX = 65536
DIR_BLOCKS_MAX = 16
ENTRIES_PER_BLOCK = 64
INLINE_EXTENTS = 3
OVERFLOW_EXTENTS = 508
LRECL_MAX = 65535
RESERVE = 2

MAGIC = 0xE5D4D2C2C6E2F0F1
OVERFLOW_MAGIC = 0xE5D4D2C2D6E5C6D3
VERSION = 1
SLOT_FBA = (0, 4)
OVERFLOWED = 0xFFFF

SUPER = struct.Struct(">QIIQQIIII8s8x")  # then DIR_BLOCKS_MAX pointers
POINTER = struct.Struct(">II")
ENTRY = struct.Struct(">8s8sBBHIIIQ6I")
OVERFLOW = struct.Struct(">QIII12x")  # then OVERFLOW_EXTENTS extents

EPOCH_1900 = 2208988800  # seconds from 1900 to 1970, both 00:00 UTC

_NAME = re.compile(r"[A-Za-z0-9$#@+\-:_]{1,8}\Z")

Extents = list[tuple[int, int]]


class FsError(VolumeError):
    """A minidisk's file system is damaged, full, or asked for what it cannot do."""


@dataclass(frozen=True)
class Super:
    """A superblock; pointers are (block, checksum) of the directory blocks."""

    generation: int
    formatted: int
    blocks: int
    used: int
    files: int
    label: str
    pointers: tuple[tuple[int, int], ...]

    def pack(self) -> bytes:
        data = SUPER.pack(
            MAGIC, VERSION, 0, self.generation, self.formatted, self.blocks, self.used,
            self.files, len(self.pointers), field(self.label, 8),
        )  # fmt: skip
        data += b"".join(POINTER.pack(*p) for p in self.pointers)
        return summed(data.ljust(FBA, b"\0"), 12)


def unpack_super(data: bytes, slot: int) -> Super | None:
    """A superblock, or None if these 512 bytes are not a good one for this slot."""
    magic, version, stored, generation, formatted, blocks, used, files, count, label = (
        SUPER.unpack_from(data)
    )
    if magic != MAGIC or version != VERSION or generation % 2 != slot or count > DIR_BLOCKS_MAX:
        return None
    if checksum(data[:12] + bytes(4) + data[16:FBA]) != stored:
        return None
    pointers = tuple(POINTER.unpack_from(data, SUPER.size + i * 8) for i in range(count))
    return Super(generation, formatted, blocks, used, files, unfield(label), pointers)


@dataclass(frozen=True)
class Entry:
    """A file. size: bytes stored; extents: (first block, blocks), overflow: the chain's blocks."""

    fn: str
    ft: str
    mode: int
    recfm: str
    lrecl: int
    records: int
    size: int
    written: int
    extents: tuple[tuple[int, int], ...] = ()
    overflow: tuple[int, ...] = ()

    @property
    def blocks(self) -> int:
        """Blocks taken, overflow blocks included."""
        return sum(n for _, n in self.extents) + len(self.overflow)

    def pack(self) -> bytes:
        if self.overflow:
            count = OVERFLOWED
            words = [self.overflow[0], len(self.overflow), len(self.extents)]
        else:
            count = len(self.extents)
            words = [w for e in self.extents for w in e]
        return ENTRY.pack(
            field(self.fn, 8), field(self.ft, 8), self.mode, encode(self.recfm)[0], count,
            self.lrecl, self.records, self.size, self.written, *(words + [0] * 6)[:6],
        )  # fmt: skip


def unpack_entry(data: bytes) -> tuple[Entry, int, int, int] | None:
    """An entry and, if its extents are elsewhere, (first overflow block, blocks, extents).

    None for a free entry; FsError for one that makes no sense.
    """
    if data[0] == 0:
        return None
    fn, ft, mode, recfm, count, lrecl, records, size, written, *words = ENTRY.unpack(data)
    name = (unfield(fn), unfield(ft))
    letter = {0xC6: "F", 0xE5: "V"}.get(recfm)
    if letter is None or not all(_NAME.match(n) for n in name) or mode > 6 or lrecl > LRECL_MAX:
        raise FsError(f"the directory entry of {name[0]} {name[1]} is damaged")
    if letter == "F":
        good = lrecl > 0 and records == -(-size // lrecl)
    else:
        good = records <= size // 2 and (records == 0) == (size == 0)
    if not good or (count != OVERFLOWED and count > INLINE_EXTENTS):
        raise FsError(f"the directory entry of {name[0]} {name[1]} is damaged")
    if count == OVERFLOWED:
        return Entry(*name, mode, letter, lrecl, records, size, written), *words[:3]
    extents = tuple((words[2 * i], words[2 * i + 1]) for i in range(count))
    return Entry(*name, mode, letter, lrecl, records, size, written, extents), 0, 0, 0


def pack_overflow(extents: Extents, following: int) -> bytes:
    """One overflow block; following is the next one, 0 at the end."""
    data = OVERFLOW.pack(OVERFLOW_MAGIC, 0, following, len(extents))
    data += b"".join(POINTER.pack(*e) for e in extents)
    return summed(data.ljust(BLOCK, b"\0"), 8)


def unpack_overflow(data: bytes) -> tuple[Extents, int]:
    """Extents and the next block; FsError if it is not an overflow block."""
    magic, stored, following, count = OVERFLOW.unpack_from(data)
    good = magic == OVERFLOW_MAGIC and 0 < count <= OVERFLOW_EXTENTS
    if not good or checksum(data[:8] + bytes(4) + data[12:]) != stored:
        raise FsError("an overflow block is damaged")
    return [POINTER.unpack_from(data, OVERFLOW.size + 8 * i) for i in range(count)], following


def check_name(fn: str, ft: str) -> None:
    """FsError unless both are names that CMS takes."""
    for what, name in (("filename", fn), ("filetype", ft)):
        if not _NAME.match(name):
            raise FsError(
                f"{what} '{name}' is not 1 to 8 of A-Z a-z 0-9 $ # @ + - : _; choose another name"
            )
