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
_HELLO = struct.Struct("=QQQQQI4x")
_DEVICE = struct.Struct("=IIQQQ")


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

    LOOK = ord("K")
    ACCEPT = ord("N")
    OPERATOR = ord("O")
    WRITE = ord("W")
    TAKEN = ord("R")
    TYPED = ord("C")
    SENT = ord("T")
    SEEN = ord("k")
    STOPPED = ord("X")
    RESET = ord("Z")


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


def hello(pace: Pace, tod: int, turnaround: int) -> bytes:
    """What an emulator is told first: how fast the machine is, its clock at the start (1/16 us
    since 1900), and the least time from a block's WRITE to its end, ps. ValueError for too many
    devices."""
    if len(pace.devices) > DEVICES_MAX:
        raise ValueError(f"{len(pace.devices)} kinds of devices; there may be {DEVICES_MAX}")
    rows = [*pace.devices, *[DeviceTime(0, 0)] * (DEVICES_MAX - len(pace.devices))]
    return _HELLO.pack(
        pace.kmips, pace.move_rate, pace.sum_rate, tod, turnaround, len(pace.devices)
    ) + b"".join(
        _DEVICE.pack(row.devtype, row.cylinder, row.start, row.byte, row.seek) for row in rows
    )
