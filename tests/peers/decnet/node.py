# SPDX-License-Identifier: MIT
"""The node on a wire: joins `nsp.Node` to an endpoint and a clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from tests.peers.decnet import packets
from tests.peers.decnet.nsp import Node, User
from vmkb.hercules.deadline import HOST, Deadline
from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout

TICK_SECONDS = 0.2


class WireNode:
    """An end node at a stream port. Use `async with`."""

    def __init__(self, path: str, address: str, serve: Callable[[], User] | None = None) -> None:
        self._path = path
        self._address = packets.address(address)
        self._serve = serve
        self.node: Node
        self._endpoint: Endpoint
        self._task: asyncio.Task[None]

    async def __aenter__(self) -> WireNode:
        self._endpoint = await Endpoint.connect(self._path)
        self.node = Node(self._address, self._endpoint.send, self._serve)
        self.node.now = time.monotonic()
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *what: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._endpoint.close()

    async def _run(self) -> None:
        while True:
            self.node.tick(time.monotonic())
            try:
                frame = await self._endpoint.receive(TICK_SECONDS)
            except EndpointTimeout:
                continue
            if frame[12:14] == packets.ETHERTYPE.to_bytes(2, "big"):
                self.node.receive(frame, time.monotonic())

    async def until(self, ready: Callable[[], bool], seconds: float, expected: str) -> None:
        """Waits until `ready`; TimeoutError that says what was expected."""
        deadline = Deadline(seconds, HOST)
        while not ready():
            if deadline.over:
                raise TimeoutError(f"{expected} did not come in {deadline.elapsed:.0f} s")
            await asyncio.sleep(0.01)
