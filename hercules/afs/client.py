# SPDX-License-Identifier: MIT
"""A workstation's AFS: a cache manager on the wire, as it would be of 1990 but in one process.

Files are fetched in chunks and kept, with their status, for as long as the server's promise to tell
of changes holds; `flush` forgets them. Nothing is secret: security is null.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from vmkb.hercules.afs import protocol
from vmkb.hercules.afs.protocol import CHUNK, Code, Fid, Status
from vmkb.hercules.afs.xdr import Malformed
from vmkb.hercules.rx import Abort, Address, Handler, WireRx
from vmkb.hercules.wire.attachment import Attachment

LEAVE_S = 2.0
_MODE = 0o644


def _now() -> float:
    return asyncio.get_running_loop().time()


@dataclass(slots=True)
class _Cached:
    status: Status
    expires: float
    chunks: dict[int, bytes] = field(default_factory=dict)


class Callbacks:
    """The service that the server tells of changes."""

    def __init__(self) -> None:
        self.broken: list[Fid] = []
        """Files of which the server said that they have changed."""
        self.initialised = 0
        """How often it said to forget all."""
        self.on_break: Callable[[Fid | None], None] = lambda fid: None
        """Is told of each, and with None to forget all."""

    def serve(self, request: bytes) -> bytes:
        """Rx's handler. Abort."""
        try:
            operation, fids = protocol.callback_request(request)
        except Malformed:
            raise Abort(Code.BAD_ARGUMENTS) from None
        if operation == protocol.CALLBACK:
            self.broken += fids
            for fid in fids:
                self.on_break(fid)
        elif operation in (protocol.INIT_STATE, protocol.INIT_STATE_3):
            self.initialised += 1
            self.on_break(None)
        elif operation != protocol.PROBE:
            raise Abort(Code.BAD_OPERATION)
        return b""


class Client:
    """Calls to the file server at `server`, with a cache. `workstation` makes one."""

    def __init__(self, station: WireRx, server: str, callbacks: Callbacks) -> None:
        self.station = station
        self.callbacks = callbacks
        self.server: Address = (server, protocol.PORT)
        self.fetches = 0
        """FetchData calls that were made."""
        self._cache: dict[Fid, _Cached] = {}
        self._breaks = 0
        self._connection = station.connect(self.server, protocol.SERVICE)
        callbacks.on_break = self._broken

    # --- calls

    async def call(self, request: bytes, within: float = 60.0) -> bytes:
        """The reply to a request of `protocol`. Abort with the server's code, or TimeoutError."""
        if self._connection.error:
            self.station.rx.disconnect(self._connection)
            self._connection = self.station.connect(self.server, protocol.SERVICE)
        return await self.station.call(self._connection, request, within)

    async def leave(self) -> None:
        """Gives all promises up, so that nobody waits for this workstation; the server may be
        gone."""
        with suppress(Abort, TimeoutError):
            await self.call(protocol.give_up_all_callbacks(), LEAVE_S)

    # --- the cache

    def flush(self, fid: Fid | None = None) -> None:
        """Forgets a file, or all; the server is not told and goes on to promise."""
        if fid is None:
            self._cache.clear()
        else:
            self._cache.pop(fid, None)

    def _broken(self, fid: Fid | None) -> None:
        self._breaks += 1
        self.flush(fid)

    def _keep(self, fid: Fid, status: Status, callback: protocol.CallBack, breaks: int) -> _Cached:
        cached = self._cache.get(fid)
        if cached is None or cached.status.version != status.version:
            cached = _Cached(status, 0.0)
        cached.status = status
        cached.expires = _now() + callback.seconds
        if callback.seconds and breaks == self._breaks:  # nothing was taken back meanwhile
            self._cache[fid] = cached
        return cached

    def _valid(self, fid: Fid) -> _Cached | None:
        cached = self._cache.get(fid)
        return cached if cached is not None and cached.expires > _now() else None

    async def status(self, fid: Fid) -> Status:
        """The status of the file. Abort."""
        cached = self._valid(fid)
        if cached is None:
            breaks = self._breaks
            reply = await self.call(protocol.fetch_status(fid))
            cached = self._keep(fid, *protocol.status_reply(reply), breaks)
        return cached.status

    async def read(self, fid: Fid, chunk: int = CHUNK) -> bytes:
        """The whole file (a directory's bytes, what a symbolic link says), in chunks. Abort."""
        data = bytearray()
        while True:
            position = len(data)
            part, length = await self._chunk(fid, position, chunk)
            data += part
            if len(data) >= length or not part:
                return bytes(data)

    async def _chunk(self, fid: Fid, position: int, size: int) -> tuple[bytes, int]:
        cached = self._valid(fid)
        part = cached.chunks.get(position) if cached is not None else None
        if cached is None or part is None:
            breaks = self._breaks
            self.fetches += 1
            reply = await self.call(protocol.fetch_data(fid, position, size))
            part, status, callback = protocol.data_reply(reply)
            cached = self._keep(fid, status, callback, breaks)
            cached.chunks[position] = part
        return part, cached.status.length

    async def write(self, fid: Fid, data: bytes) -> Status:
        """The file is these bytes, in one call. Abort."""
        reply = await self.call(protocol.store_data(fid, 0, data, len(data)))
        self.flush(fid)
        return protocol.stored_reply(reply)

    async def create(self, parent: Fid, name: str) -> Fid:
        """A new file in a directory. Abort."""
        request = protocol.create_file(parent, name.encode(), protocol.mode_status(_MODE))
        fid, *_ = protocol.made_reply(await self.call(request))
        self.flush(parent)
        return fid


@asynccontextmanager
async def workstation(
    path: str | Attachment, address: str, server: str, mtu: int = 1500, window: int = 32,
    draws: random.Random | None = None,
) -> AsyncIterator[Client]:  # fmt: skip
    """A workstation at ADDRESS on the wire's stream port PATH, whose AFS is the server's; DRAWS as
    in WireRx."""
    callbacks = Callbacks()
    services: dict[int, Handler] = {protocol.SERVICE: callbacks.serve}
    async with WireRx(path, address, protocol.PORT_CLIENT, services, mtu, window, draws) as station:
        client = Client(station, server, callbacks)
        yield client
        await client.leave()
