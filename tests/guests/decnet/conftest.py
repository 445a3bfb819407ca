# SPDX-License-Identifier: MIT
"""VM/KB's end node compiled for the host with sanitizers, on a simulated Ethernet with the Python
node. Time is simulated: a minute of retransmissions takes no time."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.guests.harness import VMKB, Harness, compiled, rooms
from tests.peers.decnet import packets
from tests.peers.decnet.nsp import Node

HERE = Path(__file__).parent
VMKB_NODE = packets.address("1.2")
PEER_NODE = packets.address("1.1")
TICK = 0.05


class Guest(Harness):
    """The C program."""

    def __init__(self, program: Path) -> None:
        super().__init__(program)
        self.frames: list[bytes] = []
        self.events: list[tuple[str, ...]] = []
        self.due = 0.0

    def ask(self, word: str, now: float, rest: str = "") -> list[tuple[str, ...]]:
        """A command; the events it caused. Frames go to `frames`."""
        events = []
        for line in self.lines(word, round(now * 1e6), rest):
            words = tuple(line.split())
            if words[0] == "F":
                self.frames.append(bytes.fromhex(words[2]))
            elif words[0] == "due":
                self.due = int(words[1]) / 1e6
            else:
                events.append(words)
        self.events += events
        return events


class Lan:
    """Both nodes and what is between them: loss, duplication and reordering, by a seed."""

    def __init__(self, program: Path, seed: int = 0, bad: float = 0.0, **node: Any) -> None:
        self.guest = Guest(program)
        self.random = random.Random(seed)
        self.bad = bad
        self.now = 1.0
        self.cut = False
        self._heap: list[tuple[float, int, bool, bytes]] = []
        self._order = itertools.count()
        self.captured: list[bytes] = []
        self.peer = Node(PEER_NODE, lambda f: self._put(f, True), **node)
        self.guest.ask("init", self.now, str(VMKB_NODE))

    def _put(self, frame: bytes, to_guest: bool) -> None:
        self.captured.append(frame)
        if self.cut or self.random.random() < self.bad:
            return
        for _ in range(2 if self.random.random() < self.bad else 1):
            late = 0.3 if self.random.random() < self.bad else 0.001
            heapq.heappush(self._heap, (self.now + late, next(self._order), to_guest, frame))

    def drain(self) -> None:
        """Put on the Ethernet what the guest has sent."""
        for frame in self.guest.frames:
            self._put(frame, False)
        self.guest.frames.clear()

    def ask(self, word: str, rest: str = "") -> list[tuple[str, ...]]:
        """A command to the guest, now."""
        events = self.guest.ask(word, self.now, rest)
        self.drain()
        return events

    def step(self) -> None:
        """On to the next thing that happens."""
        if self._heap and self._heap[0][0] <= self.now + TICK:
            at, _, to_guest, frame = heapq.heappop(self._heap)
            self.now = max(self.now, at)
            if to_guest:
                self.guest.ask("frame", self.now, frame.hex())
            else:
                self.peer.receive(frame, self.now)
        else:
            self.now += TICK
            self.peer.tick(self.now)
            if self.guest.due <= self.now:
                self.guest.ask("tick", self.now)
        self.drain()

    def run(self, until: Callable[[], bool], seconds: float = 300.0) -> None:
        """Let time pass until something is so; fails after simulated seconds."""
        limit = self.now + seconds
        while not until():
            assert self.now < limit, (self.guest.events[-5:], self.peer.refused)
            self.step()

    def said(self, kind: str) -> list[tuple[str, ...]]:
        """The guest's events of a kind."""
        return [e for e in self.guest.events if e[0] == kind]

    def bytes_of(self, kind: str) -> bytes:
        """What such events carried, together."""
        return b"".join(bytes.fromhex(e[2]) for e in self.said(kind) if len(e) > 2)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C program, built."""
    folder = VMKB / "cp" / "comm" / "decnet"
    parts = [*sorted(folder.glob("dn_*.c")), *sorted(folder.glob("cterm_*.c"))]
    flags = rooms("include", "cp/include", "lib")
    return compiled(tmp_path_factory.mktemp("decnet"), flags, HERE / "decnetdrive.c", *parts)


@pytest.fixture
def make_lan(program: Path) -> Iterator[Callable[..., Lan]]:
    """Makes Lans that end with the test."""
    lans: list[Lan] = []

    def make(seed: int = 0, bad: float = 0.0, **node: Any) -> Lan:
        lans.append(Lan(program, seed, bad, **node))
        return lans[-1]

    yield make
    for lan in lans:
        lan.guest.end()
