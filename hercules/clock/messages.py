# SPDX-License-Identifier: MIT
"""Messages between the clock and an emulator on virtual time (hercules/exact/virtual_link.c).
Pure.

A message is `u8 kind`, `u32 length` of what follows, `u64 time` in picoseconds, and its content, in
this computer's byte order. docs/reference/clock.md lists them.
"""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import NamedTuple

NEVER = (1 << 64) - 1
"""A time that does not come."""
PS = 1_000_000_000_000
"""Picoseconds in a second."""
DEVICES_MAX = 32
_HEAD = struct.Struct("=BIQ")
_PREFIX = 5
_HELLO = struct.Struct("=QQQQQI4x")
_DEVICE = struct.Struct("=IIQQQ")
_ASK = struct.Struct("=QQI4x")
_U16 = struct.Struct("=H")
_SOLE_ASK = struct.Struct("=BIQQQI4x")
_GRANT = struct.Struct("=BIQB")
FORKED_SIZE = _HEAD.size + 4
"""Bytes of a FORKED."""


def seconds(time: int) -> float:
    """A time of the world's, ps, in seconds."""
    return time / PS


def picoseconds(time: float) -> int:
    """A time in seconds as one of the world's, which is not before it."""
    whole = int(time * PS)
    return whole if whole / PS >= time else whole + 1


class MessageKind(enum.IntEnum):
    """The kinds of messages: those to an emulator, then those from one."""

    __hash__ = int.__hash__  # an Enum's own takes longer, and each message is looked up

    HELLO = ord("H")
    GRANT = ord("G")
    BLOCK = ord("B")
    DONE = ord("D")
    LOOK = ord("K")
    ACCEPT = ord("N")
    OPERATOR = ord("O")
    FORK = ord("F")
    ASK = ord("A")
    WRITE = ord("W")
    TAKEN = ord("R")
    TYPED = ord("C")
    SENT = ord("T")
    SEEN = ord("k")
    STOPPED = ord("X")
    RESET = ord("Z")
    FORKED = ord("f")


_KINDS = {kind.value: kind for kind in MessageKind}


class DeviceTime(NamedTuple):
    """The time of a channel program at a kind of device, ps: `start`, `byte` for each byte, and
    `seek` if its arm has to move, from one of the `cylinder` blocks to another cylinder."""

    devtype: int
    start: int
    byte: int = 0
    seek: int = 0
    cylinder: int = 0


@dataclass(frozen=True)
class Pace:
    """How fast a machine is: instructions, moved bytes and summed bytes a millisecond (a rate of 0
    takes no time), and the times of its devices."""

    kmips: int
    move_rate: int = 0
    sum_rate: int = 0
    devices: tuple[DeviceTime, ...] = ()


class Message(NamedTuple):
    """One message from an emulator. `device` is 0 where it is about none."""

    kind: MessageKind
    time: int
    device: int
    content: bytes


class Ask(NamedTuple):
    """An emulator's state as it asks for time: its next event, ps; what it has executed; whether
    its CPU waits."""

    next: int
    instructions: int
    waiting: bool


def encode(kind: MessageKind, time: int, content: bytes = b"") -> bytes:
    """A message's bytes."""
    return _HEAD.pack(kind, 8 + len(content), time) + content


def grant(until: int, watch: int) -> bytes:
    """The message that an emulator may go on until UNTIL, ps."""
    return _GRANT.pack(ord("G"), 9, until, watch)


def device(number: int, content: bytes = b"") -> bytes:
    """The content of a message about a device."""
    return _U16.pack(number) + content


def hello(pace: Pace, tod: int, turnaround: int) -> bytes:
    """The first message: how fast the machine is, its clock at the start (1/16 us since 1900), and
    the least time from a block's WRITE to its end, ps. ValueError for too many devices."""
    if len(pace.devices) > DEVICES_MAX:
        raise ValueError(f"{len(pace.devices)} kinds of devices; there may be {DEVICES_MAX}")
    rows = [*pace.devices, *[DeviceTime(0, 0)] * (DEVICES_MAX - len(pace.devices))]
    content = _HELLO.pack(
        pace.kmips, pace.move_rate, pace.sum_rate, tod, turnaround, len(pace.devices)
    ) + b"".join(
        _DEVICE.pack(row.devtype, row.cylinder, row.start, row.byte, row.seek) for row in rows
    )
    return encode(MessageKind.HELLO, 0, content)


def ask(message: Message) -> Ask:
    """The content of an ASK."""
    next_event, instructions, waiting = _ASK.unpack(_U16.pack(message.device) + message.content)
    return Ask(next_event, instructions, bool(waiting))


def forked(message: Message) -> int:
    """The process number that a FORKED has."""
    return int.from_bytes(_U16.pack(message.device) + message.content, "little")


class Decoder:
    """Takes messages out of a byte stream that comes in arbitrary pieces. Their times are counted
    from BEGAN, ps."""

    def __init__(self, began: int = 0) -> None:
        self._began = began
        self._rest = b""

    def sole_ask(self, data: bytes) -> tuple[int, Ask] | None:
        """The time and what it says if DATA is one ASK: the same as `feed`, for what comes most."""
        if len(data) != _SOLE_ASK.size or data[0] != MessageKind.ASK or self._rest:
            return None
        _, _, time, next_event, instructions, waiting = _SOLE_ASK.unpack(data)
        return time + self._began, Ask(next_event, instructions, bool(waiting))

    def feed(self, data: bytes) -> list[Message]:
        """The messages that are complete now. ValueError for a kind that there is not."""
        if self._rest:
            data = self._rest + data
        at, end = 0, len(data)
        found = []
        while end - at >= _HEAD.size:
            kind, length, time = _HEAD.unpack_from(data, at)
            begins, ends = at + _HEAD.size, at + _PREFIX + length
            if ends > end:
                break
            number = _U16.unpack_from(data, begins)[0] if ends - begins >= 2 else 0
            known = _KINDS.get(kind) or MessageKind(kind)
            found.append(Message(known, time + self._began, number, data[begins + 2 : ends]))
            at = ends
        self._rest = data[at:]
        return found
