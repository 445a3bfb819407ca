# SPDX-License-Identifier: MIT
"""A link over which no page is lost that a system clears by itself.

s3270 takes all records that have come before it answers, so a page that is written and erased in
one moment is on no screen that can be read. A relay between the two holds each record that erases
the display back until the display has been read.
"""

from __future__ import annotations

import contextlib
import socket
import threading

from vmkb.hercules.deadline import HOST, Deadline, EmulatorError
from vmkb.hercules.emulator.config import LOOPBACK
from vmkb.hercules.tn3270.address import Address
from vmkb.hercules.tn3270.records import Records
from vmkb.hercules.tn3270.terminal import ACTION_WITHIN, KEYS, Link, Terminal, TerminalError

_CHUNK = 65536


class Paced(Link):
    """To a system that is perhaps not on this computer, without TLS: that hides the records.

    s3270 does not wait for an unlocked keyboard by itself: what the host erases before it unlocks
    the keyboard must be read meanwhile."""

    options = ("-clear", "aidWait")

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._passed = 0
        """Bytes that s3270 was sent."""
        self._settled = 0
        """Of these it had so many when it was asked last,"""
        self._seen = 0
        """and so many when the display was read last; 0: it is not connected yet."""
        self._holding = False
        self._over = False
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []

    def through(self, address: Address, within: float) -> Address:
        """The address of the relay, which has connected to ADDRESS. TerminalError if it cannot."""
        try:
            far = socket.create_connection((address.host, address.port), within)
        except OSError as error:
            raise TerminalError(error.strerror or str(error)) from None
        far.settimeout(None)
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener = socket.create_server((LOOPBACK, 0), backlog=1)
        self._sockets += [listener, far]
        self._start(self._serve, listener, far)
        return Address(LOOPBACK, int(listener.getsockname()[1]), address.lu)

    def _start(self, what: object, *args: socket.socket) -> None:
        thread = threading.Thread(target=what, args=args, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _serve(self, listener: socket.socket, far: socket.socket) -> None:
        with contextlib.suppress(OSError):
            near, _ = listener.accept()
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sockets.append(near)
            self._start(_copy, near, far)
            self._pass_on(far, near)

    def _pass_on(self, far: socket.socket, near: socket.socket) -> None:
        records = Records()
        with contextlib.suppress(OSError):
            while data := _received(far):
                records.feed(data)
                while piece := records.take(erase=False) or self._erasure(records):
                    near.sendall(piece)
                    with self._news:
                        self._passed += len(piece)
                        self._news.notify_all()
        self._until_seen()  # what the host said last
        with self._news:
            self._over = True
            self._news.notify_all()
        with contextlib.suppress(OSError):
            near.shutdown(socket.SHUT_RDWR)

    def _erasure(self, records: Records) -> bytes:
        if not records.erases:
            return b""
        self._until_seen()
        return records.take(erase=True)

    def _until_seen(self) -> None:
        """Returns when all that was passed on has been read from the display, or never will be."""
        with self._news:
            self._holding = True
            self._news.notify_all()
            self._news.wait_for(lambda: self._over or self._seen in (0, self._passed))
            self._holding = False

    def key(self, terminal: Terminal, action: str, deadline: Deadline) -> None:
        """Press the key of ACTION; returns when the host has unlocked the keyboard again."""
        terminal.action(action, deadline)
        if action.startswith(KEYS):
            terminal.unlocked(deadline)

    def settle(self, terminal: Terminal) -> None:
        """Returns when s3270 has what it was sent by now."""
        with self._news:
            passed = self._passed
        deadline = Deadline(ACTION_WITHIN, HOST)
        with contextlib.suppress(EmulatorError):  # hung up: the next action says so
            while not self._over and self._settled < passed and not deadline.over:
                self._settled = terminal.received()

    def read(self, terminal: Terminal) -> None:
        """The display has been read as it was when all that was settled had come."""
        with self._news:
            self._seen = self._settled
            self._news.notify_all()

    def wait(self, terminal: Terminal, deadline: Deadline) -> bool:
        """Returns when s3270 was sent something; False at the deadline."""
        with self._news:
            came = self._news.wait_for(
                lambda: self._over or self._holding or self._passed != self._settled, deadline.left
            )
            held = self._holding
        if held:
            terminal.read()
        return came

    def close(self, terminal: Terminal) -> None:
        """s3270 has ended."""
        with self._news:
            self._over = True
            self._news.notify_all()
        for sock in self._sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(ACTION_WITHIN)
        for sock in self._sockets:
            sock.close()


def _received(sock: socket.socket) -> bytes:
    """What has come, acknowledged at once (relay.py says why)."""
    data = sock.recv(_CHUNK)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    return data


def _copy(near: socket.socket, far: socket.socket) -> None:
    """What is typed, until s3270 ends."""
    with contextlib.suppress(OSError):
        while data := _received(near):
            far.sendall(data)
        far.shutdown(socket.SHUT_RDWR)
