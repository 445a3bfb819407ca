# SPDX-License-Identifier: MIT
"""A directory's bytes: pages of 2048 bytes, each of 64 entries of 32 (docs/reference/afs.md)."""

from __future__ import annotations

import struct

from vmkb.hercules.afs.xdr import Malformed

PAGE, ENTRY = 2048, 32
_TAG = 1234
_HASHES, _HASH_AT = 128, 160


def name_hash(name: bytes) -> int:
    """Which of the 128 chains a name is in."""
    value = 0
    for byte in name:
        value = value * 173 + byte & 0xFFFFFFFF
    low = value % _HASHES
    return _HASHES - low if low and value >> 31 else low


def entries(data: bytes) -> dict[bytes, tuple[int, int]]:
    """Vnode and uniquifier of each name, `.` and `..` among them. Malformed."""
    if not data or len(data) % PAGE:
        raise Malformed(f"a directory of {len(data)} bytes is not of whole pages")
    pages = len(data) // PAGE
    for page in range(pages):
        if struct.unpack_from(">H", data, page * PAGE + 2)[0] != _TAG:
            raise Malformed(f"page {page} of the directory does not begin as one")
    if struct.unpack_from(">H", data)[0] != pages:
        raise Malformed(f"the directory has {pages} pages and says otherwise")
    found: dict[bytes, tuple[int, int]] = {}
    for chain in range(_HASHES):
        number = struct.unpack_from(">H", data, _HASH_AT + 2 * chain)[0]
        while number:
            name, vnode, unique, number = _entry(data, number)
            if name_hash(name) != chain or name in found:
                raise Malformed(f"{name!r} is in the wrong chain, or twice in the directory")
            found[name] = vnode, unique
    return found


def _entry(data: bytes, number: int) -> tuple[bytes, int, int, int]:
    at = number * ENTRY
    if at + ENTRY > len(data):
        raise Malformed(f"entry {number} is behind the directory's end")
    flag, _, following, vnode, unique = struct.unpack_from(">BBHII", data, at)
    end = data.find(b"\0", at + 12, at - at % PAGE + PAGE)
    if flag != 1 or end <= at + 12:
        raise Malformed(f"entry {number} is no name")
    first, taken = number % 64, 1 + (end - at - 12 + 16) // ENTRY
    used = data[at - at % PAGE + 5 : at - at % PAGE + 13]
    if any(not used[i // 8] >> i % 8 & 1 for i in range(first, first + taken)):
        raise Malformed(f"entry {number} is not marked as taken")
    return data[at + 12 : end], vnode, unique, following
