# SPDX-License-Identifier: MIT
"""FTPSERVE's peer whose segments are made by hand (vmkb.workloads.conform.peer)."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.e2e.net_guest import NetGuest
from tests.e2e.system import ADDRESS, NET
from vmkb.hercules.wire.ports.endpoint import Endpoint
from vmkb.workloads.conform.network import Network
from vmkb.workloads.conform.peer import ACK, FIN, RST, SYN, Segment, mss
from vmkb.workloads.conform.peer import Peer as ByHand

__all__ = ["ACK", "FIN", "MSS_1460", "RST", "SYN", "Lose", "Peer", "Segment", "name_of", "peer_at"]

OURS = f"{NET}.98"
MSS_1460 = mss(1460)
Lose = Callable[[int, int], bool]


class Peer(ByHand):
    """One end of a TCP connection, which sends what it is told."""

    def __init__(self, end: Endpoint, port: int) -> None:
        super().__init__(end, Network(OURS, ADDRESS), port, 21)

    async def connect(self, options: bytes = b"") -> Segment:
        """Up to FTPSERVE's greeting, which is acknowledged. The SYN,ACK."""
        answer = await super().connect(options)
        greeting = b""
        while not greeting.endswith(b"\r\n"):
            greeting += (await self.receive()).data
        assert greeting.startswith(b"220 ")
        self.theirs += len(greeting)
        self.send()
        return answer

    async def take(self, size: int, lose: Lose) -> tuple[bytes, list[int]]:
        """`size` bytes, as a Linux takes them in: each segment is acknowledged, what is kept is
        told, and the window grows. `lose`: whether one from this offset to that is lost. Also the
        offsets of all segments, in the order in which they came."""
        start, came = self.theirs, list[int]()
        kept: dict[int, int] = {}
        while self.theirs < start + size:
            segment = await self.receive()
            if not segment.data:
                continue
            at = segment.seq - start
            came.append(at)
            if lose(at, at + len(segment.data)):
                continue
            for seq, byte in enumerate(segment.data, segment.seq):
                assert kept.setdefault(seq, byte) == byte, f"byte {seq - start} came twice, changed"
            while self.theirs in kept:
                self.theirs += 1
            self.window += 100
            self.send(options=self._sack(kept))
        return bytes(kept[start + at] for at in range(size)), came

    def _sack(self, kept: dict[int, int]) -> bytes:
        """The option that tells the four lowest blocks beyond what is acknowledged."""
        blocks: list[list[int]] = []
        for seq in sorted(seq for seq in kept if seq > self.theirs):
            if not blocks or blocks[-1][1] != seq:
                blocks.append([seq, seq])
            blocks[-1][1] += 1
        edges = b"".join(struct.pack(">LL", *block) for block in blocks[:4])
        return b"\1\1\5" + bytes([2 + len(edges)]) + edges if edges else b""


def name_of(port: int) -> str:
    """Of its port of the wire."""
    return f"hand{port}"


@asynccontextmanager
async def peer_at(net: NetGuest, port: int) -> AsyncIterator[Peer]:
    """A peer at this port of its own, on the wire meanwhile."""
    end = await Endpoint.connect(net.wire.add_stream(name_of(port)))
    try:
        yield Peer(end, port)
    finally:
        await end.close()
        net.wire.remove(name_of(port))
