# SPDX-License-Identifier: MIT
"""Rx packets: the header, and the body of an acknowledgement. All numbers are big-endian."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from enum import IntEnum, IntFlag

HEADER = 28
IP_UDP = 28
DATA_DEFAULT = 1444
"""Bytes of DATA in a packet when nothing else was agreed: an MTU of 1500."""
JUMBO_DATA = 1412
"""Bytes of each packet of a jumbogram but the last."""
JUMBO_HEADER = 4
_HEADER = struct.Struct(">5I4B2H")
_ACK = struct.Struct(">2H3I2B")
_TRAILER = struct.Struct(">3x4I")


class Malformed(ValueError):
    """Bytes that are no Rx packet; the text says why."""


class Type(IntEnum):
    """Packet types."""

    DATA = 1
    ACK = 2
    BUSY = 3
    ABORT = 4
    ACKALL = 5
    CHALLENGE = 6
    RESPONSE = 7
    DEBUG = 8
    PARAMS_9 = 9
    PARAMS_10 = 10
    PARAMS_11 = 11
    PARAMS_12 = 12
    VERSION = 13


class Flag(IntFlag):
    """Flags of the header."""

    NONE = 0
    CLIENT = 0x01
    REQUEST_ACK = 0x02
    LAST = 0x04
    MORE = 0x08
    JUMBO = 0x20


class Reason(IntEnum):
    """Why an acknowledgement was sent."""

    REQUESTED = 1
    DUPLICATE = 2
    OUT_OF_SEQUENCE = 3
    EXCEEDS_WINDOW = 4
    NO_SPACE = 5
    PING = 6
    PING_RESPONSE = 7
    DELAY = 8
    IDLE = 9


@dataclass(frozen=True, slots=True)
class Header:
    """The 28 bytes that begin each packet; `cid` holds the channel in its two low bits."""

    epoch: int
    cid: int
    call: int
    seq: int
    serial: int
    type: int
    flags: int = 0
    status: int = 0
    security: int = 0
    spare: int = 0
    service: int = 0

    def encode(self) -> bytes:
        """The header's bytes."""
        return _HEADER.pack(
            self.epoch, self.cid, self.call, self.seq, self.serial, self.type, self.flags,
            self.status, self.security, self.spare, self.service,
        )  # fmt: skip


def decode(packet: bytes) -> tuple[Header, bytes]:
    """Header and body. Malformed."""
    if len(packet) < HEADER:
        raise Malformed(f"{len(packet)} bytes are no Rx header, which has {HEADER}")
    return Header(*_HEADER.unpack_from(packet)), packet[HEADER:]


@dataclass(frozen=True, slots=True)
class Ack:
    """An acknowledgement: all packets below `first` have arrived for good, of the following ones
    those that `acks` says, which may be taken back. MTUs are bytes of a packet with its header;
    what is 0 was not said."""

    first: int
    previous: int
    serial: int
    reason: int
    acks: bytes = b""
    max_mtu: int = 0
    if_mtu: int = 0
    window: int = 0
    jumbo: int = 0

    def encode(self) -> bytes:
        """The body's bytes."""
        return (
            _ACK.pack(0, 0, self.first, self.previous, self.serial, self.reason, len(self.acks))
            + self.acks
            + _TRAILER.pack(self.max_mtu, self.if_mtu, self.window, self.jumbo)
        )


def decode_ack(body: bytes) -> Ack:
    """From a body; trailing words may be missing. Malformed."""
    if len(body) < _ACK.size or len(body) < _ACK.size + body[17]:
        raise Malformed(f"an acknowledgement of {len(body)} bytes is too short for what it says")
    _, _, first, previous, serial, reason, count = _ACK.unpack_from(body)
    at = _ACK.size + count
    words = [0, 0, 0, 0]
    for i in range(4):
        if at + 3 + 4 * i + 4 <= len(body):
            words[i] = int.from_bytes(body[at + 3 + 4 * i : at + 7 + 4 * i], "big")
    return Ack(first, previous, serial, reason, body[_ACK.size : at], *words)


def split_jumbo(header: Header, body: bytes) -> list[tuple[Header, bytes]]:
    """The packets of a datagram of DATA, one or more. Malformed."""
    parts = []
    while header.flags & Flag.JUMBO:
        if len(body) < JUMBO_DATA + JUMBO_HEADER:
            raise Malformed(f"a jumbogram ends after {len(body)} bytes of a packet")
        flags = header.flags & ~(Flag.JUMBO | Flag.REQUEST_ACK) | Flag.MORE
        parts.append((replace(header, flags=flags), body[:JUMBO_DATA]))
        flags = header.flags & Flag.CLIENT | body[JUMBO_DATA]
        body = body[JUMBO_DATA + JUMBO_HEADER :]
        header = replace(
            header, flags=flags, seq=header.seq + 1, serial=header.serial + 1 & 0xFFFFFFFF
        )
    return [*parts, (header, body)]
