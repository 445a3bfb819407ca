# SPDX-License-Identifier: MIT
"""Packets out of capture files: pcapng and pcap, either byte order, any resolution of time.

Sources: draft-ietf-opsawg-pcapng (section header, interface description, enhanced and simple packet
blocks), draft-ietf-opsawg-pcap.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vmkb import given
from vmkb.errors import VmkbError

_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6
_MAGIC = 0x1A2B3C4D
_PCAP = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}
"""pcap's magic numbers, and the nanoseconds of a unit of its stamps' second part."""
_OPT_NAME, _OPT_RESOLUTION, _OPT_OFFSET = 2, 9, 14
_LEAST = {_INTERFACE: 8, _SIMPLE: 4, _ENHANCED: 20}
"""Bytes of a block's body."""
ETHERNET = 1


class CaptureError(VmkbError, ValueError):
    """Not a capture, or one that is damaged; the sentence says where."""


MOST = 1 << 30
"""Bytes of a capture, which is read as a whole."""


class Packet(NamedTuple):
    """A captured packet: its time in ns, the port (interface) that it came in at, its link type,
    its bytes, and how many there were on the wire."""

    time: int
    port: str
    link: int
    data: memoryview
    length: int


class _Interface(NamedTuple):
    name: str
    link: int
    units: int
    """Units of its time stamps in a second."""
    offset: int


def packets(path: Path) -> Iterator[Packet]:
    """The packets of a file, in its order.

    CaptureError if it cannot be read, is no capture or ends within a packet; those before are given
    out.
    """
    try:
        with given.opened(path) as file:
            head = file.read(4)
        little, big = int.from_bytes(head, "little"), int.from_bytes(head, "big")
        if not {little, big} & {_SECTION, *_PCAP}:
            raise CaptureError(f"{path.name} is no capture: it begins like neither pcapng nor pcap")
        view = memoryview(given.data(path, MOST))
    except OSError as error:
        raise CaptureError(f"{path} cannot be read: {error.strerror}") from None
    if little == _SECTION:
        yield from _pcapng(view, path.name)
    elif little in _PCAP:
        yield from _pcap(view, "<", _PCAP[little], path.name)
    else:
        yield from _pcap(view, ">", _PCAP[big], path.name)


def _pcap(view: memoryview, order: str, unit: int, name: str) -> Iterator[Packet]:
    if len(view) < 24:
        raise CaptureError(f"{name} ends within its header")
    link = struct.unpack_from(order + "I", view, 20)[0] & 0xFFFF
    head = struct.Struct(order + "IIII")
    at = 24
    while at < len(view):
        if at + 16 > len(view):
            raise CaptureError(f"{name} ends within a packet, at byte {at}")
        seconds, part, kept, length = head.unpack_from(view, at)
        end = at + 16 + kept
        if end > len(view):
            raise CaptureError(f"{name} ends within a packet, at byte {at}")
        yield Packet(seconds * 10**9 + part * unit, "", link, view[at + 16 : end], length)
        at = end


def _pcapng(view: memoryview, name: str) -> Iterator[Packet]:
    order, interfaces, at, size = "<", list[_Interface](), 0, len(view)
    head, packet = struct.Struct("<II"), struct.Struct("<IIIII")
    while at < size:
        if at + 12 > size:
            raise CaptureError(f"{name} ends within a block, at byte {at}")
        kind, length = head.unpack_from(view, at)
        if kind == _SECTION:
            magic = int.from_bytes(view[at + 8 : at + 12], "little")
            order = "<" if magic == _MAGIC else ">"
            head, packet = struct.Struct(order + "II"), struct.Struct(order + "IIIII")
            kind, length = head.unpack_from(view, at)
            if struct.unpack_from(order + "I", view, at + 8)[0] != _MAGIC:
                raise CaptureError(f"{name}: the section at byte {at} has no byte order")
            interfaces = []
        if length < 12 + _LEAST.get(kind, 0) or length % 4 or at + length > size:
            raise CaptureError(f"{name}: the block at byte {at} has the length {length}")
        body = at + 8
        if kind == _ENHANCED:
            number, high, low, kept, whole = packet.unpack_from(view, body)
            face = _face(interfaces, number, name, at)
            if 32 + kept > length:
                raise CaptureError(f"{name}: the packet at byte {at} is longer than its block")
            stamp = (high << 32 | low) * 10**9 // face.units + face.offset
            data = view[body + 20 : body + 20 + kept]
            yield Packet(stamp, face.name, face.link, data, whole)
        elif kind == _INTERFACE:
            interfaces.append(_described(view[body : at + length - 4], order, len(interfaces)))
        elif kind == _SIMPLE:
            raise CaptureError(f"{name}: the packet at byte {at} has no time")
        at += length


def _face(found: list[_Interface], number: int, name: str, at: int) -> _Interface:
    if number >= len(found):
        raise CaptureError(
            f"{name}: the packet at byte {at} is of interface {number}, not described"
        )
    return found[number]


def _described(body: memoryview, order: str, number: int) -> _Interface:
    (link,) = struct.unpack_from(order + "H", body)
    name, units, offset, at = str(number), 10**6, 0, 8
    while at + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, at)
        value = body[at + 4 : at + 4 + length]
        if code == 0 or len(value) < length:
            break
        if code == _OPT_NAME:
            name = bytes(value).decode("utf-8", "replace")
        elif code == _OPT_RESOLUTION and length:
            units = (2 if value[0] & 0x80 else 10) ** (value[0] & 0x7F)
        elif code == _OPT_OFFSET and length == 8:
            offset = struct.unpack(order + "q", value)[0] * 10**9
        at += 4 + length + -length % 4
    return _Interface(name, link, units, offset)
