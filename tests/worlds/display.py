# SPDX-License-Identifier: MIT
"""A 3270 terminal of a world that costs no process: it types blindly, and vanishes."""

from __future__ import annotations

import socket
import struct
import threading

from tests.bench.tn3270 import EOR, IAC, Telnet, enter
from vmkb.hercules.clock.guest import NOBODY, GuestClock
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import LOOPBACK

DEVICE = 0x0700
WITHIN = 10.0
"""Seconds of this computer's clock in which the emulator negotiates."""
_RESET = struct.pack("ii", 1, 0)


class Display:
    """A terminal at DEVICE of the emulator with that PORT, whose clock is GUEST."""

    def __init__(self, port: int, guest: GuestClock) -> None:
        self._guest = guest
        self._socket = socket.create_connection((LOOPBACK, port), WITHIN)
        answers = threading.Thread(target=self._negotiate, daemon=True)
        answers.start()  # the emulator waits for it, and the world for the emulator
        self._device = guest.accept()
        answers.join(WITHIN)
        if self._device == NOBODY:
            self._socket.close()
            raise EmulatorError("The emulator turned a terminal away.")

    def _negotiate(self) -> None:
        telnet = Telnet(f"IBM-3278-2@{DEVICE:04X}")
        try:
            while data := self._socket.recv(65536):
                answer, records = telnet.feed(data)
                self._socket.sendall(answer)
                if records:
                    return
        except OSError:
            return

    def type(self, line: str) -> None:
        """ENTER behind a LINE."""
        self._socket.sendall(enter(line))
        self._guest.look(self._device)

    def vanish(self, gone: bytes) -> None:
        """It is gone: what serves terminals sends GONE then. Empty: it has lost its power, and
        nobody says so."""
        if gone:
            self._socket.sendall(gone + bytes([IAC, EOR]))
            self._guest.look(self._device)
        else:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._socket.close()
        if not self._guest.node.ended:
            self._guest.look(self._device)

    def drop(self) -> None:
        """Let go of it: the emulator is gone."""
        self._socket.close()
