# SPDX-License-Identifier: MIT
"""A guest's port: a device that the guest writes and one that it reads. What all such ports do; the
classes derived from this say what goes over the devices."""

from __future__ import annotations

import asyncio
import logging
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable

from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.ctce import Adapter, Message
from vmkb.hercules.wire.ports.half import DevicePorts, Half

KEEP_ALIVE_SECONDS = 20.0
"""A READ that waited so long gets an empty block; Hercules gives up after 60 s."""
PACED_BLOCK = 20480
"""Most bytes of a block to a guest on a link with a rate, unless one frame has more."""
HELD_SECONDS = 1.0
"""A WRITE waits so long for another guest to read: one that is stopped stops nobody else."""
HELD_POLL_SECONDS = 0.002
"""Between two looks whether it has: far less than the time of a block on a channel."""
log = logging.getLogger("wire")


class PairPort(ABC):
    """A guest on the LAN: the device it writes, the device it reads. It is there when both are
    primed."""

    def __init__(
        self, port: Attachment, write: tuple[int, DevicePorts], read: tuple[int, DevicePorts],
        make_socket: Callable[[], socket.socket] = socket.socket,
    ) -> None:  # fmt: skip
        self._port = port
        self._writer = Half(*write, self._writer_spoke, self._links, make_socket)
        self._reader = Half(*read, self._reader_spoke, self._links, make_socket)
        self._timer: asyncio.TimerHandle | None = None
        self._idle: asyncio.TimerHandle | None = None
        self.bad_blocks = 0
        self.blocks_in = self.blocks_out = self.keep_alives = self.arrivals = 0

    @property
    def _halves(self) -> list[Half]:
        """In the order of the devices' numbers."""
        return sorted((self._writer, self._reader), key=lambda half: half.device)

    def config(self) -> list[str]:
        """The lines for Hercules' configuration."""
        return [half.ports.config(half.device) for half in self._halves]

    async def open(self) -> None:
        """Listens on both devices' ports."""
        for half in self._halves:
            await half.open()

    async def close(self) -> None:
        """Ends all connections."""
        for half in self._halves:
            await half.close()
        self._stop_timers()

    def snapshot(self) -> dict[str, int]:
        """Counts of blocks: those of frames are the port's."""
        return {
            "blocks_in": self.blocks_in,
            "blocks_out": self.blocks_out,
            "bad_blocks": self.bad_blocks,
            "keep_alives": self.keep_alives,
            "arrivals": self.arrivals,
        }

    @abstractmethod
    def _writer_spoke(self, message: Message) -> None:
        """The guest says something on the device that it writes."""

    @abstractmethod
    def _reader_spoke(self, message: Message) -> None:
        """The guest says something on the device that it reads."""

    @abstractmethod
    def _send(self) -> None:
        """Gives the guest what waits for it, as far as it takes something."""

    @abstractmethod
    def _keep_alive(self) -> None:
        """The guest's READ has waited long."""

    @abstractmethod
    def _decoded(self, block: bytes | memoryview) -> list[bytes]:
        """The frames of a block of the guest's. ValueError when it is malformed."""

    def _links(self) -> None:
        present = self._reader.primed and self._writer.primed
        if present == self._port.present:
            return
        if present:
            self._port.join(self._send)
            self.arrivals += 1
            log.info("%s: the guest is on the wire", self._port.name)
        else:
            self._stop_timers()
            self._port.gone()
            log.info("%s: the guest is gone", self._port.name)

    def _stop_timers(self) -> None:
        for timer in (self._timer, self._idle):
            if timer is not None:
                timer.cancel()
        self._timer = self._idle = None

    def _watch_read(self) -> None:
        """A keep-alive in time. It is not renewed for each READ: one that has waited less is ended
        early, which costs nothing."""
        if self._idle is None:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(KEEP_ALIVE_SECONDS, self._waited)

    def _waited(self) -> None:
        self._idle = None
        self._keep_alive()

    def _came(self, block: bytes | memoryview) -> list[bytes]:
        """The frames of a block of the guest's; nothing if it is malformed."""
        self.blocks_in += 1
        try:
            return self._decoded(block)
        except ValueError as error:
            self.bad_blocks += 1
            log.warning("%s: a malformed block is dropped: %s", self._port.name, error)
            return []

    def _take_in(self, frames: list[bytes]) -> None:
        """Puts a block's frames on the LAN and ends the guest's WRITE: at once, or, on a link with
        a rate, when there is room again. So a guest's own link never overflows, and never runs dry
        while the guest has something to send; what a router has no room for waits in the guest."""
        if not self._port.paced:
            self._end_write(self._writer.adapter)
            self._port.ingress(frames, together=True)
            return
        self._port.ingress(frames, together=True)
        until = asyncio.get_running_loop().time() + HELD_SECONDS
        self._release(self._writer.adapter, until)

    def _release(self, adapter: Adapter, until: float) -> None:
        """Ends the guest's WRITE when its own link has room, and, until the time UNTIL at most, the
        router before who its frames go to."""
        self._timer = None
        loop = asyncio.get_running_loop()
        busy = self._port.busy()
        if not busy and self._port.held and loop.time() < until:
            busy = HELD_POLL_SECONDS
        if busy:
            self._timer = loop.call_later(busy, self._release, adapter, until)
        else:
            self._end_write(adapter)

    def _end_write(self, adapter: Adapter) -> None:
        """Unless the connections are others by now."""
        if adapter is self._writer.adapter:
            self._writer.write(adapter.taken())
