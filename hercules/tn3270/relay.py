# SPDX-License-Identifier: MIT
"""Takes the delayed acknowledgement out of terminal connections.

Neither s3270 nor Hercules 3.13 switches Nagle's algorithm off: the second of two short writes in
a row waits until the first is acknowledged, and the receiver's kernel holds that back for 40 ms.
It happens twice in each connection's negotiation and whenever CP writes twice. A relay between
the two acknowledges at once and sends at once. One thread serves all terminals of a process.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading

from vmkb.hercules.emulator.config import LOOPBACK

_CHUNK = 65536


class Relay:
    """Relays connections to ports of the loopback address, each through a listener of its own."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._selector.register(self._wake_in, selectors.EVENT_READ, None)
        self._lock = threading.Lock()
        self._new: list[tuple[socket.socket, int]] = []
        self._thread: threading.Thread | None = None

    def open(self, port: int) -> int:
        """The port of a listener that passes one connection on to `port`.

        When the far side refuses, the one connection is closed at once.
        """
        listener = socket.create_server((LOOPBACK, 0), backlog=1)
        listener.setblocking(False)
        with self._lock:
            self._new.append((listener, port))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="relay", daemon=True)
                self._thread.start()
        self._wake_out.send(b"x")
        return int(listener.getsockname()[1])

    def _run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.data is None:
                    self._wake_in.recv(_CHUNK)
                    self._take_new()
                elif isinstance(key.data, int):
                    self._accept(key.fileobj, key.data)  # type: ignore[arg-type]
                else:
                    self._pass_on(key.fileobj, key.data)  # type: ignore[arg-type]

    def _take_new(self) -> None:
        with self._lock:
            new, self._new = self._new, []
        for listener, port in new:
            self._selector.register(listener, selectors.EVENT_READ, port)

    def _accept(self, listener: socket.socket, port: int) -> None:
        self._selector.unregister(listener)
        try:
            near, _ = listener.accept()
        except OSError:
            return
        finally:
            listener.close()
        try:
            far = socket.create_connection((LOOPBACK, port), timeout=5)
        except OSError:
            near.close()
            return
        for one, other in ((near, far), (far, near)):
            one.setblocking(True)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            self._selector.register(one, selectors.EVENT_READ, other)

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        try:
            data = one.recv(_CHUNK)
            # The kernel forgets this wish after each time that it has come true.
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        for sock in (one, other):
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(sock)
            sock.close()


_shared: Relay | None = None


def relayed(port: int) -> int:
    """A port that leads to `port` without the delays, for one connection."""
    global _shared
    if _shared is None:
        _shared = Relay()
    return _shared.open(port)
