# SPDX-License-Identifier: MIT
"""Frames of DECnet Phase IV on an Ethernet: addresses, routing headers, NSP messages."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from vmkb.errors import VmkbError

ETHERTYPE = 0x6003
ALL_ROUTERS = bytes.fromhex("ab0000030000")
_HIORD = bytes.fromhex("aa000400")
FRAME_MIN = 60
LONG = 0x26
LONG_RETURN = 0x2E

DATA, BOM, EOM = 0x00, 0x20, 0x40
LINK_SERVICE, INTERRUPT = 0x10, 0x30
ACK, OTHER_ACK = 0x04, 0x14
CA, CI, CI_AGAIN, CC, DI, DC, NOP = 0x24, 0x18, 0x68, 0x28, 0x38, 0x48, 0x08
DELAY = 0x1000


class PacketError(VmkbError, ValueError):
    """The bytes are no message of the protocol; the text says which part."""


def address(text: str) -> int:
    """`area.node` as 16 bits. ValueError if it is none."""
    area, dot, node = text.partition(".")
    if not dot or not (1 <= int(area) <= 63 and 1 <= int(node) <= 1023):
        raise ValueError(f"{text!r} is no DECnet address: area.node, 1.1 to 63.1023")
    return int(area) << 10 | int(node)


def mac(node: int) -> bytes:
    """The Ethernet address of a node."""
    return _HIORD + struct.pack("<H", node)


def ethernet(to: bytes, source: bytes, message: bytes) -> bytes:
    """A frame with this routing message, padded."""
    body = struct.pack(">H", ETHERTYPE) + struct.pack("<H", len(message)) + message
    return (to + source + body).ljust(FRAME_MIN, b"\0")


def data_frame(source: int, to: int, message: bytes, returnable: bool = False) -> bytes:
    """A frame with the long header."""
    flags = bytes([LONG_RETURN if returnable else LONG])
    header = flags + b"\0\0" + mac(to) + b"\0\0" + mac(source) + b"\0\0\0\0"
    return ethernet(mac(to), mac(source), header + message)


def hello_frame(source: int, seconds: int = 15) -> bytes:
    """An end node's hello."""
    message = b"\x0d\2\0\0" + mac(source) + b"\3" + struct.pack("<H", 1498) + bytes(15)
    message += struct.pack("<H", seconds) + b"\0\2\xaa\xaa"
    return ethernet(ALL_ROUTERS, mac(source), message)


def open_frame(frame: bytes, me: int) -> tuple[int, bytes] | None:
    """(sender, NSP message) of a data frame for `me`; None for hellos and other nodes' frames.
    PacketError if it is no DECnet frame."""
    if len(frame) < 17 or frame[12:14] != struct.pack(">H", ETHERTYPE):
        raise PacketError("no DECnet frame")
    (length,) = struct.unpack_from("<H", frame, 14)
    if length > len(frame) - 16 or not length:
        raise PacketError(f"a routing message of {length} bytes in {len(frame)}")
    message = frame[16 : 16 + length]
    if message[0] & 0x80:
        message = message[message[0] & 0x7F :]
    if not message:
        raise PacketError("nothing but padding")
    if message[0] & 1:
        return None
    if message[0] & 7 == 6 and len(message) >= 21:
        to, source = message[3:9], message[11:17]
        rest = message[21:]
    elif message[0] & 7 == 2 and len(message) >= 6:
        to, source = _HIORD + message[1:3], _HIORD + message[3:5]
        rest = message[6:]
    else:
        raise PacketError("no data header")
    return (struct.unpack_from("<H", source, 4)[0], rest) if to == mac(me) else None


@dataclass
class Message:
    """An NSP message; acks: (cross, number) of each acknowledgement."""

    type: int
    to: int
    source: int = 0
    acks: list[tuple[bool, int]] = field(default_factory=list)
    seq: int = 0
    services: int = 1
    segment: int = 0
    reason: int = 0
    body: bytes = b""

    @property
    def is_data(self) -> bool:
        """A data segment, whatever its place in the message."""
        return self.type & ~(BOM | EOM) == DATA


def encode(m: Message) -> bytes:
    """The bytes of an NSP message."""
    if m.type == CA:
        return struct.pack("<BH", CA, m.to)
    head = struct.pack("<BHH", m.type, m.to, m.source)
    if m.type in (CI, CI_AGAIN, CC):
        return head + struct.pack("<BBH", m.services, 2, m.segment) + m.body
    if m.type == DI:
        return head + struct.pack("<HB", m.reason, 0)
    if m.type == DC:
        return head + struct.pack("<H", m.reason)
    for cross, number in m.acks:
        head += struct.pack("<H", 0x8000 | (0x2000 if cross else 0) | number)
    return head if m.type in (ACK, OTHER_ACK) else head + struct.pack("<H", m.seq) + m.body


def decode(data: bytes) -> Message:
    """An NSP message. PacketError if it is none."""
    try:
        return _decode(data)
    except (struct.error, IndexError):
        raise PacketError(f"an NSP message cut short: {data.hex()}") from None


def _decode(data: bytes) -> Message:
    kind = data[0]
    if kind == NOP:
        return Message(NOP, 0)
    if kind == CA:
        return Message(CA, struct.unpack_from("<H", data, 1)[0])
    to, source = struct.unpack_from("<HH", data, 1)
    m = Message(kind, to, source)
    if kind in (CI, CI_AGAIN, CC):
        m.services, _, m.segment = struct.unpack_from("<BBH", data, 5)
        m.body = data[9:]
        return m
    if kind in (DI, DC):
        (m.reason,) = struct.unpack_from("<H", data, 5)
        return m
    if not m.is_data and kind not in (ACK, OTHER_ACK, LINK_SERVICE, INTERRUPT):
        raise PacketError(f"NSP message type {kind:02x}")
    at = 5
    while len(data) >= at + 2 and len(m.acks) < 2 and data[at + 1] & 0x80:
        (word,) = struct.unpack_from("<H", data, at)
        m.acks.append((bool(word & 0x2000), word & 0xFFF))
        at += 2
    if kind not in (ACK, OTHER_ACK):
        (m.seq,) = struct.unpack_from("<H", data, at)
        m.body = data[at + 2 :]
    return m
