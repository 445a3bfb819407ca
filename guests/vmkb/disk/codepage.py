# SPDX-License-Identifier: MIT
"""EBCDIC code page IBM-1047 and the checksum of the volume's structures.

IBM-1047 is IBM-037 with three pairs of code points exchanged (IBM Character Data Representation
Architecture, code pages 00037 and 01047).
"""

from __future__ import annotations

import struct

_PAIRS = ((0xAD, 0xBA), (0xBD, 0xBB), (0x5F, 0xB0))
_swap = list(range(256))
for _a, _b in _PAIRS:
    _swap[_a], _swap[_b] = _b, _a
_SWAP = bytes(_swap)


def encode(text: str) -> bytes:
    """Text to IBM-1047; UnicodeEncodeError when a character has no place in it."""
    return text.encode("cp037").translate(_SWAP)


def decode(data: bytes) -> str:
    """IBM-1047 to text; every byte has a character."""
    return data.translate(_SWAP).decode("cp037")


def field(text: str, size: int) -> bytes:
    """Text as a field of `size` bytes padded with blanks; ValueError when it does not fit."""
    data = encode(text)
    if len(data) > size:
        raise ValueError(f"'{text}' has more than {size} characters")
    return data.ljust(size, b"\x40")


def unfield(data: bytes) -> str:
    """A blank-padded field as text."""
    return decode(data).rstrip(" ")


def checksum(data: bytes) -> int:
    """FNV-1a over 64-bit big-endian words, folded to 32 bits; len(data) is a multiple of 8."""
    h = 0xCBF29CE484222325
    for (word,) in struct.iter_unpack(">Q", data):
        h = ((h ^ word) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return (h ^ (h >> 32)) & 0xFFFFFFFF


def summed(data: bytes, offset: int) -> bytes:
    """DATA, whose word at OFFSET is zero, with its checksum there."""
    return data[:offset] + struct.pack(">I", checksum(data)) + data[offset + 4 :]
