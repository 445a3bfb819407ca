# SPDX-License-Identifier: MIT
"""The LAN as a port sees it: frames in, frames out, and the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from vmkb.hercules.wire.lan import Lan, Port


class Attachment:
    """A port in somebody's hands. The clock and the timer of the LAN are the wire's business."""

    def __init__(
        self, lan: Lan, port: Port, clock: Callable[[], float], changed: Callable[[], None]
    ) -> None:
        self._lan = lan
        self._port = port
        self._clock = clock
        self._changed = changed
        self.name = port.name
        self.take = port.take
        self.take_block = port.take_block

    @property
    def present(self) -> bool:
        """Whether somebody stands there."""
        return self._port.connected

    @property
    def waiting(self) -> int:
        """Bytes of the first frame that waits to be taken; 0 if none does."""
        return len(self._port.queue[0]) if self._port.queue else 0

    def join(self, wake: Callable[[], None]) -> None:
        """Somebody stands there from now on. `wake` is called when frames came for him; it may
        take them, and must not send."""
        self._port.wake = wake
        self._port.connected = True

    def ingress(self, frames: Iterable[bytes], together: bool = False) -> None:
        """Frames come in, in order; `together`: as one block."""
        self._lan.ingress(self._port, frames, self._clock(), together)
        self._changed()

    @property
    def paced(self) -> bool:
        """Whether the link has a rate: only then may it be busy."""
        return bool(self._port.up.profile.rate)

    def busy(self) -> float:
        """Seconds until half of what the link can hold is free again, as an
        adapter waits before it takes more from its machine; 0 if it is, and on a link without a
        rate."""
        link = self._port.up
        return max(0.0, link.ready_at(link.profile.queue // 2) - self._clock())

    @property
    def held(self) -> bool:
        """Whether the receiver of its last frames has yet to read before there is room for more:
        only where both stand behind a channel."""
        return self._port.held

    def refuse(self, frame: bytes) -> None:
        """A frame that was taken, and that is not wanted there."""
        self._port.refuse(frame)

    def gone(self) -> None:
        """Nobody stands there any more: what waits is dropped, its addresses are forgotten."""
        self._lan.disconnect(self._port)
