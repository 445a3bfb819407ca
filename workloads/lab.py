# SPDX-License-Identifier: MIT
"""The machines of a run: a wire, guests on it, and one user's terminal on each."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType

from hercules.deadline import LOG_TAIL, Deadline, EmulatorError, Timeout, wait_until
from hercules.emulator.boot import boot, open_session, shut_down
from hercules.emulator.choice import Emulator
from hercules.emulator.machine import Hercules
from hercules.emulator.sparse import copy_sparse
from hercules.guest import Guest
from hercules.tn3270.session import UserSession
from hercules.warden import Warden
from hercules.watch import Disturbed, Watch
from hercules.wire.process import WireProcess
from workloads.profiling import COUNTS

NETWORK_WITHIN = 15.0
"""Seconds from the start of the TCPIP machine to a server that takes connections."""
CALIBRATE = "CALIBRATE LAYOUT"
_POLL_S = 0.01


class Station:
    """One guest of a run: its emulator, the image that it writes on, and its log."""

    def __init__(self, name: str, guest: Guest, machine: Hercules, folder: Path) -> None:
        self.name = name
        self.guest = guest
        self.machine = machine
        self.folder = folder
        self.log = machine.open_log()
        self._session: UserSession | None = None

    @property
    def image(self) -> Path:
        """The volume that the guest runs on."""
        return self.folder / next(iter(self.guest.files))

    def logon(self, user: str, password: str) -> UserSession:
        """USER at this guest's one terminal, as new or reconnected, when CMS reads."""
        try:
            if self._session is None:
                self._session = open_session(self.guest, self.machine)
            self._session.logon(user, password)
        except EmulatorError:
            self.machine.check_running()  # a dead emulator is the better reason
            raise
        return self._session

    def leave(self) -> None:
        """Let go of the terminal; a user who is logged on stays so, disconnected."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def follow(self, mark: int, last: str, silence: float, expected: str) -> Iterator[str]:
        """Log lines from number MARK on as they come, up to one that contains LAST.

        Raises Timeout when no line has come for SILENCE seconds, EmulatorError when the emulator
        has ended.
        """
        seen = mark
        deadline = Deadline(silence)
        while True:
            now = self.log.mark()
            if now == seen:
                self.machine.check_running()
                if deadline.over:
                    raise Timeout(expected, deadline.elapsed, (), self.log.tail())

                def grown(known: int = seen) -> bool:
                    return self.log.mark() > known

                try:
                    wait_until(grown, min(1.0, deadline.left + 0.01), expected, poll=_POLL_S)
                except Timeout:
                    continue
                continue
            deadline = Deadline(silence)
            for line in self.log.since(seen):
                seen += 1
                yield line
                if last in line:
                    return

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

    def close(self) -> None:
        """Shut the guest down and end its emulator; its log stays."""
        self.leave()
        shut_down(self.guest, self.machine)
        self.log.close()


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
    """Twelve hexadecimal digits that name what the guest's .ins file loads."""
    guest.check_built()
    total = hashlib.sha256()
    for line in guest.image.read_text("utf-8").splitlines():
        words = line.split()
        path = guest.image.parent / words[0] if words else None
        if path is not None and path.is_file() and path.suffix == ".bin":
            total.update(path.read_bytes())
    return total.hexdigest()[:12]
