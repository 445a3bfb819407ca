# SPDX-License-Identifier: MIT
"""What of XDR the workstations of a run need not: numbers of two words, arrays, strings to read."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from vmkb.hercules.afs import xdr
from vmkb.hercules.afs.xdr import Malformed, Reader

_LONG = struct.Struct(">Q")


def long(value: int) -> bytes:
    """A number of two words."""
    return _LONG.pack(value)


def array(values: Iterable[bytes]) -> bytes:
    """An array: how many, then each of what is encoded already."""
    parts = list(values)
    return xdr.words(len(parts)) + b"".join(parts)


def read_long(r: Reader) -> int:
    """A number of two words. Malformed."""
    return int(_LONG.unpack(r.take(8))[0])


def read_string(r: Reader, most: int = 1 << 20) -> bytes:
    """A string of at most MOST bytes. Malformed."""
    size = r.word()
    if size > most:
        raise Malformed(f"a string of {size} bytes, where {most} are the most")
    value = r.take(size)
    if any(r.take(-size % 4)):
        raise Malformed(f"a string of {size} bytes is followed by something else than zeros")
    return value
