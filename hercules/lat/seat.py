# SPDX-License-Identifier: MIT
"""A person at a LAT terminal: joins a tty, or the master of a pseudo-terminal, to a terminal of a
station. A tty that takes no output (^S, nobody reads) stops the terminal, and so its host."""

from __future__ import annotations

import codecs
import contextlib
import os
import select
from collections import deque
from typing import NamedTuple

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.lat.port import State
from vmkb.hercules.lat.station import LatStation

ESCAPE = "\x1d"
"""Ctrl-]."""
HELP = b"\r\n[Ctrl-] q leaves; Ctrl-] Ctrl-] types Ctrl-]]\r\n"
TYPED_MAX = 4096
"""Characters that may be typed ahead of what the host takes."""
SHOWN_MAX = 1024
"""Characters that may wait for the tty before the terminal is stopped."""
_LOOK_SECONDS = 0.1


class Typed(NamedTuple):
    """The meaning of some keys: characters for the terminal, or one of the two others."""

    text: bytes
    leave: bool = False
    help: bool = False


class Keys:
    """Between a tty in some character set and a terminal in ISO 8859-1, with the escape. Pure."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._escaped = False

    def typed(self, data: bytes) -> Typed:
        """The meaning of the keyboard's bytes; what follows Ctrl-] q is dropped."""
        text = ""
        unknown = False
        for c in self._decoder.decode(data):
            if not self._escaped:
                self._escaped = c == ESCAPE
                text += "" if self._escaped else c
                continue
            self._escaped = False
            if c in "qQ":
                return Typed(_latin1(text), leave=True)
            text += c if c == ESCAPE else ""
            unknown |= c != ESCAPE
        return Typed(_latin1(text), help=unknown)

    def shown(self, text: bytes) -> bytes:
        """The terminal's text, for the tty."""
        return text.decode("latin-1").encode(self._encoding, "replace")


def _latin1(text: str) -> bytes:
    return text.encode("latin-1", "replace")


class Seat:
    """Terminal 1 of a station and a file descriptor that does not block.

    With `keys` a person's tty; without, a pseudo-terminal whose other end is a serial line: it
    carries all bytes, and RETURN begins a session when there is none."""

    def __init__(self, station: LatStation, service: str, fd: int, keys: Keys | None) -> None:
        self._station = station
        self._terminal = station.terminal(1)
        self._service = service
        self._fd = fd
        self._keys = keys
        self._arrived: deque[bytes] = deque()
        self._pending = b""
        self._stopped = False
        self._left = False
        self._told = ""
        self._wake, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def leave(self) -> None:
        """The person gets up; may be called by a signal's handler."""
        self._left = True
        self._wake_up()

    def sit(self) -> str | None:
        """Until the session ends: why; on a pseudo-terminal that is not the end. None when the
        person left. EmulatorError when the LAN is gone."""
        self._terminal.on_shown(self._shown)
        if self._keys is not None:
            self._terminal.start_connect(self._service)
        while not self._left:
            if self._keys is None:
                self._tell()
            elif self._terminal.over and not self._unwritten:
                return self._terminal.reason
            if not self._station.on_lan and not self._unwritten:
                raise EmulatorError("The guest's LAN is gone.")
            self._turn()
        return None

    def close(self) -> None:
        """Frees what it has; not the file descriptor it was given."""
        os.close(self._wake)
        os.close(self._waker)

    @property
    def _unwritten(self) -> bool:
        return bool(self._pending or self._arrived)

    def _shown(self, text: bytes) -> None:
        """In the station's thread."""
        self._arrived.append(text)
        self._wake_up()

    def _wake_up(self) -> None:
        with contextlib.suppress(OSError):  # full: it is awake anyhow; or closed
            os.write(self._waker, b"\0")

    def _turn(self) -> None:
        readers = [self._wake]
        if self._terminal.waiting_input < TYPED_MAX:
            readers.append(self._fd)
        ready, _, _ = select.select(readers, [self._fd] if self._pending else [], [], _LOOK_SECONDS)
        if self._wake in ready:
            os.read(self._wake, 4096)
        try:
            if self._fd in ready:
                self._read()
            self._write()
        except OSError:  # the tty is gone
            self._left = True

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 1024)
        except BlockingIOError:
            return
        if not data:
            self._left = True
        elif self._keys is None:
            self._line_typed(data)
        else:
            typed = self._keys.typed(data)
            self._type(typed.text)
            self._left |= typed.leave
            self._pending += HELP if typed.help else b""

    def _line_typed(self, data: bytes) -> None:
        if self._terminal.state is State.IDLE or self._terminal.over:
            if b"\r" in data and self._station.on_lan:
                self._told = ""
                self._terminal.start_connect(self._service)
        else:
            self._type(data)

    def _type(self, text: bytes) -> None:
        if text:
            with contextlib.suppress(EmulatorError):  # the LAN is gone: the loop says it
                self._terminal.type(text.decode("latin-1"))

    def _tell(self) -> None:
        """On a pseudo-terminal: what there is to know when no session is under way."""
        if self._told or not (self._terminal.state is State.IDLE or self._terminal.over):
            return
        reason = self._terminal.reason
        self._told = f"[{self._service}{': ' if reason else ''}{reason}; RETURN begins a session]"
        self._pending += f"\r\n{self._told}\r\n".encode("ascii", "replace")

    def _write(self) -> None:
        while self._arrived:
            text = self._arrived.popleft()
            self._pending += self._keys.shown(text) if self._keys is not None else text
        if self._pending:
            with contextlib.suppress(BlockingIOError):
                self._pending = self._pending[os.write(self._fd, self._pending) :]
        stop = len(self._pending) > (0 if self._stopped else SHOWN_MAX)
        if stop != self._stopped:
            self._stopped = stop
            with contextlib.suppress(EmulatorError):
                self._terminal.set_reading(not stop)
