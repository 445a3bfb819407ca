# SPDX-License-Identifier: MIT
"""One direction of a link: when a frame gets across, and in what state. Pure: time is an argument.

Each effect draws from its own generator, one draw for each frame, so the fate of the n-th frame
follows from the seed, the link and n, and switching one effect on does not disturb the others.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import NamedTuple

from hercules.wire.block import FRAME_MIN
from hercules.wire.profile import Profile


class Medium:
    """What one frame at a time can be on: a direction of a link, or a ring that many links
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

    @property
    def transparent(self) -> bool:
        """Whether `pass_all` may be used: nothing happens to a frame but counting."""
        return self._plain and not self.cut

    def backlog(self, now: float) -> int:
        """Bytes accepted and not yet on the medium, as time on the medium says."""
        waiting = self._finish - now
        return int(waiting * self.profile.rate / 8) if waiting > 0 else 0

    def ready_at(self, backlog: int) -> float:
        """The time at which no more than `backlog` bytes will be waiting, if nothing is added."""
        if not self.profile.rate:
            return 0.0
        return self._finish - backlog * 8 / self.profile.rate

    def pass_all(self, frames: list[bytes]) -> list[bytes]:
        """The frames that cross a transparent direction: all but those that are too long."""
        size = sum(map(len, frames))
        self.offered += len(frames)
        self.offered_bytes += size
        longest = self._longest
        if any(len(frame) > longest for frame in frames):
            good = [frame for frame in frames if len(frame) <= longest]
            self.dropped["mtu"] += len(frames) - len(good)
            frames = good
            size = sum(map(len, frames))
        self.crossed += len(frames)
        self.crossed_bytes += size
        return frames

    def refuse(self, frame: bytes, reason: str) -> None:
        """Counts a frame that was offered and dropped before it got onto the medium."""
        self.offered += 1
        self.offered_bytes += len(frame)
        self.dropped[reason] += 1

    def admit(self, frame: bytes, begun: float, done: float) -> list[Transit]:
        """Sends a frame whose first bit came at `begun` and whose last bit comes at `done`: the
        copies that will cross (none if it is dropped, two if it is duplicated)."""
        profile = self.profile
        self.offered += 1
        self.offered_bytes += len(frame)
        if self.cut:
            self.dropped["cut"] += 1
            return []
        if len(frame) > self._longest:
            self.dropped["mtu"] += 1
            return []
        if self._plain:
            self._count(frame)
            return [Transit(begun, done, frame, False)]
        backlog = self.backlog(begun)
        if backlog + len(frame) > profile.queue:
            self.dropped["queue"] += 1
            return []
        self.queue_high_water = max(self.queue_high_water, backlog + len(frame))
        begun, done = self._occupy(len(frame), begun, done)
        copies = 1
        if self._happens("loss", profile.loss):
            self.dropped["loss"] += 1
            copies -= 1
        if self._happens("duplication", profile.duplication):
            self.duplicated += 1
            if copies:
                begun2, done2 = self._occupy(len(frame), begun, done)
                begun, done = begun2, done2
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
            self._count(arrives)
            held = profile.delay + (profile.reorder_delay if late else 0.0)
            self.reordered += late
            transits.append(Transit(begun + held, done + held, arrives, late))
        return transits

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

    def _count(self, frame: bytes) -> None:
        self.crossed += 1
        self.crossed_bytes += len(frame)

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
            "dropped": dict(self.dropped),
        }
