# SPDX-License-Identifier: MIT
"""Ports of this computer that a command has chosen and that nobody listens on yet. Between the
choice and the moment when passt listens another command could choose the same ones."""

from __future__ import annotations

import contextlib
import errno
import random
import socket

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import LOOPBACK

PLANNED = "is being taken by another vmkb boot"
_MARK = "\0vmkb-port-{}"
"""An abstract Unix socket: one process of this computer has the name, until it ends."""
CONSOLES = range(10000, 20000)
"""Below those that Linux gives out by itself (from 32768 on) and the wire's."""


class Ports(Closing):
    """The ports that were chosen here. They are nobody else's until this is closed: by then
    something listens on them, or they are free."""

    def __init__(self) -> None:
        self._marks: dict[int, socket.socket] = {}

    def take(self, port: int) -> str:
        """Choose PORT; a sentence's end says why it cannot be had, empty if it can."""
        if port in self._marks:
            return ""
        found = _marked(port)
        if isinstance(found, str):
            return found
        self._marks[port] = found
        return ""

    def give_back(self, port: int) -> None:
        """It was not needed."""
        with contextlib.suppress(KeyError):
            self._marks.pop(port).close()

    def close(self) -> None:
        """Gives all of them back."""
        for port in list(self._marks):
            self.give_back(port)


def _marked(port: int) -> socket.socket | str:
    """The mark of a port that can be had, or the end of a sentence."""
    mark = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        mark.bind(_MARK.format(port))
    except OSError:
        mark.close()
        return PLANNED
    if why := refused(port):
        mark.close()
        return why
    return mark


def claim() -> tuple[int, socket.socket]:
    """A port of CONSOLES that nobody listens on, and its mark: no other vmkb gets the port while
    any process has the mark. An emulator that is given it has the port for itself from before it
    listens until it ends. EmulatorError if there is none."""
    start = random.randrange(len(CONSOLES))
    for step in range(len(CONSOLES)):
        port = CONSOLES[(start + step) % len(CONSOLES)]
        found = _marked(port)
        if not isinstance(found, str):
            return port, found
    raise EmulatorError(
        f"no TCP port from {CONSOLES[0]} to {CONSOLES[-1]} is free for an emulator's terminals"
    )


def refused(port: int) -> str:
    """Why nothing of ours can listen on a port of the loopback address; empty if it can."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((LOOPBACK, port))
            sock.listen(1)
        except PermissionError:
            return "needs root (it is below 1024)"
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            return "is taken by another program" if taken else f"cannot be used ({error.strerror})"
    return ""
