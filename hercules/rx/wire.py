# SPDX-License-Identifier: MIT
"""Rx at a stream port of the wire: a workstation with an address of its own."""

from __future__ import annotations

import asyncio
import random

from vmkb.hercules.rx.calls import Abort, Address, Call, Connection, Handler
from vmkb.hercules.rx.core import Rx
from vmkb.hercules.rx.ip import UdpStack
from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout

LONGEST_S = 1.0


def _now() -> float:
    return asyncio.get_running_loop().time()


class WireRx:
    """A workstation. Use `async with`. `draws` draws the numbers of its connections: a program that
    begins again at the same address begins at others."""

    def __init__(
        self,
        path: str | Attachment,
        address: str,
        port: int = 7001,
        services: dict[int, Handler] | None = None,
        mtu: int = 1500,
        window: int = 32,
        draws: random.Random | None = None,
    ) -> None:
        draws = draws or random.SystemRandom()
        self._path = path
        self._changed = asyncio.Event()
        self._endpoint: Endpoint
        self._task: asyncio.Task[None]
        self.stack = UdpStack(address, port, lambda frame: self._endpoint.send(frame), mtu)
        self.rx = Rx(
            self.stack.send, services, mtu, window, epoch=draws.getrandbits(31),
            cid=draws.getrandbits(32),
        )  # fmt: skip

    async def __aenter__(self) -> WireRx:
        self._endpoint = await Endpoint.connect(self._path)
        self.rx.now = _now()
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *what: object) -> None:
        for connection in list(self.rx.connections.values()):
            self.rx.disconnect(connection)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._endpoint.close()

    async def _run(self) -> None:
        try:
            while True:
                await self._turn()
                self._changed.set()
        finally:
            self._changed.set()  # who waits finds that the wire is gone

    async def _turn(self) -> None:
        left = min(max(self.rx.next - _now(), 0), LONGEST_S)
        try:
            frame = await self._endpoint.receive(left)
        except EndpointTimeout:
            pass
        else:
            now = _now()
            for peer, data in self.stack.receive(frame, now):
                self.rx.receive(peer, data, now)
        self.rx.tick(_now())

    def connect(self, peer: Address, service: int) -> Connection:
        """A connection to a server."""
        return self.rx.connect(peer, service)

    async def call(self, connection: Connection, request: bytes, within: float = 60.0) -> bytes:
        """A call's reply. Abort with its code, or TimeoutError; then the call is ended."""
        call: Call | None = None
        try:
            async with asyncio.timeout(within):
                while call is None:
                    self.rx.now = _now()
                    call = self.rx.begin(connection, request)
                    if call is None:
                        await self._change()
                while not call.done:
                    await self._change()
        finally:
            if call is not None and call.active:
                self.rx.abort(call)
        if call.error:
            raise Abort(call.error)
        return bytes(call.reply)

    async def _change(self) -> None:
        if self._task.done():
            self._task.result()
        self._changed.clear()
        await self._changed.wait()
