# SPDX-License-Identifier: MIT
"""Blocks of IP packets, as Linux' driver ctcm has them on a channel-to-channel adapter. Pure.

A block is `u16 length` (big-endian, of the whole block, itself included), then packets, each with a
head of 6 bytes: `u16 length` (with the head), `u16 0x0800`, `u16 0`. IP version 4 only.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from vmkb.errors import VmkbError

BLOCK_MAX = 32768
"""Bytes of the largest block: the driver's own buffer, if nobody changes it."""
HEAD = 6
PACKET_MAX = BLOCK_MAX - 2 - HEAD
"""Bytes of the largest packet: an MTU of 32760."""
PACKET_MIN = 20
EMPTY = b"\0\2"
"""The first bytes of each side; they mean nothing later."""
_IP = 0x0800
_HEAD = struct.Struct(">HHH")
_U16 = struct.Struct(">H")


class CtcmError(VmkbError, ValueError):
    """The bytes are not such a block; the text says why."""


def size(packets: Iterable[bytes]) -> int:
    """Bytes of the block of PACKETS."""
    return 2 + sum(HEAD + len(packet) for packet in packets)


def fitting(packets: Iterable[bytes], room: int) -> int:
    """How many of PACKETS, in order, a block of ROOM bytes holds."""
    count, total = 0, 2
    for packet in packets:
        total += HEAD + len(packet)
        if total > room:
            break
        count += 1
    return count


def head(packet: bytes) -> bytes:
    """The header before PACKET in a block."""
    return _HEAD.pack(HEAD + len(packet), _IP, 0)


def encode(packets: Iterable[bytes]) -> bytes:
    """The block of PACKETS, in order. CtcmError if one is no packet, or they do not fit."""
    parts = [b""]
    total = 2
    for packet in packets:
        if not PACKET_MIN <= len(packet) <= PACKET_MAX:
            raise CtcmError(f"a packet of {len(packet)} bytes; it has {PACKET_MIN} to {PACKET_MAX}")
        parts += [head(packet), packet]
        total += HEAD + len(packet)
    if total > BLOCK_MAX:
        raise CtcmError(f"{total} bytes do not fit into a block of {BLOCK_MAX}")
    parts[0] = _U16.pack(total)
    return b"".join(parts)


def decode(block: bytes | memoryview) -> list[bytes]:
    """The packets of a block, but for those that are not IP. CtcmError if a length does not fit:
    then no packet of the block is to be believed."""
    view = memoryview(block)
    if len(view) < 2:
        raise CtcmError(f"{len(view)} bytes are too few for a block")
    (end,) = _U16.unpack_from(view)
    if not 2 <= end <= len(view):
        raise CtcmError(f"the block says that it has {end} bytes, {len(view)} came")
    packets = []
    at = 2
    while at + 2 <= end and _U16.unpack_from(view, at)[0]:
        if at + HEAD > end:
            raise CtcmError(f"{end - at} bytes left over at offset {at}")
        length, kind, _ = _HEAD.unpack_from(view, at)
        if length < HEAD or at + length > end:
            raise CtcmError(f"a packet of {length} bytes at offset {at} of a block of {end}")
        packet = bytes(view[at + HEAD : at + length])
        if kind == _IP and len(packet) >= PACKET_MIN and packet[0] >> 4 == 4:
            packets.append(packet)
        at += length
    return packets
