# SPDX-License-Identifier: MIT
"""Two Python nodes with each other, on an Ethernet that loses frames; simulated time."""

from __future__ import annotations

import random

import pytest

from tests.peers.decnet.cterm import Host, Terminal
from tests.peers.decnet.nsp import MESSAGE_FLOW, NO_FLOW, SEGMENT_FLOW, Node


class Both:
    """Two nodes and their Ethernet."""

    def __init__(self, loss: float, services: int, host: Host) -> None:
        self._random = random.Random(5)
        self._loss = loss
        self._frames: list[tuple[Node, bytes]] = []
        self.now = 0.0
        self.near: Node = Node(0x401, lambda f: self._put(self.far, f), services=services)
        self.far: Node = Node(
            0x402, lambda f: self._put(self.near, f), lambda: host, services=services
        )

    def _put(self, to: Node, frame: bytes) -> None:
        if self._random.random() >= self._loss:
            self._frames.append((to, frame))

    def run(self, seconds: float) -> None:
        """Lets time pass."""
        end = self.now + seconds
        while self.now < end:
            self.now += 0.1
            self.near.tick(self.now)
            self.far.tick(self.now)
            while self._frames:
                to, frame = self._frames.pop(0)
                to.receive(frame, self.now)


@pytest.mark.parametrize("services", [NO_FLOW, SEGMENT_FLOW, MESSAGE_FLOW])
@pytest.mark.parametrize("loss", [0.0, 0.1])
def test_session(services: int, loss: float) -> None:
    document = b"".join(b"line %d\r\n" % i for i in range(800))

    def answer(host: Host, line: bytes) -> None:
        host.write(document)
        host.close()

    host = Host(answer, b"hello ")
    both = Both(loss, services, host)
    terminal = Terminal()
    both.near.connect(0x402, terminal, both.now)
    both.run(60)
    assert terminal.reading and not terminal.hidden
    terminal.type(b"go")
    both.run(600)
    assert host.lines == [b"go"]
    assert bytes(terminal.text) == b"hello " + document
    assert terminal.events == ["unbind"] and not both.near.links and not both.far.links


def test_nobody_serves() -> None:
    both = Both(0.0, NO_FLOW, Host(lambda host, line: None))
    both.far._serve = None
    terminal = Terminal()
    both.near.connect(0x402, terminal, both.now)
    both.run(1)
    assert terminal.reason == 4
