# SPDX-License-Identifier: MIT
"""The machines of a run: a wire and the guests on it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from vmkb.guests.base import Running, driver
from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.clock.lan import WorldLan
from vmkb.hercules.deadline import LOG_TAIL, Deadline, EmulatorError, Timeout
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.warden import Warden
from vmkb.hercules.watch import Disturbed, Watch, full
from vmkb.hercules.wire.process import WireProcess
from vmkb.workloads.base.guest import OPERATOR, START_NETWORK
from vmkb.workloads.base.profile.kept import COUNTS

if TYPE_CHECKING:
    from vmkb.hercules.coroutines import Beside

Wire = WireProcess | WorldLan
"""A LAN: in a process of its own, or in a world on virtual time."""
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
        self.guests: list[Running] = []
        """Those that were started, in this order."""
        self._interrupted = False
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as until_up:
            self._warden = until_up.enter_context(Warden())
            self._warden.remove(volume)
            self.wire = self._begin(until_up, profile)
            self._stack = until_up.pop_all()

    def _begin(self, until_up: ExitStack, profile: str) -> Wire:
        """The lab's wire, and what it needs beside it."""
        wire = until_up.enter_context(WireProcess(profile, log=self.folder / "wire.log"))
        self._watch = until_up.enter_context(closing(Watch(also=lambda: full(self.folder))))
        self._watch.add(wire.pid, lambda: _wire_ended(wire))
        return wire

    def __enter__(self) -> Lab:
        self._watch.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._interrupted = isinstance(value, KeyboardInterrupt)
        self._leave(value)

    def _leave(self, value: BaseException | None) -> None:
        """End everything; VALUE is why, if it is an error."""
        said = str(value) if isinstance(value, Disturbed) else None
        if isinstance(value, EmulatorError):
            said = self._watch.disturbance()  # the better reason
        self._watch.stop()
        self._stack.close()
        if said is not None:
            raise EmulatorError(said) from None

    def beside(self, name: str) -> Beside:
        """Where the coroutines of a station called NAME run."""
        from vmkb.hercules.coroutines import (
            Thread,  # asyncio, which few labs need, is slow to import
        )

        return Thread(name)

    def add(
        self, name: str, parameter: str, guest: Guest | None = None, model: str = ""
    ) -> Running:
        """Boot a guest called NAME with the IPL PARAMETER on a fresh copy of the volume.

        GUEST is another build of the lab's guest, if that is not to be it; MODEL the CPU model that
        sets its pace on virtual time, if it is not the run's.

        One that an earlier, killed run left running in the same folder is ended first.
        """
        folder = self.folder / name
        end_leftover(folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        guest = guest or self.guest
        link = "lan" if guest.network is None else guest.network.link
        lines, clock = self._join(name, link, model)
        for own in (*guest.files, COUNTS):
            self._warden.remove(folder / own)
            self._stack.callback((folder / own).unlink, missing_ok=True)
        running = driver(guest).start(
            name, folder, self.volume, lines, parameter, self.emulator, (self._warden.held,), clock
        )
        self._stack.callback(self._end, running)
        self.guests.append(running)
        self._guard(running)
        return running

    def _join(self, name: str, link: str, model: str) -> tuple[Sequence[str], GuestClock | None]:
        """A port of the wire for the guest NAME: its configuration's lines, and its clock, if it is
        to have one, at the pace of MODEL."""
        wire = self.wire
        assert isinstance(wire, WireProcess)
        return (wire.add_ctcm if link == "ctcm" else wire.add_guest)(name), None

    def _guard(self, running: Running) -> None:
        self._watch.add(running.machine.pid, lambda: _ended(running))

    def _let_go(self, running: Running) -> None:
        self._watch.forget(running.machine.pid)

    def _end(self, running: Running) -> None:
        self._let_go(running)
        if self._interrupted:  # nobody waits for the end of its work
            running.machine.kill()
        running.close()

    def start_network(self, running: Running, ready: str) -> None:
        """Let the operator start the network of a guest, and wait for READY in its log."""
        mark = running.log.mark()
        self._operate(running)
        deadline, expected = Deadline(NETWORK_WITHIN), f"{ready} of guest {running.name}"
        for line in running.follow(mark, ready, NETWORK_WITHIN, expected):
            if deadline.over and ready not in line:  # a server that says again that it tries again
                raise Timeout(expected, deadline.elapsed, (), running.log.tail())
        self.wire.wait_connected(running.name, NETWORK_WITHIN)

    def _operate(self, running: Running) -> None:
        """The operator starts the network."""
        session = running.logon(OPERATOR, OPERATOR)
        if not (self.emulator.exact or self.calibration):
            self.calibration = session.cp(CALIBRATE).text()
        session.cp(START_NETWORK)
        running.leave()


def _wire_ended(wire: WireProcess) -> str:
    log = wire.log.read_text(errors="replace").strip()
    return f"The wire (pid {wire.pid}) has ended. {log or 'Its log is empty.'}"


def _ended(running: Running) -> str:
    """The message when a guest's emulator has ended and should not have."""
    lines = running.log.path.read_text("utf-8", "replace").splitlines()[-LOG_TAIL:]
    return (
        f"The emulator of guest {running.name} (pid {running.machine.pid}) has ended. End of its"
        f" log, {running.log.path}:\n" + "\n".join(f"  {line}" for line in lines)
    )


def end_leftover(folder: Path) -> bool:
    """End an emulator that still runs in FOLDER; True if there was one."""
    left = Hercules.attach(folder) if folder.is_dir() else None
    if left is None:
        return False
    left.stop()
    return True
