# SPDX-License-Identifier: MIT
"""The guest's Rx core behind its harness, the workstations' core behind the same face, and a
network of virtual time between them on which every packet is at the mercy of chance."""

from __future__ import annotations

import heapq
import ipaddress
import math
import random
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tests.guests.harness import Piped
from vmkb.hercules.rx import Address, Connection, Rx

ECHO, PERF = 1, 147
EPOCH = 0x123456
NEVER = (1 << 64) - 1
HEADER_FILE = Path(__file__).parents[3] / "guests" / "vmkb" / "protocol" / "rx" / "rx_core.h"
_COUNTS = re.search(r"struct rx_counts \{(.*?)\n\};", HEADER_FILE.read_text(), re.S)
assert _COUNTS is not None
COUNTS = re.findall(r"\w+(?=[,;])", re.sub(r"uint64_t|/\*.*?\*/", "", _COUNTS[1], flags=re.S))

Packets = list[tuple[Address, bytes]]


def echoed(request: bytes) -> bytes:
    """What ECHO answers."""
    return bytes(b ^ 0xFF for b in request)


@dataclass
class Result:
    """How a call went on."""

    reply: bytearray = field(default_factory=bytearray)
    over: bool = False
    error: int = 0


class Side(Protocol):
    """A core on the network. Times are seconds; each call returns the packets sent."""

    next: float

    def packet(self, peer: Address, data: bytes, now: float) -> Packets: ...
    def tick(self, now: float) -> Packets: ...
    def connect(self, peer: Address, service: int, now: float) -> int: ...
    def begin(self, conn: int, request: bytes, now: float) -> tuple[Result | None, Packets]: ...


class CoreHost(Piped):
    """The guest's core; `init` gives it a fresh life."""

    def init(
        self,
        mtu: int = 1500,
        window: int = 32,
        jumbo: int = 1,
        packets: int = 400,
        epoch: int = EPOCH,
        whole: int = 0,
    ) -> None:
        """Begins anew."""
        self.calls: dict[int, Result] = {}
        self.next = math.inf
        self._do(b"I" + struct.pack(">5IB", mtu, window, jumbo, packets, epoch, whole))

    def packet(self, peer: Address, data: bytes, now: float) -> Packets:
        """A packet comes."""
        ip = int(ipaddress.IPv4Address(peer[0]))
        return self._do(b"P" + _us(now) + struct.pack(">IH", ip, peer[1]) + data)[0]

    def tick(self, now: float) -> Packets:
        """Timers."""
        return self._do(b"T" + _us(now))[0]

    def connect(self, peer: Address, service: int, now: float) -> int:
        """A connection; 0: there are no more."""
        ip = int(ipaddress.IPv4Address(peer[0]))
        return self._do(b"C" + _us(now) + struct.pack(">IHH", ip, peer[1], service))[1]

    def begin(self, conn: int, request: bytes, now: float) -> tuple[Result | None, Packets]:
        """A call; None: no channel is free."""
        packets, ident = self._do(b"B" + _us(now) + struct.pack(">I", conn) + request)
        return self._begun(ident), packets

    def begin_long(self, conn: int, size: int, now: float) -> tuple[Result | None, Packets]:
        """The same with a request that the harness makes: `made(size)`."""
        packets, ident = self._do(b"M" + _us(now) + struct.pack(">III", conn, size, 77))
        return self._begun(ident), packets

    def _begun(self, ident: int) -> Result | None:
        if ident == 0xFFFFFFFF:
            return None
        return self.calls[ident]

    def abort(self, result: Result, code: int, now: float) -> Packets:
        """Ends a call that was begun here."""
        ident = next(i for i, r in self.calls.items() if r is result)
        result.over, result.error = True, code
        return self._do(b"A" + _us(now) + struct.pack(">Ii", ident, code))[0]

    def disconnect(self, conn: int, now: float) -> Packets:
        """Ends a connection."""
        return self._do(b"D" + _us(now) + struct.pack(">I", conn))[0]

    def counts(self) -> dict[str, int]:
        """The core's counts, `free` and `packets` of its pool, `perf_bytes` and `perf_calls`."""
        self._do(b"K")
        return self._counts

    def _do(self, request: bytes) -> tuple[Packets, int]:
        return self._events(self._told(request))

    def _events(self, data: bytes) -> tuple[Packets, int]:
        packets: Packets = []
        ident, at = 0, 0
        late: list[tuple[int, int, int]] = []
        while at < len(data):
            kind, at = chr(data[at]), at + 1
            if kind == "p":
                ip, port, size = struct.unpack_from(">3I", data, at)
                at += 12
                packets.append(((str(ipaddress.IPv4Address(ip)), port), data[at : at + size]))
                at += size
            elif kind == "d":
                number, size = struct.unpack_from(">2I", data, at)
                at += 8
                self.calls[number].reply += data[at : at + size]
                at += size
            elif kind in "ef":
                number, error = struct.unpack_from(">Ii", data, at)
                at += 8
                late.append((number, 1, error if kind == "f" else 0))
            elif kind in "bc":
                ident = int.from_bytes(data[at : at + 4], "big")
                at += 4
                if kind == "b" and ident != 0xFFFFFFFF:
                    self.calls[ident] = Result()
            elif kind == "n":
                due = int.from_bytes(data[at : at + 8], "big")
                self.next = math.inf if due == NEVER else due / 1e6
                at += 8
            else:
                assert kind == "k", (kind, at, data)
                count = int.from_bytes(data[at : at + 4], "big")
                values = struct.unpack_from(f">{count + 4}Q", data, at + 4)
                names = [*COUNTS, "free", "packets", "perf_bytes", "perf_calls"]
                self._counts = dict(zip(names, values, strict=True))
                at += 4 + 8 * (count + 4)
        for number, _, error in late:
            self.calls[number].over, self.calls[number].error = True, error
        return packets, ident


def made(size: int) -> bytes:
    """The request of `begin_long`."""
    return bytes((i * 77 >> 8) & 0xFF for i in range(size))


def _us(now: float) -> bytes:
    return struct.pack(">Q", round(now * 1e6))


class PythonHost:
    """The workstations' core; ECHO is its only service."""

    def __init__(self, **config: int) -> None:
        self._sent: Packets = []
        self.rx = Rx(
            lambda peer, packet: self._sent.append((peer, packet)),
            {ECHO: echoed},
            **{"epoch": EPOCH, **config},  # type: ignore[arg-type]
        )
        self._connections: list[Connection] = []
        self._calls: list[tuple[Result, object]] = []

    @property
    def next(self) -> float:
        """When `tick` is due."""
        return self.rx.next

    def _gone(self) -> Packets:
        sent = list(self._sent)
        self._sent.clear()
        for result, call in self._calls:
            if call.done:  # type: ignore[attr-defined]
                result.over, result.error = True, call.error  # type: ignore[attr-defined]
                result.reply = call.reply  # type: ignore[attr-defined]
        return sent

    def packet(self, peer: Address, data: bytes, now: float) -> Packets:
        """A packet comes."""
        self.rx.receive(peer, data, now)
        return self._gone()

    def tick(self, now: float) -> Packets:
        """Timers."""
        self.rx.tick(now)
        return self._gone()

    def connect(self, peer: Address, service: int, now: float) -> int:
        """A connection."""
        self.rx.now = now
        self._connections.append(self.rx.connect(peer, service))
        return len(self._connections) - 1

    def begin(self, conn: int, request: bytes, now: float) -> tuple[Result | None, Packets]:
        """A call."""
        self.rx.now = now
        call = self.rx.begin(self._connections[conn], request)
        if call is None:
            return None, []
        self._calls.append((Result(), call))
        return self._calls[-1][0], self._gone()


class Network:
    """Sides at addresses, in virtual time."""

    def __init__(
        self,
        sides: dict[Address, Side],
        seed: int = 0,
        loss: float = 0.0,
        duplication: float = 0.0,
        late: float = 0.0,
        corruption: float = 0.0,
    ) -> None:
        self.sides = sides
        self.now = 1.0
        self.loss, self.duplication, self.late = loss, duplication, late
        self.corruption = corruption
        self.seen: list[tuple[Address, Address, bytes]] = []
        self.cut: set[Address] = set()
        """Sides that neither send nor receive."""
        self.longest = 65535
        """Longer packets do not arrive."""
        self._chance = random.Random(seed)
        self._way: list[tuple[float, int, Address, Address, bytes]] = []
        self._number = 0

    def send(self, source: Address, packets: Packets) -> None:
        """Packets begin their way. A corrupt one does not arrive: UDP's checksum sees it, but for
        one in 65536, which is not the protocol's to find."""
        for target, packet in packets:
            self.seen.append((source, target, packet))
            for _ in range(1 + (self._chance.random() < self.duplication)):
                if {source, target} & self.cut or self._chance.random() < self.loss:
                    continue
                if len(packet) > self.longest:
                    continue
                if self._chance.random() < self.corruption:
                    continue
                delay = 0.001
                if self._chance.random() < self.late:
                    delay += self._chance.random() * 0.3
                self._number += 1
                heapq.heappush(self._way, (self.now + delay, self._number, source, target, packet))

    def begin(self, source: Address, conn: int, request: bytes) -> Result | None:
        """A call of a side."""
        result, packets = self.sides[source].begin(conn, request, self.now)
        self.send(source, packets)
        return result

    def step(self) -> bool:
        """The next thing that happens. False: nothing will."""
        due = [(side.next, address) for address, side in self.sides.items()]
        at, address = min(due)
        if self._way and self._way[0][0] <= at:
            self.now, _, source, target, packet = heapq.heappop(self._way)
            if target in self.sides and target not in self.cut:
                self.send(target, self.sides[target].packet(source, packet, self.now))
            return True
        if at == math.inf:
            return False
        self.now = max(self.now, at)
        self.send(address, self.sides[address].tick(self.now))
        assert self.sides[address].next > self.now, "a timer is due again at once: that never ends"
        return True

    def run(self, seconds: float) -> None:
        """Lets time pass."""
        end = self.now + seconds
        while True:
            due = min(side.next for side in self.sides.values())
            if min(due, self._way[0][0] if self._way else math.inf) > end:
                self.now = end
                return
            self.step()

    def finish(self, *results: Result | None, within: float = 300.0) -> None:
        """Until the calls are over."""
        end = self.now + within
        assert all(r is not None for r in results)
        while not all(r is not None and r.over for r in results):
            assert self.now <= end, f"a call was not over in {within} s"
            assert self.step(), "nothing happens any more, and a call is not over"
