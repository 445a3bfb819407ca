# SPDX-License-Identifier: MIT
"""A stand-in for an emulator on virtual time: a thread at the other end of its clock's socket that
does what a script says, as slowly as it likes. The real one is in tests/e2e."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import struct
import threading
import time
from collections.abc import Sequence

from vmkb.hercules.clock.messages import NEVER, Decoder, MessageKind, device, encode
from vmkb.hercules.clock.node import Node
from vmkb.hercules.clock.world import LOOKAHEAD


class Scripted:
    """At each of the times ACTS, ps, it sends what stands there; it passes no time that it was not
    granted, and notes the times of what comes."""

    def __init__(
        self, node: Node, acts: Sequence[tuple[int, bytes]], slow: random.Random | None = None
    ) -> None:
        self.heard: list[tuple[MessageKind, int]] = []
        self.passed = 0
        self._node = node
        self._acts = sorted(acts)
        self._slow = slow
        self._socket = node.child.dup()
        node.started(os.getpid())
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Its process ends."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._socket.close()

    def _run(self) -> None:
        decoder, now = Decoder(), 0
        with contextlib.suppress(OSError):
            while True:
                following = self._acts[0][0] if self._acts else NEVER
                self._socket.sendall(
                    encode(MessageKind.ASK, now, struct.pack("=QQI4x", following, 0, 1))
                )
                granted = None
                while granted is None:
                    data = self._socket.recv(65536)
                    if not data:
                        return
                    for message in decoder.feed(data):
                        if message.kind is MessageKind.GRANT:
                            granted = message.time
                        elif message.kind is not MessageKind.HELLO:
                            assert message.time >= self.passed, "it is past"
                            self.heard.append((message.kind, message.time))
                if self._slow is not None:
                    time.sleep(self._slow.uniform(0, 0.002))
                while self._acts and self._acts[0][0] < granted:
                    now, content = self._acts.pop(0)
                    self._socket.sendall(encode(MessageKind.WRITE, now, device(0x500, content)))
                    granted = min(granted, now + LOOKAHEAD)  # its own end may come then
                self.passed = max(self.passed, now)
