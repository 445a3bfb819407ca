# SPDX-License-Identifier: MIT
"""PPP frames as characters of an asynchronous line, and back (RFC 1662). Pure.

A frame is flag, address FF, control 03, protocol (2), packet, check sequence (2), flag: 8
characters more than the packet. Each frame has both flags. 7D and 7E are escaped, and nothing else:
the map of control characters is 0, which the ends of a line that is clear to eight bits agree on
(RFC 1662, 7.1).
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

FLAG, ESCAPE, TURN = 0x7E, 0x7D, 0x20
HEAD = b"\xff\x03"
IP, COMPRESSED_TCP, UNCOMPRESSED_TCP = 0x0021, 0x002D, 0x002F
"""Protocols (RFC 1332, RFC 1144)."""
LONGEST = 1600
"""Characters between flags, unescaped; longer ones are noise (the largest packet is 1500)."""
_GOOD = 0xF0B8
_FIRST = 0xFFFF


def _table() -> tuple[int, ...]:
    made = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
        made.append(value)
    return tuple(made)


_TABLE = _table()


def check(data: bytes) -> int:
    """The check sequence's register after DATA (RFC 1662, C.2), not complemented."""
    register = _FIRST
    for byte in data:
        register = register >> 8 ^ _TABLE[(register ^ byte) & 0xFF]
    return register


def encode(protocol: int, packet: bytes) -> bytes:
    """The characters of one frame, both flags included."""
    body = HEAD + protocol.to_bytes(2, "big") + packet
    body += (check(body) ^ 0xFFFF).to_bytes(2, "little")
    escaped = body.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e")
    return b"\x7e" + escaped + b"\x7e"


T = TypeVar("T")


class Framed(NamedTuple, Generic[T]):
    """A frame that came whole: its protocol and packet, the mark that its first character came
    with, and the place of its closing flag among the characters fed."""

    protocol: int
    packet: bytes
    mark: T
    place: int


class Deframer(Generic[T]):
    """A receiver of the characters of a line. `damaged` counts frames that it threw
    away: check sequence, escape before a flag, too long, too short, no PPP."""

    def __init__(self) -> None:
        self.damaged = 0
        self._body = bytearray()
        self._turn = False
        self._mark: T | None = None

    def feed(self, characters: list[int | None], mark: T) -> list[Framed[T] | None]:
        """The frames that end within CHARACTERS, None in place of one that is thrown away; a
        character None is one that the receiver could not take: its start or stop bit was wrong."""
        found: list[Framed[T] | None] = []
        body = self._body
        for place, character in enumerate(characters):
            if character is None:
                continue
            if character == FLAG:
                if body or self._turn:
                    found.append(self._whole(place))
                body.clear()
                self._turn = False
            elif character == ESCAPE:
                self._turn = True
            else:
                if not body:
                    self._mark = mark
                if len(body) <= LONGEST:
                    body.append(character ^ TURN if self._turn else character)
                self._turn = False
        return found

    def _whole(self, place: int) -> Framed[T] | None:
        body = bytes(self._body)
        good = not self._turn and 6 <= len(body) <= LONGEST and body.startswith(HEAD)
        if not good or check(body) != _GOOD:
            self.damaged += 1
            return None
        assert self._mark is not None
        return Framed(int.from_bytes(body[2:4]), body[4:-2], self._mark, place)
