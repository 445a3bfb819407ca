# SPDX-License-Identifier: MIT
"""The terminal port of a guest that `vmkb boot` starts, seen from outside: the process that serves
it (hercules/tn3270/front.py), and whether it answers."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import Deadline, EmulatorError
from vmkb.hercules.emulator.config import LOOPBACK
from vmkb.hercules.leftover import KEEP
from vmkb.hercules.tn3270.negotiation import Answering, NotTn3270

LOG = "front.log"
"""In the run folder: whom the front has not let in, and why."""
_TERMINAL = b"IBM-3278-2"
_CODE_PAGE = "cp037"


class HeldFront(Closing):
    """A front at `port` of the loopback address, which ends when nobody holds `held` open any more.

    Within a `with` block this process holds it, and is trusted to bring the emulator up: if it
    dies before `keep`, the front kills whoever else holds it. Connections to `port` are taken from
    now on, and wait until `emulator` is told; those of other users are refused unless it is
    `open_to_all`. The front holds the file descriptors `holds` open as long as it lives."""

    def __init__(self, run_dir: Path, holds: Sequence[int] = (), open_to_all: bool = False) -> None:
        with contextlib.ExitStack() as until_started:
            listener = socket.create_server((LOOPBACK, 0), backlog=socket.SOMAXCONN)
            until_started.enter_context(listener)
            self.port = int(listener.getsockname()[1])
            lease, self._lease = os.pipe()
            until_started.callback(os.close, lease)
            with (run_dir / LOG).open("wb") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "vmkb.hercules.tn3270.front",
                     "--listener", str(listener.fileno()), "--lease", str(lease),
                     *(["--open-to-all"] if open_to_all else [])],
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log,
                    pass_fds=[listener.fileno(), lease, *holds], start_new_session=True,
                )  # fmt: skip
        assert self._process.stdin is not None
        self.held = self._process.stdin.fileno()

    def emulator(self, port: int, gone: bytes = b"", room: Path | None = None) -> None:
        """The emulator's own terminal port, in the `room` that it has; what tells its guest that a
        user has hung up."""
        self._say(f"port {port} {gone.hex()} {os.fsencode(room or '').hex()}")

    def keep(self) -> None:
        """All is up: the emulator stays when this process ends."""
        self._say(KEEP)

    def _say(self, line: str) -> None:
        try:
            os.write(self._lease, f"{line}\n".encode())
        except OSError:
            raise EmulatorError("The process of the terminal port has ended; try again.") from None

    def close(self) -> None:
        """Its process ends, and with it the terminals."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        os.close(self._lease)


def shows(port: int, text: str, within: float) -> str:
    """The screen of a new terminal at `port` of the loopback address, once that has `text`.

    The terminal is given back at once. Raises EmulatorError with a sentence when nothing listens,
    the connection is closed, or it takes longer than `within` seconds."""
    deadline = Deadline(within)
    try:
        with socket.create_connection((LOOPBACK, port), within) as sock:
            return _read(sock, text, deadline)
    except TimeoutError:
        raise EmulatorError(
            f"The terminal port {port} has shown no '{text}' for {within:g} s."
        ) from None
    except NotTn3270 as error:
        raise EmulatorError(f"No 3270 host answers at port {port}: {error}.") from None
    except OSError as error:
        raise EmulatorError(
            f"The terminal port {port} does not answer: {error.strerror or error}."
        ) from None


def _read(sock: socket.socket, text: str, deadline: Deadline) -> str:
    answering = Answering(_TERMINAL)
    shown = b""
    wanted = text.encode(_CODE_PAGE)
    while wanted not in shown:
        sock.settimeout(max(deadline.left, 0.001))
        data = sock.recv(65536)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        if not data:
            said = shown.decode(_CODE_PAGE, "replace").strip() if shown else "nothing"
            raise EmulatorError(f"The terminal port closed the connection and said: {said}.")
        if answering.done:
            shown += data
        else:
            sock.sendall(answering.feed(data))
            shown = answering.rest
    return shown.decode(_CODE_PAGE)
