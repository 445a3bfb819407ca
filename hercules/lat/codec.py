# SPDX-License-Identifier: MIT
"""LAT messages as bytes and back (docs/reference/lat.md). Pure.

Integers are little-endian, texts counted.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import IntEnum

from vmkb.errors import VmkbError

ETHERTYPE = 0x6004
GROUP = bytes.fromhex("09002b00000f")
"""The multicast address of service announcements."""
MESSAGE_MAX = 1500
FRAME_MIN = 60
VERSION = 5
ECO = 2
CLASS_TERMINAL = 1

_HEADER = struct.Struct("<BBHHBB")
_ETHERNET = struct.Struct(">6s6sH")


class LatError(VmkbError, ValueError):
    """The bytes are no LAT message; the text says where and why."""


class MessageType(IntEnum):
    """Messages: the upper six bits of the first byte."""

    RUN = 0
    START = 1
    STOP = 2
    ANNOUNCE = 10
    SOLICIT = 14
    RESPONSE = 15


class SlotType(IntEnum):
    """Slots of a Run message: the upper nibble of their fourth byte."""

    DATA_A = 0
    START = 9
    DATA_B = 10
    ATTENTION = 11
    REJECT = 12
    STOP = 13


@dataclass(frozen=True)
class Slot:
    """A slot; `low` is the credits granted, or a Reject's or Stop's reason."""

    dst: int
    src: int
    kind: int
    low: int = 0
    data: bytes = b""

    def encode(self) -> bytes:
        """Its bytes, padded to an even length."""
        head = bytes((self.dst, self.src, len(self.data), self.kind << 4 | self.low))
        return head + self.data + b"\0" * (len(self.data) & 1)


@dataclass(frozen=True)
class Circuit:
    """A Run, Start or Stop message: its header, the slots of a Run, the rest of the others."""

    kind: MessageType
    dst: int
    src: int
    seq: int = 0
    ack: int = 0
    from_master: bool = True
    respond: bool = False
    slots: tuple[Slot, ...] = ()
    body: bytes = b""

    def encode(self) -> bytes:
        """The message."""
        first = self.kind << 2 | self.from_master << 1 | self.respond
        head = _HEADER.pack(first, len(self.slots), self.dst, self.src, self.seq, self.ack)
        return head + self.body + b"".join(slot.encode() for slot in self.slots)


@dataclass(frozen=True)
class Announcement:
    """A host's node and services, of an announcement or of a response to a solicitation."""

    node: str
    services: dict[str, int] = field(default_factory=dict)
    """Ratings by name."""
    accepting: bool = True
    groups: int = 1
    """Bit n: group n."""


def frame(destination: bytes, source: bytes, message: bytes) -> bytes:
    """The Ethernet frame that carries a message, padded to Ethernet's least length."""
    return (_ETHERNET.pack(destination, source, ETHERTYPE) + message).ljust(FRAME_MIN, b"\0")


def unframe(data: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Destination, source and message of a LAT frame; None of any other."""
    if len(data) < _ETHERNET.size + 1:
        return None
    destination, source, kind = _ETHERNET.unpack_from(data)
    return (destination, source, data[_ETHERNET.size :]) if kind == ETHERTYPE else None


def counted(text: str | bytes) -> bytes:
    """A counted text."""
    data = text.encode("latin-1") if isinstance(text, str) else text
    return bytes((len(data),)) + data


def take_counted(data: bytes, at: int) -> tuple[bytes, int]:
    """The counted text at an offset, and the offset behind it."""
    if at >= len(data) or at + 1 + data[at] > len(data):
        raise LatError(f"a counted text at offset {at} does not fit into {len(data)} bytes")
    end = at + 1 + data[at]
    return data[at + 1 : end], end


def decode_slots(data: bytes, count: int) -> tuple[Slot, ...]:
    """The slots of a Run message's body."""
    slots: list[Slot] = []
    at = 0
    for _ in range(count):
        if at + 4 > len(data) or at + 4 + data[at + 2] > len(data):
            raise LatError(f"slot {len(slots) + 1} of {count} does not fit at offset {at}")
        size = data[at + 2]
        slots.append(
            Slot(data[at], data[at + 1], data[at + 3] >> 4, data[at + 3] & 15,
                 data[at + 4 : at + 4 + size])
        )  # fmt: skip
        at += 4 + size + (size & 1)
    return tuple(slots)


def decode_circuit(message: bytes) -> Circuit:
    """A Run, Start or Stop message."""
    if len(message) < _HEADER.size:
        raise LatError(f"{len(message)} bytes are too few for a circuit's message")
    first, count, dst, src, seq, ack = _HEADER.unpack_from(message)
    if first >> 2 not in (MessageType.RUN, MessageType.START, MessageType.STOP):
        raise LatError(f"type {first >> 2} is not a circuit's")
    body = message[_HEADER.size :]
    kind = MessageType(first >> 2)
    slots = decode_slots(body, count) if kind == MessageType.RUN else ()
    return Circuit(kind, dst, src, seq, ack, bool(first & 2), bool(first & 1), slots,
                   b"" if kind == MessageType.RUN else body)  # fmt: skip


def start_body(node: str, host: str, timer: int, keepalive: int, sessions: int) -> bytes:
    """The body of a master's Start: `timer` in units of 10 ms, `keepalive` in seconds."""
    fixed = struct.pack(
        "<HBBBBBBHBB", MESSAGE_MAX, VERSION, ECO, sessions, 0, timer, keepalive, 0, 1, 1
    )
    return fixed + counted(host) + counted(node) + counted("") + b"\0"


def start_slot(src: int, service: str, port: str, slot_max: int, credit: int) -> Slot:
    """A request for a session: the service, our port's name, the data that a slot may have."""
    data = (
        bytes((CLASS_TERMINAL, 1, slot_max)) + counted(service) + counted("")
        + b"\x05" + counted(port) + b"\0"
    )  # fmt: skip
    return Slot(0, src, SlotType.START, credit, data)


def break_slot(dst: int, src: int) -> Slot:
    """A break: the flag, the flow control characters, no parameters."""
    return Slot(dst, src, SlotType.DATA_B, 0, b"\x10\x13\x11\x13\x11\0")


def _groups(mask: bytes) -> int:
    return int.from_bytes(mask, "little")


def decode_announcement(message: bytes) -> Announcement:
    """An announcement (type 10)."""
    if len(message) < 13:
        raise LatError(f"{len(message)} bytes are too few for an announcement")
    status = message[11]
    mask, at = take_counted(message, 12)
    node, at = take_counted(message, at)
    _, at = take_counted(message, at)
    if at >= len(message):
        raise LatError("an announcement without a count of services")
    services = {}
    count, at = message[at], at + 1
    for _ in range(count):
        if at >= len(message):
            raise LatError("an announcement ends within its services")
        rating = message[at]
        name, at = take_counted(message, at + 1)
        _, at = take_counted(message, at)
        services[name.decode("latin-1")] = rating
    return Announcement(node.decode("latin-1"), services, status != 3, _groups(mask))


def encode_solicit(ident: int, asker: str, service: str) -> bytes:
    """Who offers this service? The answer is a response with the same `ident`."""
    head = struct.pack("<BBBBBBHHH", MessageType.SOLICIT << 2, 0, VERSION, VERSION, VERSION, ECO,
                       MESSAGE_MAX, ident, 1)  # fmt: skip
    return head + counted("") + counted(b"\x01") + counted(asker) + counted(service) + b"\0"


def decode_response(message: bytes) -> Announcement:
    """A response to a solicitation (type 15)."""
    if len(message) < 22:
        raise LatError(f"{len(message)} bytes are too few for a response")
    status = int.from_bytes(message[10:12], "little")
    _, at = take_counted(message, 22)
    mask, at = take_counted(message, at)
    node, at = take_counted(message, at)
    _, at = take_counted(message, at)
    if at >= len(message):
        raise LatError("a response without a count of services")
    services = {}
    count, at = message[at], at + 1
    for _ in range(count):
        entry, at = take_counted(message, at)
        _, inner = take_counted(entry, 0)
        if inner + 2 > len(entry):
            raise LatError("a response's service ends before its rating")
        rating = entry[inner + 1]
        _, inner = take_counted(entry, inner + 2)
        name, _ = take_counted(entry, inner)
        services[name.decode("latin-1")] = rating
    return Announcement(node.decode("latin-1"), services, not status & 1, _groups(mask))
