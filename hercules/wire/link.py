# SPDX-License-Identifier: MIT
"""One direction of a link: when a frame gets across, and in what state. Pure: time is an argument.

Each effect draws from its own generator, one draw for each frame, so the fate of the n-th frame
follows from the seed, the link and n, and switching one effect on does not disturb the others.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from vmkb.hercules.wire.block import FRAME_MIN
from vmkb.hercules.wire.line.line import Line
from vmkb.hercules.wire.profile import Profile

ENDLESS = 1 << 62
"""Bytes of a far end that always has room."""
_TYPE_IP, _TYPE_ARP = b"\x08\x00", b"\x08\x06"


class Medium:
    """A medium for one frame at a time: a direction of a link, or a ring that many links
    share."""

    __slots__ = ("busy_until",)

    def __init__(self) -> None:
        self.busy_until = 0.0


class Transit(NamedTuple):
    """A copy of a frame on its way: first bit out, last bit in (seconds of the wire's clock)."""

    begun: float
    done: float
    frame: bytes
    late: bool
    """Held back on purpose: later frames may overtake it."""


class Direction:
    """One direction of a link, with its profile, its generators and its counts.

    offered + duplicated = crossed + the sum of the drops, always.
    """

    def __init__(
        self, label: str, profile: Profile, seed: int, medium: Medium | None = None
    ) -> None:
        self._label = label
        self._seed = seed
        self._medium = medium or Medium()
        self._finish = 0.0
        self._line: Line | None = None
        self.cut = False
        self.offered = self.offered_bytes = 0
        self.crossed = self.crossed_bytes = 0
        self.duplicated = self.reordered = self.damaged = 0
        self.queue_high_water = 0
        self.dropped: Counter[str] = Counter()
        self._random = {
            effect: random.Random(f"{seed}/{label}/{effect}")
            for effect in ("loss", "duplication", "reordering", "bit_errors")
        }
        self.set_profile(profile, self._medium)

    def set_profile(self, profile: Profile, medium: Medium) -> None:
        """Changes the profile for the frames to come; those on their way keep their times."""
        self.profile = profile
        self._medium = medium
        self._plain = profile.plain
        self._longest = profile.mtu + FRAME_MIN
        self._byte_bits = profile.char_bits or 8
        if not profile.char_bits:
            self._line = None
        elif self._line is None:
            self._line = Line(f"{self._seed}/{self._label}", profile)
        else:
            self._line.set_profile(profile)

    def _backlog(self, now: float) -> int:
        # bytes accepted and not yet on the medium, as time on the medium says
        waiting = self._finish - now
        return int(waiting * self.profile.rate / self._byte_bits) if waiting > 0 else 0

    @property
    def medium(self) -> Medium:
        """The medium of its frames."""
        return self._medium

    def ready_at(self, backlog: int) -> float:
        """The time at which no more than `backlog` bytes will be waiting, if nothing is added."""
        if not self.profile.rate:
            return 0.0
        return self._finish - backlog * self._byte_bits / self.profile.rate

    def offer(self, sent: Transit, room: int | None = ENDLESS) -> Sequence[Transit]:
        """The copies of a frame that arrive, and when: none if it is dropped, two copies if it is
        duplicated. `room` is the bytes that the far end has room for, None if nobody is there."""
        begun, done, frame, held_back = sent
        length = len(frame)
        self.offered += 1
        self.offered_bytes += length
        if room is None:
            return self._drop("gone")
        if length > room:
            return self._drop("queue")
        if self.cut:
            return self._drop("cut")
        if length > self._longest:
            return self._drop("mtu")
        if self._plain or (self._line is not None and frame[12:14] == _TYPE_ARP):
            self.crossed += 1
            self.crossed_bytes += length
            return (sent,)
        if self._line is not None:
            return self._over_line(self._line, sent)
        profile = self.profile
        backlog = self._backlog(begun)
        if backlog + length > profile.queue:
            return self._drop("queue")
        self.queue_high_water = max(self.queue_high_water, backlog + length)
        begun, done = self._occupy(length, begun, done)
        copies = 1
        if self._happens("loss", profile.loss):
            self.dropped["loss"] += 1
            copies -= 1
        if self._happens("duplication", profile.duplication):
            self.duplicated += 1
            if copies:
                begun, done = self._occupy(length, begun, done)
                copies += 1
            else:
                self.dropped["loss"] += 1
        late = self._happens("reordering", profile.reordering)
        transits = []
        for _ in range(copies):
            arrives = self._damage(frame)
            if arrives is None:
                self.dropped["check"] += 1
                continue
            self.crossed += 1
            self.crossed_bytes += length
            held = profile.delay + (profile.reorder_delay if late else 0.0)
            self.reordered += late
            transits.append(Transit(begun + held, done + held, arrives, late or held_back))
        return transits

    def _over_line(self, line: Line, sent: Transit) -> Sequence[Transit]:
        # A packet is on the line when it has come whole to the line's end. Ethernet's header stays
        # there; the far end has another one. ARP is answered on both sides for the other one, as a
        # server of dial-in lines does, and costs nothing: PPP has none.
        profile, frame = self.profile, sent.frame
        if frame[12:14] != _TYPE_IP:
            return self._drop("protocol")
        if profile.queue_frames and line.waiting(sent.done) >= profile.queue_frames:
            return self._drop("queue")
        backlog = self._backlog(sent.done) + len(frame)
        if backlog > profile.queue:
            return self._drop("queue")
        self.queue_high_water = max(self.queue_high_water, backlog)
        if self._happens("loss", profile.loss):
            return self._drop("loss")
        packet = frame[FRAME_MIN : FRAME_MIN + int.from_bytes(frame[16:18])]
        damaged = line.damaged
        received = line.send(packet, frame[:FRAME_MIN], sent.done)
        self._finish = line.free_at
        self.damaged += line.damaged - damaged
        # one that was counted as lost may yet come whole, with the next one's flag
        self.dropped["check"] += 1 - len(received)
        transits = []
        for got in received:
            whole = got.mark + got.packet
            self.crossed += 1
            self.crossed_bytes += len(whole)
            begun, done = got.begun + profile.delay, got.done + profile.delay
            transits.append(Transit(begun, done, whole, sent.late))
        return transits

    def _drop(self, reason: str) -> Sequence[Transit]:
        self.dropped[reason] += 1
        return ()

    def drop_late(self, frame: bytes, reason: str) -> None:
        """Counts a frame that had crossed and is dropped before its receiver took it."""
        self.crossed -= 1
        self.crossed_bytes -= len(frame)
        self.dropped[reason] += 1

    def _occupy(self, length: int, begun: float, done: float) -> tuple[float, float]:
        # A frame that comes in bit by bit can leave bit by bit: two links of one rate cost its
        # time once.
        seconds = self.profile.seconds(length)
        if seconds:
            if self.profile.store_and_forward:
                begun = done
            begun = max(begun, self._medium.busy_until)
            done = max(done, begun + seconds)
            self._medium.busy_until = self._finish = done
        return begun, done

    def _happens(self, effect: str, probability: float) -> bool:
        return probability > 0.0 and self._random[effect].random() < probability

    def _damage(self, frame: bytes) -> bytes | None:
        probability = self.profile.bit_errors
        if not probability:
            return frame
        bits = len(frame) * 8
        chance = self._random["bit_errors"]
        damaged: bytearray | None = None
        at = -1
        while True:
            # distance to the next error: geometric, so a clean frame costs one draw
            if probability < 1.0:
                skip = math.log(1.0 - chance.random()) / math.log(1.0 - probability)
                at += 1 + int(min(skip, bits))
            else:
                at += 1
            if at >= bits:
                break
            if damaged is None:
                damaged = bytearray(frame)
            damaged[at >> 3] ^= 0x80 >> (at & 7)
        if damaged is None:
            return frame
        self.damaged += 1
        return None if self.profile.check_sequence else bytes(damaged)

    def snapshot(self) -> dict[str, object]:
        """The counts: frames, bytes of Ethernet frames without check sequence, drops by reason."""
        return {
            "offered_frames": self.offered,
            "offered_bytes": self.offered_bytes,
            "crossed_frames": self.crossed,
            "crossed_bytes": self.crossed_bytes,
            "duplicated": self.duplicated,
            "reordered": self.reordered,
            "damaged": self.damaged,
            "queue_high_water": self.queue_high_water,
            "dropped": {reason: n for reason, n in self.dropped.items() if n},
            **({"characters": self._line.characters} if self._line is not None else {}),
        }
