# SPDX-License-Identifier: MIT
"""The machines of a run: a wire, guests on it, and one user's terminal on each."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType

from guests.base import Running, driver
from hercules.deadline import LOG_TAIL, Deadline, EmulatorError, Timeout
from hercules.emulator.boot import boot
from hercules.emulator.choice import Emulator
from hercules.emulator.machine import Hercules
from hercules.emulator.sparse import copy_sparse
from hercules.guest import Guest
from hercules.warden import Warden
from hercules.watch import Disturbed, Watch
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

    def ended(self) -> str:
        """What is to be said when its emulator has ended and should not have."""
        lines = self.log.path.read_text("utf-8", "replace").splitlines()[-LOG_TAIL:]
        return (
            f"The emulator of guest {self.name} (pid {self.machine.pid}) has ended. End of its log,"
            f" {self.log.path}:\n" + "\n".join(f"  {line}" for line in lines)
        )


class Lab:
    """A wire and the guests on it. Use as a context; leaving it ends everything."""

    def __init__(
        self, guest: Guest, folder: Path, volume: Path, profile: str, emulator: Emulator
    ) -> None:
        self.guest = guest
        self.emulator = emulator
        self.folder = folder
        self.volume = volume
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as until_up:
            self._warden = until_up.enter_context(Warden())
            self._warden.remove(volume)
            self.wire = until_up.enter_context(WireProcess(profile, log=folder / "wire.log"))
            self._watch = until_up.enter_context(closing(Watch()))
            self._watch.add(self.wire.pid, self._wire_ended)
            self._stack = until_up.pop_all()

    def __enter__(self) -> Lab:
        self._watch.start()
        return self

    def _wire_ended(self) -> str:
        log = self.wire.log.read_text(errors="replace").strip()
        return f"The wire (pid {self.wire.pid}) has ended. {log or 'Its log is empty.'}"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        said = str(value) if isinstance(value, Disturbed) else None
        if isinstance(value, EmulatorError):
            said = self._watch.disturbance()  # the better reason
        self._watch.stop()
        self._stack.close()
        if said is not None:
            raise EmulatorError(said) from None

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
        self._warden.remove(folder / next(iter(guest.files)))
        self._warden.remove(folder / COUNTS)
        machine = boot(
            guest, folder, keep=True, ctce=lines, parameter=parameter, holds=(self._warden.held,),
            emulator=self.emulator,
        )  # fmt: skip
        station = Station(name, guest, machine, folder)
        self._stack.callback(self._end, station)
        self._watch.add(machine.pid, station.ended)
        return station

    def _end(self, station: Station) -> None:
        self._watch.forget(station.machine.pid)
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
