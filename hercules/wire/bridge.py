# SPDX-License-Identifier: MIT
"""The router through which frames come onto a medium that many links share. Pure: time is an
argument."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from vmkb.hercules.wire.link import Medium, Transit

if TYPE_CHECKING:
    from vmkb.hercules.wire.lan import Port


class Bridge:
    """Its queue for the medium. It is one station among the others: the frame that is next takes
    its turn with theirs, and those behind it keep nobody waiting."""

    def __init__(self, medium: Medium) -> None:
        self._medium = medium
        self._waiting: deque[tuple[Port, Transit]] = deque()
        self.bytes = 0
        """Of the frames that wait; the one whose turn it is, is none of them."""
        self.sending = False
        """Whether there is one: `turn` is due when its last bit has gone."""

    def put(self, target: Port, transit: Transit) -> bool:
        """A frame for TARGET has come whole. Whether it has room."""
        length = len(transit.frame)
        if self.bytes + length > target.up.profile.queue:
            return False
        self._waiting.append((target, transit))
        self.bytes += length
        return True

    def turn(self, now: float) -> tuple[Port, Transit] | None:
        """The next frame and when it crosses the medium; None if there is none."""
        self.sending = bool(self._waiting)
        if not self._waiting:
            return None
        target, transit = self._waiting.popleft()
        length = len(transit.frame)
        self.bytes -= length
        begun = max(now, self._medium.busy_until)
        done = begun + target.up.profile.seconds(length)
        self._medium.busy_until = done
        return target, transit._replace(begun=begun, done=done)
