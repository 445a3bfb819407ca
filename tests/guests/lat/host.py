# SPDX-License-Identifier: MIT
"""The LAT host of CP behind its harness, and a network of virtual time between it and servers."""

from __future__ import annotations

import heapq
import random
import struct
from collections import defaultdict

from tests.guests.harness import Piped
from vmkb.hercules.lat.server import TerminalServer

MAC = bytes.fromhex("020100000001")
COUNTS = ("malformed", "duplicates", "out_of_order", "resent", "unknown", "refused", "violations",
          "circuits_lost")  # fmt: skip


class Host(Piped):
    """One harness process; `init` gives the host a fresh life. Times are seconds."""

    def init(self, no_terminal: bool = False) -> None:
        """Begins anew at time 1."""
        self.frames: list[bytes] = []
        self.opened: list[int] = []
        self.closed: list[int] = []
        self.attentions: list[int] = []
        self.input: dict[int, bytearray] = defaultdict(bytearray)
        self.next = 0.0
        self._counts: dict[str, int] = {}
        self._do(b"I" + struct.pack(">QB", 1_000_000, no_terminal))

    def frame(self, data: bytes, now: float) -> list[bytes]:
        """A frame comes; the frames sent."""
        return self._do(b"F" + struct.pack(">Q", int(now * 1e6)) + data)

    def tick(self, now: float) -> list[bytes]:
        """Timers; the frames sent."""
        return self._do(b"T" + struct.pack(">Q", int(now * 1e6)))

    def write(self, ident: int, text: bytes) -> list[bytes]:
        """A terminal gets output."""
        return self._do(b"O" + bytes((ident,)) + text)

    def room(self, ident: int, room: int) -> list[bytes]:
        """CP takes so much more input of a terminal."""
        return self._do(b"R" + struct.pack(">BH", ident, room))

    def logoff(self, ident: int) -> list[bytes]:
        """A terminal's user logs off."""
        return self._do(b"L" + bytes((ident,)))

    def shutdown(self) -> list[bytes]:
        """The system goes down."""
        return self._do(b"S")

    def counts(self) -> dict[str, int]:
        """The host's counts."""
        self._do(b"K")
        return self._counts

    def _do(self, request: bytes) -> list[bytes]:
        return self._events(self._told(request))

    def _events(self, data: bytes) -> list[bytes]:
        frames = []
        at = 0
        while at < len(data):
            kind, at = chr(data[at]), at + 1
            if kind == "f":
                size = int.from_bytes(data[at : at + 2], "big")
                frames.append(data[at + 2 : at + 2 + size])
                at += 2 + size
            elif kind == "i":
                size = int.from_bytes(data[at + 1 : at + 3], "big")
                self.input[data[at]] += data[at + 3 : at + 3 + size]
                at += 3 + size
            elif kind == "n":
                self.next = int.from_bytes(data[at : at + 8], "big") / 1e6
                at += 8
            elif kind == "k":
                self._counts = dict(zip(COUNTS, struct.unpack_from(">8Q", data, at), strict=True))
                at += 64
            else:
                {"o": self.opened, "c": self.closed, "a": self.attentions}[kind].append(data[at])
                at += 1
        self.frames += frames
        return frames


class Network:
    """The host and servers on one LAN, in virtual time, with every frame at the mercy of chance."""

    def __init__(
        self,
        host: Host,
        servers: list[TerminalServer],
        seed: int = 0,
        loss: float = 0.0,
        duplication: float = 0.0,
        late: float = 0.0,
    ) -> None:
        self.host = host
        self.servers = servers
        self.now = 1.0
        self.loss, self.duplication, self.late = loss, duplication, late
        self.cut = False
        self._chance = random.Random(seed)
        self._way: list[tuple[float, int, bytes]] = []
        self._number = 0

    def send(self, frames: list[bytes]) -> None:
        """Frames begin their way."""
        for frame in frames:
            copies = 1 + (self._chance.random() < self.duplication)
            for _ in range(copies):
                if self.cut or self._chance.random() < self.loss:
                    continue
                delay = 0.001
                if self._chance.random() < self.late:
                    delay += self._chance.random() * 0.3
                self._number += 1
                heapq.heappush(self._way, (self.now + delay, self._number, frame))

    def run(self, seconds: float, step: float = 0.01) -> None:
        """Lets time pass."""
        end = self.now + seconds
        while self.now < end:
            self.now += step
            while self._way and self._way[0][0] <= self.now:
                self._deliver(heapq.heappop(self._way)[2])
            for server in self.servers:
                if self.now >= server.due(self.now) or not server.circuits:
                    self.send(server.tick(self.now))
            if self.now >= self.host.next:
                self.send(self.host.tick(self.now))

    def _deliver(self, frame: bytes) -> None:
        to_all = frame[0] & 1
        if to_all or frame[:6] == MAC:
            self.send(self.host.frame(frame, self.now))
        for server in self.servers:
            if to_all or frame[:6] == server.mac:
                self.send(server.receive(frame, self.now))
