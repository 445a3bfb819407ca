# SPDX-License-Identifier: MIT
"""A Python endpoint on the LAN: sends and receives Ethernet frames, from within the wire's process
or through a stream port's socket from another one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.block import StreamDecoder, encode_stream

CLOSE_SECONDS = 5.0


class EndpointTimeout(TimeoutError):
    """No frame came in time; the text says where and how long."""


class Endpoint:
    """Frames in, frames out. Use `local` or `connect`, not the constructor."""

    def __init__(self, name: str, transmit: Callable[[bytes], None]) -> None:
        self.name = name
        self._transmit = transmit
        self._frames: deque[bytes] = deque()
        self._arrived = asyncio.Event()
        self._closed: Callable[[], None] = lambda: None
        self.ended = False

    @classmethod
    def local(cls, port: Attachment) -> Endpoint:
        """An endpoint on a port of a LAN in this process."""
        endpoint = cls(port.name, lambda frame: port.ingress([frame]))
        port.join(lambda: endpoint._take(port.take(1 << 30, 0)))

        def leave() -> None:
            port.gone()
            endpoint._end()

        endpoint._closed = leave
        return endpoint

    @classmethod
    async def connect(cls, path: str | Attachment, seconds: float = 5.0) -> Endpoint:
        """An endpoint at a stream port's socket, or at a port of a LAN in this process. OSError or
        TimeoutError if nothing listens there."""
        if isinstance(path, Attachment):
            return cls.local(path)
        loop = asyncio.get_running_loop()
        transport, link = await asyncio.wait_for(
            loop.create_unix_connection(_EndpointLink, path), seconds
        )
        endpoint = cls(path, lambda frame: transport.write(encode_stream(frame)))
        # A socket that is closed answers what the wire still sends with EPIPE, and the wire would
        # drop with the stream what it has not read.
        endpoint._closed = transport.write_eof
        link.endpoint = endpoint
        return endpoint

    def send(self, frame: bytes) -> None:
        """Sends one Ethernet frame, without check sequence."""
        self._transmit(frame)

    async def receive(self, seconds: float) -> bytes:
        """The next frame. EndpointTimeout after `seconds`; ConnectionError when the wire is
        gone."""
        try:
            async with asyncio.timeout(seconds):
                while not self._frames:
                    if self.ended:
                        raise ConnectionError(f"{self.name}: the wire closed the connection")
                    self._arrived.clear()
                    await self._arrived.wait()
        except TimeoutError:
            raise EndpointTimeout(f"{self.name}: no frame in {seconds} s") from None
        return self._frames.popleft()

    async def close(self) -> None:
        """Leaves the LAN; what was sent before still goes out."""
        self._closed()
        async with asyncio.timeout(CLOSE_SECONDS):
            while not self.ended:
                self._arrived.clear()
                await self._arrived.wait()

    def _take(self, frames: list[bytes]) -> None:
        self._frames.extend(frames)
        self._arrived.set()

    def _end(self) -> None:
        self.ended = True
        self._arrived.set()


class _EndpointLink(asyncio.Protocol):
    def __init__(self) -> None:
        self.endpoint: Endpoint | None = None
        self._decoder = StreamDecoder()
        self._early: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        frames = self._early + self._decoder.feed(data)
        self._early = []
        if self.endpoint is None:
            self._early = frames
        else:
            self.endpoint._take(frames)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.endpoint is not None:
            self.endpoint._end()
