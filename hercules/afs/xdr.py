# SPDX-License-Identifier: MIT
"""XDR: words are big-endian; a string is its length, its bytes, and zeros up to a whole word."""

from __future__ import annotations

import struct

_WORD = struct.Struct(">I")


class Malformed(ValueError):
    """Bytes that are not what they should be; the text says why."""


def words(*values: int) -> bytes:
    """Each of VALUES as a word; negative ones in two's complement."""
    return b"".join(_WORD.pack(v & 0xFFFFFFFF) for v in values)


def string(value: bytes) -> bytes:
    """A string."""
    return _WORD.pack(len(value)) + value + bytes(-len(value) % 4)


class Reader:
    """Takes what is in bytes, from their beginning. Each method: Malformed."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """Bytes not taken yet."""
        return len(self._data) - self._at

    def take(self, size: int) -> bytes:
        """So many bytes as they are."""
        if size > self.left:
            raise Malformed(f"{size} bytes were expected at {self._at}, {self.left} are there")
        self._at += size
        return self._data[self._at - size : self._at]

    def word(self) -> int:
        """A word."""
        return int(_WORD.unpack(self.take(4))[0])

    def words(self, count: int) -> tuple[int, ...]:
        """So many words."""
        return struct.unpack(f">{count}I", self.take(4 * count))

    def count(self, most: int) -> int:
        """The number of an array's members, at most MOST."""
        count = self.word()
        if count > most:
            raise Malformed(f"an array of {count}, where {most} are the most")
        return count

    def end(self) -> None:
        """Nothing may be left."""
        if self.left:
            raise Malformed(f"{self.left} bytes behind the end")
