# SPDX-License-Identifier: MIT
"""One end of a TCP connection whose segments are made by hand: no sender's kernel has a say in
what they are and when they come (RFC 9293)."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout
from vmkb.workloads.conform.network import Network

FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10
ANSWERS_S = 10.0
_HEAD = 20
_END, _NOTHING, _SACK_PERMITTED, _SACK = 0, 1, 4, 5
_WRAP = 1 << 32


def mss(size: int) -> bytes:
    """The option that tells the largest segment."""
    return struct.pack(">BBH", 2, 4, size)


def after(seq: int, size: int) -> int:
    """The sequence number SIZE behind SEQ."""
    return (seq + size) % _WRAP


def distance(first: int, seq: int) -> int:
    """How far SEQ is behind FIRST; negative: before it."""
    far = after(seq, -first)
    return far - _WRAP if far >= _WRAP // 2 else far


@dataclass
class Segment:
    """One that came."""

    seq: int
    ack: int
    flags: int
    data: bytes
    sacks: list[tuple[int, int]] = field(default_factory=list)
    sack_permitted: bool = False

    @classmethod
    def read(cls, tcp: bytes) -> Segment | None:
        """From the bytes behind IP's head; None if these are no whole one."""
        head = (tcp[12] >> 4) * 4 if len(tcp) >= _HEAD else 0
        if not _HEAD <= head <= len(tcp):
            return None
        seq, ack, _, flags = struct.unpack(">LLBB", tcp[4:14])
        segment = cls(seq, ack, flags, tcp[head:])
        for kind, value in _options(tcp[_HEAD:head]):
            if kind == _SACK_PERMITTED:
                segment.sack_permitted = True
            if kind == _SACK:
                edges = [int.from_bytes(value[at : at + 4]) for at in range(0, len(value), 4)]
                segment.sacks = list(zip(edges[::2], edges[1::2], strict=False))
        return segment


def _options(options: bytes) -> Iterator[tuple[int, bytes]]:
    """The kind and the value of each option."""
    while options and options[0] != _END:
        size = 1 if options[0] == _NOTHING else options[1] if len(options) > 1 else 0
        if size == 0 or options[0] != _NOTHING and size < 2:
            return
        yield options[0], options[2:size]
        options = options[size:]


def now() -> float:
    """Seconds of the loop's clock."""
    return asyncio.get_running_loop().time()


class Peer:
    """One end of connections from PORT to the port TO, over NETWORK; it sends what it is told. END
    is its place on the wire."""

    def __init__(self, end: Endpoint, network: Network, port: int, to: int) -> None:
        self.end, self.network, self.port, self.to = end, network, port, to
        self.seq, self.theirs = port * 1000, 0
        self.window = 8192

    def send(
        self, data: bytes = b"", at: int = 0, flags: int = ACK, options: bytes = b"",
        port: int | None = None,
    ) -> None:  # fmt: skip
        """A segment whose data begins AT bytes behind what was sent in order; from another PORT
        than its own, if that is given."""
        length = (_HEAD + len(options)) // 4 << 4
        seq, port = after(self.seq, at), self.port if port is None else port
        head = struct.pack(
            ">HHLLBBHHH", port, self.to, seq, self.theirs, length, flags, self.window, 0, 0
        )
        self.end.send(self.network.frame(head + options + data))

    async def receive(self, seconds: float = ANSWERS_S) -> Segment:
        """The next segment, within so many SECONDS, else EndpointTimeout; questions for our
        Ethernet address are answered meanwhile."""
        until = now() + seconds
        while True:
            frame = await self.end.receive(max(0.0, until - now()))
            if answer := self.network.answer(frame):
                self.end.send(answer)
                continue
            tcp = self.network.segment(frame)
            segment = Segment.read(tcp)
            if segment is not None and tcp[2:4] == self.port.to_bytes(2):
                return segment

    async def connect(self, options: bytes = b"") -> Segment:
        """A connection. Its SYN,ACK; ConnectionError if something else answers."""
        self.send(flags=SYN, options=options)
        answer = await self.receive()
        if answer.flags & (SYN | ACK | RST) != SYN | ACK:
            raise ConnectionError("a SYN is not answered by a SYN,ACK")
        self.seq, self.theirs = after(self.seq, 1), after(answer.seq, 1)
        self.send()
        return answer

    async def quiet(self, seconds: float) -> list[Segment]:
        """All segments of the next SECONDS."""
        came, until = list[Segment](), now() + seconds
        while (left := until - now()) > 0:
            try:
                came.append(await self.receive(left))
            except EndpointTimeout:
                break
        return came
