# SPDX-License-Identifier: MIT
"""One direction of an asynchronous line: packets in, characters on it, packets out. Pure: time is
an argument.

A character takes `char_bits` bits (start, eight of data, stop) and follows the one before it
without a pause while there is one to send. The k-th character since the line was last idle ends
exactly k times a character's time later: no error adds up. An inverted data bit arrives inverted; a
start or stop bit that is, costs its character, as a receiver with a framing error throws it away.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from vmkb.hercules.wire.line.framing import IP, Deframer, encode
from vmkb.hercules.wire.line.noise import Noise
from vmkb.hercules.wire.line.vj import Compressor, Decompressor
from vmkb.hercules.wire.profile import Profile


class Received(NamedTuple):
    """A packet at the far end: when its frame's first character began and its last one ended
    (seconds, without the modems' delay), the packet, and the mark it was sent with."""

    begun: float
    done: float
    packet: bytes
    mark: bytes


class Line:
    """One direction, with both ends' PPP. `characters` counts those sent."""

    def __init__(self, label: str, profile: Profile) -> None:
        self._noise = Noise(label)
        self._deframer: Deframer[tuple[float, bytes]] = Deframer()
        self._from = 0.0
        self._count = 0
        self._begins: deque[float] = deque()
        self.characters = 0
        self.set_profile(profile)

    def set_profile(self, profile: Profile) -> None:
        """Another rate or noise for the packets to come. Both ends begin compression anew."""
        if self.characters:
            self._from, self._count = self.free_at, 0
        self.char_seconds = profile.char_bits / profile.rate
        self._bits = profile.char_bits
        self._noise.set(
            profile.bit_errors, profile.burst_errors, profile.burst_seconds, profile.burst_every
        )
        self._compressor = Compressor() if profile.header_compression else None
        self._decompressor = Decompressor()

    @property
    def free_at(self) -> float:
        """When the last character that was given to it ends."""
        return self._from + self._count * self.char_seconds

    @property
    def damaged(self) -> int:
        """Frames that did not come whole, and packets that could not be decompressed for it."""
        return self._deframer.damaged + self._decompressor.tossed

    def waiting(self, now: float) -> int:
        """Packets whose first character has not begun by NOW."""
        begins = self._begins
        while begins and begins[0] <= now:
            begins.popleft()
        return len(begins)

    def send(self, packet: bytes, mark: bytes, now: float) -> list[Received]:
        """Send PACKET when it is its turn; what the far end has then got whole, in order: as a rule
        this packet, nothing if it was damaged, or one before that only now has its flag."""
        protocol = IP
        if self._compressor is not None:
            protocol, packet = self._compressor.compress(packet)
        sent = encode(protocol, packet)
        if now >= self.free_at:
            self._from, self._count = now, 0
        first = self._count
        begun = self._from + first * self.char_seconds
        self._begins.append(begun)
        self._count += len(sent)
        self.characters += len(sent)
        found = []
        for framed in self._deframer.feed(self._arriving(sent, begun), (begun, mark)):
            if framed is None:
                self._decompressor.damaged()
                continue
            whole = self._decompressor.restore(framed.protocol, framed.packet)
            if whole is not None:
                done = self._from + (first + framed.place + 1) * self.char_seconds
                found.append(Received(framed.mark[0], done, whole, framed.mark[1]))
        return found

    def _arriving(self, sent: bytes, begun: float) -> list[int | None]:
        arriving: list[int | None] = list(sent)
        bit_seconds = self.char_seconds / self._bits
        for bit in self._noise.inverted(begun, len(sent) * self._bits, bit_seconds):
            place, number = divmod(bit, self._bits)
            character = arriving[place]
            if character is None or not 1 <= number <= 8:
                arriving[place] = None
            else:
                arriving[place] = character ^ 1 << number - 1
        return arriving
