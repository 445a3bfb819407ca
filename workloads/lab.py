# SPDX-License-Identifier: MIT
"""The machines of a run: a wire, guests on it, and one user's terminal on each."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from guests.base import Running, driver
from hercules.deadline import Deadline, Timeout
from hercules.emulator.boot import boot
from hercules.emulator.choice import Emulator
from hercules.emulator.machine import Hercules
from hercules.emulator.sparse import copy_sparse
from hercules.guest import Guest
from hercules.wire.process import WireProcess
from workloads.profiling import COUNTS

NETWORK_WITHIN = 15.0
"""Seconds from the start of the TCPIP machine to a server that takes connections."""
CALIBRATE = "CALIBRATE LAYOUT"
_POLL_S = 0.01


class Station(Running):
    """One guest of a run."""

    def calibrate(self, user: str, password: str) -> str:
        """What CP says at USER's terminal of how far layouts of code are apart on this counter."""
        said = self.logon(user, password).cp(CALIBRATE).text()
        self.leave()
        return said


class Lab:
    """A wire and the guests on it. Use as a context; leaving it ends everything."""

    def __init__(
        self, guest: Guest, folder: Path, volume: Path, profile: str, emulator: Emulator
    ) -> None:
        self.guest = guest
        self.emulator = emulator
        self.folder = folder
        self.volume = volume
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

    def add(self, name: str, parameter: str, guest: Guest | None = None) -> Station:
        """Boot a guest called NAME with the IPL PARAMETER on a fresh copy of the volume.

        GUEST is another build of the lab's guest, if that is not to be it.

        One that an earlier, killed run left running in the same folder is ended first.
        """
        folder = self.folder / name
        end_leftover(folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        guest = guest or self.guest
        copy_sparse(self.volume, folder / next(iter(guest.files)))
        lines = self.wire.add_guest(name)
        machine = boot(
            guest, folder, keep=True, ctce=lines, parameter=parameter, emulator=self.emulator
        )
        station = Station(name, guest, machine, folder)
        self._stack.callback(self._end, station)
        return station

    def _end(self, station: Station) -> None:
        station.close()
        station.image.unlink(missing_ok=True)
        (station.folder / COUNTS).unlink(missing_ok=True)

    def start_network(
        self, station: Station, user: str, password: str, command: str, ready: str
    ) -> None:
        """Let USER give the CP COMMAND that starts the network, and wait for READY in the log."""
        mark = station.log.mark()
        station.logon(user, password).cp(command)
        station.leave()
        deadline, expected = Deadline(NETWORK_WITHIN), f"{ready} of guest {station.name}"
        for line in station.follow(mark, ready, NETWORK_WITHIN, expected):
            if deadline.over and ready not in line:  # a server that says again that it tries again
                raise Timeout(expected, deadline.elapsed, (), station.log.tail())
        self.wire.wait_connected(station.name, NETWORK_WITHIN)


def end_leftover(folder: Path) -> bool:
    """End an emulator that still runs in FOLDER; True if there was one."""
    left = Hercules.attach(folder) if folder.is_dir() else None
    if left is None:
        return False
    left.stop()
    return True


def image_digest(guest: Guest) -> str:
    """Twelve hexadecimal digits that name what is IPLed."""
    return driver(guest).digest()
