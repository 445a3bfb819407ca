# SPDX-License-Identifier: MIT
"""The machines of a run on virtual time: a world, in which each trial is alone.

A trial follows from its seed, its guests and its workload. So it can be run at any time, on any
computer, beside anything, and repeated.
"""

from __future__ import annotations

import gzip
import io
import os
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from vmkb.accounting.models import model
from vmkb.accounting.records import Record, Source, Unit, Value
from vmkb.guests.base import Running
from vmkb.hercules.clock.devices import device_times
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.lan import CTCM_READ, CTCM_WRITE, READ_DEVICE, WRITE_DEVICE, WorldLan
from vmkb.hercules.clock.messages import PS, Pace
from vmkb.hercules.clock.node import Fork
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import EmulatorError, on
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.config import LAN_CTC
from vmkb.hercules.guest import Guest
from vmkb.hercules.watch import full
from vmkb.hercules.wire.profile import profile as find_profile
from vmkb.workloads.base.guest import START_NETWORK
from vmkb.workloads.base.lab import Lab, Wire
from vmkb.workloads.base.results import keep_line

if TYPE_CHECKING:
    from vmkb.hercules.clock.loop import WorldLoop
    from vmkb.hercules.coroutines import Beside

IPL_AT = datetime(2001, 3, 1, 9, 0, tzinfo=UTC)
"""The guests' date at their IPL: the year of z/VM 3.1.0, so that nobody takes it for today's."""
MADE_AT = datetime(2001, 2, 28, 12, 0, tzinfo=UTC)
"""The date of the files on their volumes."""
TIMER_PACE = "2064-109"
"""How fast the machine is where the model is the emulator's own CPU timer."""
START_SEED = 0
"""Of what worlds begin with: theirs draw later."""
TRACE = ".trace.gz"
"""Behind a trial's id: what has happened in its world, event by event."""
WORLD = ".world.txt"
"""Behind a trial's id: the length of its world, and the digest of those events."""
_1900 = datetime(1900, 1, 1, tzinfo=UTC)
_UNITS = 16_000_000
_VOLUME_DATE = "SOURCE_DATE_EPOCH"


def pace(key: str) -> Pace:
    """How fast an emulator is that stands for the CPU model KEY. ModelError if there is none."""
    known = model(key)
    if known.is_timer:
        known = model(TIMER_PACE)
    return Pace(known.kmips, int(known.move_rate), int(known.sum_rate), device_times())


@contextmanager
def volumes_dated() -> Iterator[None]:
    """Within, files get the date MADE_AT on the volumes that are made."""
    before = os.environ.get(_VOLUME_DATE)
    os.environ[_VOLUME_DATE] = str(int(MADE_AT.timestamp()))
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VOLUME_DATE]
        else:
            os.environ[_VOLUME_DATE] = before


@contextmanager
def _packed(path: Path) -> Iterator[TextIO]:
    """A text file that is packed in the same way whenever it is written."""
    with path.open("wb") as raw:
        packed = gzip.GzipFile("", "wb", 6, raw, 0)
        with packed, io.TextIOWrapper(packed, "ascii") as text:
            yield text


def world_record(world: World, folder: Path, trial: str) -> Record:
    """The world of a TRIAL, kept in FOLDER: how long it was, and the digest of all that
    happened there."""
    raw = f"{trial}: {world.now} ps, {world.digest}"
    fields: dict[str, Value | str] = {
        "digest": world.digest,
        "time": Value(world.now / 1e6, Unit.US, Source.VT, 0),
    }
    return Record("world", fields, raw, keep_line(folder, f"{trial}{WORLD}", raw))


@contextmanager
def alone(name: str, key: str = TIMER_PACE) -> Iterator[GuestClock]:
    """The clock of a guest called NAME in a world of its own, at the pace of the model KEY."""
    world = World(int((IPL_AT - _1900).total_seconds()) * _UNITS)
    with on(WorldClock(world)):
        yield GuestClock(world, name, pace(key))


class VirtualLab(Lab):
    """A world with a LAN and the guests on it, for one trial. Use as a context.

    SEED draws what is random: when within a second the guests' clocks begin, how fast scripts type,
    noise. With TRACE, a file's name or a text file, each event leaves a line there."""

    def __init__(
        self, guest: Guest, folder: Path, volume: Path, profile: str, emulator: Emulator,
        key: str, seed: int, trace: Path | TextIO | None = None,
    ) -> None:  # fmt: skip
        self._pace = pace(key)
        self.seed = seed
        self._trace = trace
        self._loop: WorldLoop | None = None
        super().__init__(guest, folder, volume, profile, emulator)

    def _begin(self, until_up: ExitStack, profile: str) -> Wire:
        draws = random.Random(f"{self.seed}/start")
        tod = int((IPL_AT - _1900).total_seconds()) * _UNITS + draws.randrange(_UNITS)
        trace = self._trace
        if isinstance(trace, Path):
            trace = until_up.enter_context(_packed(trace))
        self.world = World(tod, self.seed, trace, round(find_profile(profile).adapter * PS))
        until_up.callback(self.world.write_out, over=True)
        self.world.checks.append(self._check_disk)
        return WorldLan(self.world, "lan", profile, self.seed)

    def _check_disk(self) -> None:
        if said := full(self.folder):
            raise EmulatorError(said)

    def __enter__(self) -> VirtualLab:
        self._stack.enter_context(on(WorldClock(self.world)))
        return self

    def _leave(self, value: BaseException | None) -> None:
        self.world.end()
        self._stack.close()

    def _end(self, running: Running) -> None:
        running.machine.kill()  # nobody looks at what its shutdown would do
        running.close()

    @contextmanager
    def become(self, forks: Sequence[Fork], seed: int, trace: Path) -> Iterator[None]:
        """In a process that was forked from the lab's: its emulators are these, and SEED draws what
        is random from now on; what has happened, and what will within this context, is in TRACE.
        They end with the process."""
        with _packed(trace) as text:
            self.world.become(forks)
            for running in self.guests:
                assert running.machine.virtual is not None
                running.become(running.machine.virtual.node.pid)
            self.world.trace_into(text)
            try:
                self._reseed(seed)
                yield
            finally:
                self.world.write_out(over=True)

    def _reseed(self, seed: int) -> None:
        """A SEED for what comes, and a moment of its own: when within a second it comes."""
        wire = self.wire
        assert isinstance(wire, WorldLan)
        self.seed = seed
        self.world.typing.seed(f"{seed}/typing")
        wire.lan.reseed(seed)
        self.world.run(self.world.now + random.Random(f"{seed}/start").randrange(PS))

    def beside(self, name: str) -> Beside:
        """The world itself."""
        from vmkb.hercules.clock.loop import InWorld, WorldLoop

        if self._loop is None:
            self._loop = WorldLoop(self.world)  # type: ignore[abstract]
        return InWorld(self._loop, random.Random(f"{self.seed}/{name}"))

    def _join(self, name: str, link: str, model: str) -> tuple[Sequence[str], GuestClock | None]:
        wire = self.wire
        assert isinstance(wire, WorldLan)
        clock = GuestClock(self.world, name, pace(model) if model else self._pace)
        self._stack.callback(clock.close)  # nobody waits for an emulator that could not be started
        wire.join(name, clock, link)
        devices = (CTCM_READ, CTCM_WRITE) if link == "ctcm" else (WRITE_DEVICE, READ_DEVICE)
        return [f"{device:04X} {LAN_CTC} {link}" for device in devices], clock

    def _guard(self, running: Running) -> None:
        pass  # its end is the end of its clock's socket

    def _let_go(self, running: Running) -> None:
        pass

    def _operate(self, running: Running) -> None:
        running.machine.operator(START_NETWORK)
