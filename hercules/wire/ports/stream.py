# SPDX-License-Identifier: MIT
"""Ports whose frames travel through a byte stream (`u32 length` and the frame): a client that
connects to a Unix socket of the wire, or passt, whose Unix socket the wire connects to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.block import BlockError, StreamDecoder, encode_stream

WRITE_BUFFER = 1 << 20
"""Bytes that may wait in the socket's buffer; beyond them frames wait, and are dropped, in the
port."""
TAKE = 1 << 20
"""Bytes taken from a port at once."""
log = logging.getLogger("wire")


class StreamLink(asyncio.Protocol):
    """Joins a stream to a port, as long as the stream lasts. A second one is refused meanwhile."""

    def __init__(
        self, port: Attachment, gone: Callable[[StreamLink], None] = lambda link: None
    ) -> None:
        self._port = port
        self._gone = gone
        self._decoder = StreamDecoder()
        self._transport: asyncio.Transport | None = None
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if self._port.present:
            log.warning("%s: a second client is refused", self._port.name)
            transport.abort()
            return
        self._transport = transport
        transport.set_write_buffer_limits(high=WRITE_BUFFER)
        self._port.join(self._send)

    def data_received(self, data: bytes) -> None:
        if self._transport is None:
            return
        try:
            frames = self._decoder.feed(data)
        except BlockError as error:
            log.warning("%s: the stream is ended: %s", self._port.name, error)
            self._transport.abort()
            return
        self._port.ingress(self._came(frames))

    def _came(self, frames: list[bytes]) -> list[bytes]:
        """The frames of the stream that go on: for who wants to look at them."""
        return frames

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        self._send()

    def _send(self) -> None:
        while self._transport is not None and not self._paused and self._port.waiting:
            self._transport.write(b"".join(map(encode_stream, self._port.take(TAKE, 4))))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._transport = None
            self._port.gone()
        self._gone(self)

    def close(self) -> None:
        """Ends the stream."""
        if self._transport is not None:
            self._transport.abort()


class StreamPort:
    """A port at a Unix socket: one endpoint at a time, which may come back."""

    def __init__(self, port: Attachment, path: str) -> None:
        self._port = port
        self.path = path
        self._server: asyncio.Server | None = None
        self._links: set[StreamLink] = set()

    def _link(self) -> StreamLink:
        link = StreamLink(self._port, self._links.discard)
        self._links.add(link)
        return link

    async def open(self) -> None:
        """Listens. OSError if the path cannot be a socket."""
        self._server = await asyncio.get_running_loop().create_unix_server(self._link, self.path)

    async def close(self) -> None:
        """Ends the stream and listens no more."""
        if self._server is not None:
            self._server.close()
        for link in list(self._links):
            link.close()
