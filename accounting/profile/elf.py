# SPDX-License-Identifier: MIT
"""Where a program's text begins: as much of ELF as that takes. Pure."""

from __future__ import annotations

import struct

from vmkb.errors import VmkbError

_MAGIC = b"\x7fELF\x02\x02"  # 64 bits, most significant byte first
_HEAD = struct.Struct(">16xHHIQQQIHHH")
_SEGMENT = struct.Struct(">IIQQQQQQ")
_LOADED = 1


class ElfError(VmkbError, ValueError):
    """No program that can be read; the sentence says which."""


def first_address(data: bytes, name: str) -> int:
    """The virtual address of what a program has first in real storage."""
    try:
        if not data.startswith(_MAGIC):
            raise ElfError(f"{name} is no 64-bit big-endian ELF program")
        *_, at, _, _, _, size, count = _HEAD.unpack_from(data)
        segments = [_SEGMENT.unpack_from(data, at + k * size) for k in range(count)]
    except struct.error:
        raise ElfError(f"{name} is not all there") from None
    loaded = [
        (physical, virtual)
        for kind, _, _, virtual, physical, in_file, *_ in segments
        if kind == _LOADED and in_file
    ]
    if not loaded:
        raise ElfError(f"{name} has nothing to load")
    return int(min(loaded)[1])
