# SPDX-License-Identifier: MIT
"""The machines of a run: a wire and the guests on it."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from hercules.deadline import Deadline, Timeout
from hercules.emulator.choice import Emulator
from hercules.emulator.machine import Hercules
from hercules.wire.process import WireProcess
from workloads.base.guest import OPERATOR, START_NETWORK, Guest, Running, start
from workloads.profiling import COUNTS

NETWORK_WITHIN = 15.0
"""Seconds from the start of the TCPIP machine to a server that takes connections."""
CALIBRATE = "CALIBRATE LAYOUT"


class Lab:
    """A wire and the guests on it. Use as a context; leaving it ends everything.

    `calibration` is what CP of the first guest said of how far layouts of code are apart on the
    emulator's counter; nothing where that counts exactly.
    """

    def __init__(
        self, guest: Guest, folder: Path, volume: Path, profile: str, emulator: Emulator
    ) -> None:
        self.guest = guest
        self.emulator = emulator
        self.folder = folder
        self.volume = volume
        self.calibration = ""
        self._stack = ExitStack()
        folder.mkdir(parents=True, exist_ok=True)
        self.wire = self._stack.enter_context(WireProcess(profile, log=folder / "wire.log"))

    def __enter__(self) -> Lab:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def add(self, name: str, parameter: str, guest: Guest | None = None) -> Running:
        """Boot a guest called NAME with the IPL PARAMETER on a fresh copy of the volume.

        GUEST is another build of the lab's guest, if that is not to be it.

        One that an earlier, killed run left running in the same folder is ended first.
        """
        folder = self.folder / name
        end_leftover(folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        lines = self.wire.add_guest(name)
        running = start(
            guest or self.guest, name, folder, self.volume, lines, parameter, self.emulator
        )
        self._stack.callback(self._end, running)
        return running

    def _end(self, running: Running) -> None:
        running.close()
        running.image.unlink(missing_ok=True)
        (running.folder / COUNTS).unlink(missing_ok=True)

    def start_network(self, running: Running, ready: str) -> None:
        """Let the operator start the network of a guest, and wait for READY in its log."""
        mark = running.log.mark()
        session = running.logon(OPERATOR, OPERATOR)
        if not (self.emulator.exact or self.calibration):
            self.calibration = session.cp(CALIBRATE).text()
        session.cp(START_NETWORK)
        running.leave()
        deadline, expected = Deadline(NETWORK_WITHIN), f"{ready} of guest {running.name}"
        for line in running.follow(mark, ready, NETWORK_WITHIN, expected):
            if deadline.over and ready not in line:  # a server that says again that it tries again
                raise Timeout(expected, deadline.elapsed, (), running.log.tail())
        self.wire.wait_connected(running.name, NETWORK_WITHIN)


def end_leftover(folder: Path) -> bool:
    """End an emulator that still runs in FOLDER; True if there was one."""
    left = Hercules.attach(folder) if folder.is_dir() else None
    if left is None:
        return False
    left.stop()
    return True
