# SPDX-License-Identifier: MIT
"""A stand-in for an emulator on virtual time: a thread at the other end of its clock's channel that
does what a script says, as slowly as it likes. The real one is in tests/e2e."""

from __future__ import annotations

import ctypes
import os
import random
import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence

from vmkb.hercules.clock.messages import NEVER
from vmkb.hercules.clock.native import engine
from vmkb.hercules.clock.node import Node
from vmkb.hercules.clock.world import LOOKAHEAD

ROOM = 1 << 20
WORLDS_TURN, EMULATORS_TURN = range(2)
_HEAD = struct.Struct("=BIQ")


class Channel(ctypes.Structure):
    """The storage that both have (hercules/clock/engine/channel.h)."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("turn", "in_length", "out_length", "unused")),
        ("coming", ctypes.c_uint8 * ROOM),
        ("going", ctypes.c_uint8 * ROOM),
    ]


class Scripted:
    """At each of the times ACTS, ps, it says what stands there, as a message of KIND; it passes no
    time that it was not granted, and notes the kinds and times of what comes."""

    def __init__(
        self, node: Node, acts: Sequence[tuple[int, bytes]], slow: random.Random | None = None,
        kind: str = "W",
    ) -> None:  # fmt: skip
        self.heard: list[tuple[str, int]] = []
        self.passed = 0
        self._acts = sorted(acts)
        self._slow = slow
        self._kind = kind
        self._socket = node.child.dup()
        _, (memory,), *_ = socket.recv_fds(self._socket, 4096, 1)
        self._at = engine().channel_map(memory)
        os.close(memory)
        self._channel = Channel.from_address(self._at)
        self._over = threading.Event()
        node.started(os.getpid())
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Its process ends."""
        self._over.set()
        self._thread.join(5)
        self._socket.close()
        engine().channel_unmap(self._at)

    def _say(self, kind: str, now: int, content: bytes) -> None:
        said = _HEAD.pack(ord(kind), 8 + len(content), now) + content
        ctypes.memmove(
            ctypes.addressof(self._channel.going) + self._channel.out_length, said, len(said)
        )
        self._channel.out_length += len(said)

    def _heard(self) -> Iterator[tuple[str, int]]:
        """What comes when it is its turn again; nothing more when it is over."""
        engine().channel_give(self._at, WORLDS_TURN)
        while not engine().channel_waits(self._at, EMULATORS_TURN, 0.05):
            if self._over.is_set():
                return
        data, at = bytes(self._channel.coming[: self._channel.in_length]), 0
        while at < len(data):
            kind, length, when = _HEAD.unpack_from(data, at)
            at += 5 + length
            yield chr(kind), when

    def _run(self) -> None:
        now = 0
        while not self._over.is_set():
            following = self._acts[0][0] if self._acts else NEVER
            self._say("A", now, struct.pack("=QQI4x", following, 0, 1))
            granted = 0
            for kind, when in self._heard():
                if kind == "G":
                    granted = when
                else:
                    assert when >= self.passed, "it is past"
                    self.heard.append((kind, when))
            if self._slow is not None:
                time.sleep(self._slow.uniform(0, 0.002))
            while self._acts and self._acts[0][0] < granted:
                now, content = self._acts.pop(0)
                self._say(self._kind, now, struct.pack("=H", 0x500) + content)
                granted = min(granted, now + LOOKAHEAD)  # its own end may come then
            self.passed = max(self.passed, now)
