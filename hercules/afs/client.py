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

from vmkb.hercules.afs import directory, location, protocol
from vmkb.hercules.afs.protocol import CHUNK, Code, Fid, Status, VnodeType
from vmkb.hercules.afs.xdr import Malformed
from vmkb.hercules.rx import Abort, Address, Handler, WireRx
from vmkb.hercules.wire.attachment import Attachment

LINKS_MAX = 8
LEAVE_S = 2.0
_NAME, _HOST_MODE = "utf-8", 0o644


def _now() -> float:
    return asyncio.get_running_loop().time()


class NotFound(Exception):
    """A path of which a part is not there; the text says which."""


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

    async def fetch(self, fid: Fid, position: int, length: int, within: float = 60.0) -> bytes:
        """Bytes of a file, not by the cache. Abort."""
        self.fetches += 1
        data, _, _ = protocol.data_reply(
            await self.call(protocol.fetch_data(fid, position, length), within)
        )
        return data

    async def root(self, volume: str) -> Fid:
        """The root directory of the volume of that name. NotFound; Abort."""
        connection = self.station.connect((self.server[0], location.PORT), location.SERVICE)
        try:
            reply = await self.station.call(connection, location.by_name(volume.encode("latin-1")))
        except Abort as abort:
            if abort.code == location.NO_ENTRY:
                raise NotFound(f"volume {volume} is not there") from None
            raise
        finally:
            self.station.rx.disconnect(connection)
        return protocol.root(location.entry_reply(reply).volume)

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

    # --- names

    async def names(self, fid: Fid) -> dict[str, Fid]:
        """The entries of a directory, `.` and `..` among them. Abort; Malformed."""
        found = directory.entries(await self.read(fid))
        return {
            name.decode(_NAME, "surrogateescape"): Fid(fid.volume, *at)
            for name, at in found.items()
        }

    async def find(self, start: Fid, path: str, follow: bool = True) -> Fid:
        """The Fid that PATH names, from the directory START on; symbolic links lead on. NotFound;
        Abort."""
        return await self._find(start, path, follow, LINKS_MAX)

    async def _find(self, start: Fid, path: str, follow: bool, links: int) -> Fid:
        at, seen = start, ""
        parts = [part for part in path.split("/") if part]
        for i, part in enumerate(parts):
            if (await self.status(at)).kind != VnodeType.DIRECTORY:
                raise NotFound(f"{seen or 'the start'} is no directory")
            above, at_names = at, await self.names(at)
            seen = f"{seen}/{part}".lstrip("/")
            if part not in at_names:
                raise NotFound(f"{seen} is not there")
            at = at_names[part]
            last = i + 1 == len(parts)
            if at.vnode % 2 or (last and not follow):
                continue
            if (await self.status(at)).kind == VnodeType.SYMBOLIC:
                if not links:
                    raise NotFound(f"{seen}: symbolic links lead on and on")
                text = (await self.read(at)).decode(_NAME, "surrogateescape")
                begin = protocol.root(at.volume) if text.startswith("/") else above
                at = await self._find(begin, text, True, links - 1)
        return at

    async def create(self, parent: Fid, name: str, mode: int = _HOST_MODE) -> Fid:
        """A new file in a directory. Abort."""
        request = protocol.create_file(
            parent, name.encode(_NAME, "surrogateescape"), protocol.store_status(mode=mode)
        )
        fid, *_ = protocol.made_reply(await self.call(request))
        self.flush(parent)
        return fid

    async def make_dir(self, parent: Fid, name: str, mode: int = 0o755) -> Fid:
        """A new directory in a directory. Abort."""
        request = protocol.make_dir(
            parent, name.encode(_NAME, "surrogateescape"), protocol.store_status(mode=mode)
        )
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
