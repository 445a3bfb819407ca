# SPDX-License-Identifier: MIT
"""A 3270 display in a world, at which one of many sits: its keys go at the world's time, and who
sits there is told when the host has written. It is no process, as s3270 is."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

from vmkb.hercules.clock.guest import NOBODY, GuestClock
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import LOOPBACK
from vmkb.hercules.tn3270.buffer import Buffer
from vmkb.hercules.tn3270.negotiation import EOR, IAC, Answering

TERMINAL = b"IBM-3278-2"
HOST_S = 20.0
"""Seconds of this computer's clock that the emulator may take to send what it says it has sent."""
_END = bytes((IAC, EOR))


class Seat:
    """A display connected to a guest's port; TOLD is called with the time, ps, of each write."""

    def __init__(self, guest: GuestClock, port: int, told: Callable[[int], None]) -> None:
        self.buffer = Buffer()
        self._guest = guest
        self._received = 0
        self._left = b""
        self._socket = socket.create_connection((LOOPBACK, port), HOST_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.device = self._enter()
        except BaseException:
            self._socket.close()
            raise
        guest.watchers[self.device] = told
        self.settle()

    def _enter(self) -> int:
        """The emulator takes the connection while a thread negotiates: its device."""
        answering = Answering(TERMINAL)

        def negotiate() -> None:
            while not answering.done and (data := self._socket.recv(1 << 16)):
                self._received += len(data)
                self._socket.sendall(answering.feed(data))

        beside = threading.Thread(target=negotiate, daemon=True)
        beside.start()
        device = self._guest.accept()
        beside.join(HOST_S)
        if device == NOBODY or not answering.done:
            raise EmulatorError("The emulator has no free terminal.")
        self._left = answering.rest
        return device

    def settle(self) -> None:
        """The buffer has all that the emulator has sent by now."""
        sent = self._guest.sent.get(self.device, 0)
        while self._received < sent:
            try:
                data = self._socket.recv(1 << 16)
            except OSError:
                data = b""
            if not data:
                raise EmulatorError(f"Terminal {self.device:04X} was not sent what it should be.")
            self._received += len(data)
            self._left += data
        while (end := _end_of(self._left)) >= 0:
            record, self._left = self._left[:end], self._left[end + len(_END) :]
            answer = self.buffer.feed(record.replace(bytes((IAC, IAC)), bytes((IAC,))))
            if answer:
                self._send(answer)

    def press(self, key: str, text: str = "") -> None:
        """Type TEXT and press KEY, now."""
        if text:
            self.buffer.type(text)
        self._send(self.buffer.press(key))

    def _send(self, record: bytes) -> None:
        data = record.replace(bytes((IAC,)), bytes((IAC, IAC))) + _END
        self._guest.key(self.device, lambda: self._socket.sendall(data))

    @property
    def locked(self) -> bool:
        """Whether the keyboard is locked."""
        return self.buffer.locked

    def rows(self) -> list[str]:
        """What is shown."""
        return self.buffer.rows()

    def close(self) -> None:
        """Nobody sits here any more. The emulator learns of it when it looks."""
        self._guest.watchers.pop(self.device, None)
        self._socket.close()


def _end_of(data: bytes) -> int:
    """Where the first record in DATA ends; -1 if none does. A doubled IAC is data."""
    at = data.find(_END)
    while at >= 0:
        doubled = 0
        while at - doubled > 0 and data[at - doubled - 1] == IAC:
            doubled += 1
        if doubled % 2 == 0:
            return at
        at = data.find(_END, at + 1)
    return -1
