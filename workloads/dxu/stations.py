# SPDX-License-Identifier: MIT
"""The workstations of a run: AFS clients at ports of the wire, beside each other."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any, TypeVar

from vmkb.hercules.afs.client import Client, workstation
from vmkb.hercules.afs.protocol import Fid, root
from vmkb.hercules.coroutines import Beside
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.rx.calls import Abort
from vmkb.hercules.wire.attachment import Attachment
from vmkb.workloads.base.lab import Wire
from vmkb.workloads.dxu.content import afs_file
from vmkb.workloads.dxu.plan import Definition, Workstation
from vmkb.workloads.dxu.readout import Fetched

T = TypeVar("T")
Port = str | Attachment
VOLUME = 536870914
"""The volume `user` of the guest's own list."""
LOADER, LOADER_ADDRESS, LOADER_MTU = "loader", "10.17.0.99", 9000
"""Who puts the files on the server, over a link without a rate, before anything is measured."""
SETUP_S = 60.0
SLOWEST_KB_S = 10.0
"""A fetch may be as slow as this, for each client that is at it, before it is given up."""


class Workstations:
    """Workstations on the wire, whose server is at `server`. Close it; the wire's ports go with the
    wire. EmulatorError when a call fails or takes too long."""

    def __init__(self, wire: Wire, beside: Beside, server: str, definition: Definition) -> None:
        self._wire, self._server, self._beside = wire, server, beside
        self._known = {w.name: w for w in definition.workstation}
        self._window = definition.rx_window
        self._clients: dict[str, Client] = {}
        self._files: dict[int, tuple[Fid, bytes]] = {}
        self._open = AsyncExitStack()

    def _run(self, work: Coroutine[Any, Any, T], within: float) -> T:
        try:
            return self._beside.run(work, within)
        except TimeoutError:
            raise EmulatorError(f"The file server did not answer in {within:.0f} s.") from None
        except (Abort, ConnectionError) as error:
            raise EmulatorError(f"A call to the file server failed: {error}.") from None

    def put(self, sizes: Sequence[int]) -> None:
        """Store a file of each of SIZES, and fetch it once: then the server's disk cache has it."""
        path = self._wire.add_stream(LOADER)
        self._wire.set_profile(LOADER, "fast")
        self._run(self._put(path, sizes), SETUP_S)

    async def _put(self, path: Port, sizes: Sequence[int]) -> None:
        draws = self._beside.draws
        async with workstation(
            path, LOADER_ADDRESS, self._server, LOADER_MTU, draws=draws
        ) as client:
            for size in sizes:
                data = afs_file(size)
                fid = await client.create(root(VOLUME), f"file{size}")
                await client.write(fid, data)
                client.flush()
                if await client.read(fid) != data:
                    raise EmulatorError(f"The file server changed a file of {size} bytes.")
                self._files[size] = fid, data

    def bring(self, names: Sequence[str]) -> None:
        """Workstations NAMES onto the wire, those that are not there yet."""
        for name in names:
            if name in self._clients:
                continue
            known = self._known[name]
            port = f"{name}.afs"
            path = self._wire.add_stream(port)
            own = {"shared": False, "half_duplex": True} if known.alone else {}
            self._wire.set_profile(port, known.wire, **own)
            self._clients[name] = self._run(self._enter(path, known), SETUP_S)

    async def _enter(self, path: Port, known: Workstation) -> Client:
        entered = workstation(
            path, known.address, self._server, known.mtu, self._window, self._beside.draws
        )
        client = await self._open.enter_async_context(entered)
        await client.status(root(VOLUME))  # addresses are learnt, the connection stands
        return client

    def fetch(self, names: Sequence[str], size: int) -> list[Fetched]:
        """All of NAMES forget the file of SIZE bytes and fetch it, at the same time."""
        within = SETUP_S + len(names) * size / 1024 / SLOWEST_KB_S
        return self._run(self._fetch_all(names, size), within)

    async def _fetch_all(self, names: Sequence[str], size: int) -> list[Fetched]:
        return await asyncio.gather(*(self._fetch(name, size) for name in names))

    async def _fetch(self, name: str, size: int) -> Fetched:
        client = self._clients[name]
        fid, data = self._files[size]
        client.flush(fid)
        clock = asyncio.get_running_loop().time
        began = clock()
        got = await client.read(fid)
        return Fetched(name, clock() - began, len(got), got == data)

    def close(self) -> None:
        """The workstations leave the wire."""
        with suppress(EmulatorError, OSError):  # the wire may have gone before them
            self._run(self._open.aclose(), SETUP_S)
        self._beside.close()
