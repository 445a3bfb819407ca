# SPDX-License-Identifier: MIT
"""The LAN as a port sees it: frames in, frames out, and the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol, TypeVar


class Place(Protocol):
    """A port of a LAN, whosever the LAN is (hercules.wire.lan, hercules.clock.lan)."""

    name: str
    connected: bool
    wake: Callable[[], None]

    @property
    def waiting(self) -> int: ...

    @property
    def held(self) -> bool: ...

    @property
    def paced(self) -> bool: ...

    def busy(self, now: float) -> float: ...

    def take(self, room: int, per_frame: int) -> list[bytes]: ...

    def take_block(self, room: int, gathered: int, per_frame: int) -> list[bytes]: ...

    def refuse(self, frame: bytes) -> None: ...


P = TypeVar("P", bound=Place, contravariant=True)


class Switch(Protocol[P]):
    """A LAN with such ports."""

    def ingress(
        self, port: P, frames: Iterable[bytes], now: float, together: bool = False
    ) -> None: ...

    def disconnect(self, port: P) -> None: ...


class Attachment:
    """A port in somebody's hands. The clock and the timer of the LAN are the wire's business."""

    def __init__(
        self, lan: Switch[P], port: P, clock: Callable[[], float], changed: Callable[[], None]
    ) -> None:
        self._ingress = partial(lan.ingress, port)
        self._disconnect = partial(lan.disconnect, port)
        self._port: Place = port
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
        return self._port.waiting

    def join(self, wake: Callable[[], None]) -> None:
        """Somebody stands there from now on. `wake` is called when frames came for him; it may
        take them, and must not send."""
        self._port.wake = wake
        self._port.connected = True

    def ingress(self, frames: Iterable[bytes], together: bool = False) -> None:
        """Frames come in, in order; `together`: as one block."""
        self._ingress(frames, self._clock(), together)
        self._changed()

    @property
    def paced(self) -> bool:
        """Whether the link has a rate: only then may it be busy."""
        return self._port.paced

    def busy(self) -> float:
        """Seconds until half of what the link can hold is free again, as an
        adapter waits before it takes more from its machine; 0 if it is, and on a link without a
        rate."""
        return self._port.busy(self._clock())

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
        self._disconnect()
