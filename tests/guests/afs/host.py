# SPDX-License-Identifier: MIT
"""AFSSERVE's pure part behind its harness, cache managers' Rx behind the same face, and calls
between them on the network of tests.guests.rx.host, in virtual time."""

from __future__ import annotations

import ipaddress
import math
import struct
from pathlib import Path
from typing import Any

from tests.guests.harness import Piped
from tests.guests.rx.host import Network, Packets, Result
from vmkb.hercules.afs import protocol
from vmkb.hercules.afs.client import Callbacks
from vmkb.hercules.afs.protocol import Fid
from vmkb.hercules.rx import Rx
from vmkb.hercules.rx.calls import Abort, Address, Call, Connection

VOLUME = 1001
"""The first volume; the others follow."""
SERVER: Address = ("10.0.0.2", 7000)
A, B, C = (("10.0.0.11", 7001), ("10.0.0.12", 7001), ("10.0.0.13", 7001))
NEVER = (1 << 64) - 1
EPOCH_S = 3_000_000_000.0
"""The harness' clock is seconds since 1970 here, as AFSSERVE's calls see it."""
COUNTS = (
    "calls", "done", "failed", "busy", "fetched", "stored", "given", "broken", "expired",
    "unanswered", "packets",
)  # fmt: skip


class AfsHost(Piped):
    """The server's side of the network."""

    def __init__(self, program: Path) -> None:
        super().__init__(program)
        self.next = math.inf
        self.opened: list[int] = []
        """What opening each volume said, 0 or FS_E_..., of the last life."""

    def format(self, volumes: int = 2, blocks: int = 4000, mtu: int = 1500) -> None:
        """New volumes, and a server on them."""
        self._do(b"I" + struct.pack(">3I", volumes, blocks, mtu))

    def restart(self, mtu: int = 1500) -> None:
        """The server ends as if its machine were taken away, and begins again."""
        self._do(b"R" + struct.pack(">I", mtu))

    def damage(self, at: int, bits: int) -> None:
        """Changes a byte of the first volume's minidisk."""
        self._do(b"D" + struct.pack(">IB", at, bits))

    def fail_disk(self) -> None:
        """The first volume's minidisk takes no more writes."""
        self._do(b"F")

    def counts(self) -> dict[str, int]:
        """The server's."""
        self._do(b"K")
        return dict(zip(COUNTS, self._counts, strict=True))

    def packet(self, peer: Address, data: bytes, now: float) -> Packets:
        """A packet comes."""
        ip = int(ipaddress.IPv4Address(peer[0]))
        return self._do(b"P" + _us(now) + struct.pack(">IH", ip, peer[1]) + data)

    def tick(self, now: float) -> Packets:
        """Timers."""
        return self._do(b"T" + _us(now))

    def connect(self, peer: Address, service: int, now: float) -> int:
        """It makes its connections itself."""
        raise NotImplementedError

    def begin(self, conn: int, request: bytes, now: float) -> tuple[Result | None, Packets]:
        """It makes its calls itself."""
        raise NotImplementedError

    def _do(self, request: bytes) -> Packets:
        if request[:1] in b"IR":
            self.opened.clear()
        return self._events(self._told(request))

    def _events(self, data: bytes) -> Packets:
        packets: Packets = []
        at = 0
        while at < len(data):
            kind, at = chr(data[at]), at + 1
            if kind == "p":
                ip, port, size = struct.unpack_from(">3I", data, at)
                at += 12
                packets.append(((str(ipaddress.IPv4Address(ip)), port), data[at : at + size]))
                at += size
            elif kind == "o":
                self.opened.append(struct.unpack_from(">i", data, at)[0])
                at += 4
            elif kind == "n":
                due = int.from_bytes(data[at : at + 8], "big")
                self.next = math.inf if due == NEVER else due / 1e6 - EPOCH_S
                at += 8
            else:
                assert kind == "k", (kind, at, data)
                self._counts = struct.unpack_from(f">{len(COUNTS)}Q", data, at)
                at += 8 * len(COUNTS)
        return packets


def _us(now: float) -> bytes:
    return struct.pack(">Q", round((now + EPOCH_S) * 1e6))


class Workstation:
    """A cache manager's Rx: calls to the server, and the service that takes callbacks."""

    def __init__(self, mtu: int = 1500) -> None:
        self._sent: Packets = []
        self.callbacks = Callbacks()
        self.rx = Rx(
            lambda peer, packet: self._sent.append((peer, packet)),
            {protocol.SERVICE: self.callbacks.serve},
            mtu,
        )
        self.connection: Connection | None = None

    @property
    def next(self) -> float:
        """When `tick` is due."""
        return self.rx.next

    def gone(self) -> Packets:
        """What it has sent since."""
        sent = list(self._sent)
        self._sent.clear()
        return sent

    def packet(self, peer: Address, data: bytes, now: float) -> Packets:
        """A packet comes."""
        self.rx.receive(peer, data, now)
        return self.gone()

    def tick(self, now: float) -> Packets:
        """Timers."""
        self.rx.tick(now)
        return self.gone()

    connect = AfsHost.connect
    begin = AfsHost.begin

    def start(self, request: bytes, now: float, service: int = protocol.SERVICE) -> Call:
        """A call to the server; its packets are in `gone`."""
        self.rx.now = now
        if self.connection is None or self.connection.service != service:
            self.connection = self.rx.connect(SERVER, service)
        call = self.rx.begin(self.connection, request)
        assert call is not None
        return call


class Cell:
    """The server and its workstations."""

    def __init__(self, server: AfsHost, *stations: Address, **network: Any) -> None:
        self.server = server
        self.stations = {address: Workstation() for address in stations or (A,)}
        sides: dict[Address, Any] = {SERVER: server, **self.stations}
        self.network = Network(sides, **network)

    def start(self, request: bytes, who: Address = A, service: int = protocol.SERVICE) -> Call:
        """A call begins."""
        station = self.stations[who]
        call = station.start(request, self.network.now, service)
        self.network.send(who, station.gone())
        return call

    def finish(self, call: Call, within: float = 300.0) -> bytes:
        """Its reply. Abort."""
        end = self.network.now + within
        while not call.done:
            assert self.network.now <= end, f"a call was not over in {within} s"
            assert self.network.step(), "nothing happens any more, and a call is not over"
        if call.error:
            raise Abort(call.error)
        return bytes(call.reply)

    def ask(self, request: bytes, who: Address = A, service: int = protocol.SERVICE) -> bytes:
        """A call from beginning to end. Abort."""
        return self.finish(self.start(request, who, service))

    def code(self, request: bytes, who: Address = A) -> int:
        """What a call is aborted with; 0: it is not."""
        try:
            self.ask(request, who)
        except Abort as abort:
            return abort.code
        return 0

    def read(self, fid: Fid, who: Address = A) -> bytes:
        """All bytes of a file."""
        return protocol.data_reply(self.ask(protocol.fetch_data(fid, 0, 1 << 30), who))[0]

    def create(self, name: bytes, data: bytes = b"", parent: Fid | None = None) -> Fid:
        """A file with these bytes."""
        fid = protocol.made_reply(
            self.ask(protocol.create_file(parent or protocol.root(VOLUME), name))
        )[0]
        if data:
            self.ask(protocol.store_data(fid, 0, data, len(data)))
        return fid
