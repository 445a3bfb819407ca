# SPDX-License-Identifier: MIT
"""One end of a TCP connection whose segments are made by hand: no sender's kernel has a say in
when they come."""

from __future__ import annotations

import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.e2e.net_guest import NetGuest
from tests.e2e.system import ADDRESS, NET
from vmkb.hercules.deadline import Deadline
from vmkb.hercules.wire.ports.endpoint import Endpoint

OURS = f"{NET}.98"
MAC = bytes.fromhex("020000000098")
GUEST = b"\x02\x00" + socket.inet_aton(ADDRESS)
IP, ARP = b"\x08\x00", b"\x08\x06"
FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10
MSS_1460 = b"\x02\x04\x05\xb4"


def checksum(data: bytes) -> int:
    """RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


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
    def read(cls, packet: bytes) -> Segment:
        """From an IP packet."""
        tcp = packet[(packet[0] & 15) * 4 : struct.unpack(">H", packet[2:4])[0]]
        seq, ack, length, flags = struct.unpack(">LLBB", tcp[4:14])
        head = (length >> 4) * 4
        segment = cls(seq, ack, flags, tcp[head:])
        options = tcp[20:head]
        while options and options[0] != 0:
            size = 1 if options[0] == 1 else options[1]
            if options[0] == 4:
                segment.sack_permitted = True
            if options[0] == 5:
                edges = struct.unpack(f">{(size - 2) // 4}L", options[2:size])
                segment.sacks = list(zip(edges[::2], edges[1::2], strict=True))
            options = options[size:]
        return segment


Lose = Callable[[int, int], bool]


class Peer:
    """One end of a TCP connection, which sends what it is told."""

    def __init__(self, end: Endpoint, port: int) -> None:
        self.end, self.port = end, port
        self.seq, self.theirs = port * 1000, 0
        self.window = 8192

    def send(self, data: bytes = b"", at: int = 0, flags: int = ACK, options: bytes = b"") -> None:
        """A segment whose data begins `at` bytes behind what was sent in order."""
        ends = socket.inet_aton(OURS) + socket.inet_aton(ADDRESS)
        length = (20 + len(options)) // 4 << 4
        ports = (self.port, 21, self.seq + at, self.theirs, length, flags, self.window, 0, 0)
        tcp = struct.pack(">HHLLBBHHH", *ports) + options + data
        check = checksum(ends + struct.pack(">HH", 6, len(tcp)) + tcp)
        tcp = tcp[:16] + struct.pack(">H", check) + tcp[18:]
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0) + ends
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
        self.end.send(GUEST + MAC + IP + ip + tcp)

    async def receive(self) -> Segment:
        """The next segment; ARP's questions for us are answered meanwhile."""
        deadline = Deadline(10.0)
        while True:
            frame = await self.end.receive(deadline.left)
            body = frame[14:]
            if frame[12:14] == ARP and body[24:28] == socket.inet_aton(OURS) and body[7] == 1:
                answer = body[:6] + b"\0\2" + MAC + body[24:28] + body[8:18]
                self.end.send(body[8:14] + MAC + ARP + answer)
            elif frame[12:14] == IP and body[9] == 6 and body[22:24] == self.port.to_bytes(2):
                return Segment.read(body)

    async def connect(self, options: bytes = b"") -> Segment:
        """Up to FTPSERVE's greeting, which is acknowledged. The SYN,ACK."""
        self.send(flags=SYN, options=options)
        answer = await self.receive()
        assert answer.flags == SYN | ACK
        self.seq += 1
        self.theirs = answer.seq + 1
        self.send()
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
