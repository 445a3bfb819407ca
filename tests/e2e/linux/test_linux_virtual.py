# SPDX-License-Identifier: MIT
"""Linux 6.1 on virtual time: twice the same, to the instruction and to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e.linux.consoles import Session3270, logoff_3215, logon_3215
from vmkb.accounting.store import FILE_NAME, read
from vmkb.guests.base import Running, Wishes, driver
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.lan import CTCM_READ, CTCM_WRITE, WorldLan
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import HOST, on
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.config import LAN_CTC
from vmkb.hercules.guest import Guest, load_guest
from vmkb.workloads.base.progress import Plain
from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.base.virtual import TRACE, pace
from vmkb.workloads.serve import Workload
from vmkb.workloads.serve.plan import Definition, Planned

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
TOD = 3192422400 * 16_000_000
SIZE = 98304


@pytest.fixture(autouse=True)
def _exact(emulator_needed: None) -> None:
    """Skip without the emulator that has virtual time."""
    if not choose().exact:
        pytest.skip("the counting emulator is not built")


class Alone(NamedTuple):
    """Linux in a world of its own."""

    running: Running
    world: World
    clock: GuestClock


@contextmanager
def alone(kernel: Guest, folder: Path) -> Iterator[Alone]:
    """Linux in FOLDER, with a LAN on which nobody else is."""
    folder.mkdir(parents=True)
    world = World(TOD, 1)
    lan = WorldLan(world, "lan", "fast", 1)
    lines = [f"{number:04X} {LAN_CTC} ctcm" for number in (CTCM_READ, CTCM_WRITE)]
    hands = driver(kernel)
    words = hands.parameter(Wishes(address="10.17.0.2", mtu=1500))
    with on(WorldClock(world)):
        clock = GuestClock(world, "linux", pace("2064-109"))
        lan.join("linux", clock, "ctcm")
        running = hands.start("linux", folder, folder, lines, words, choose(), (), clock)
        try:
            yield Alone(running, world, clock)
        finally:
            running.close()


def start(kernel: Guest, folder: Path) -> tuple[int, int, str, list[str]]:
    """Boot, bring the network up, ask: what was executed, the time, the digest, the console."""
    with alone(kernel, folder) as (running, world, clock):
        hands = driver(kernel)
        hands.bring_up(running.machine)
        hands.begin_count(running)
        hands.count(running, "once")
        hands.shares(running)
        hands.end_count(running)
        lines = list(running.machine.log.since(0))
        up = next(n for n, line in enumerate(lines) if line.startswith("VMKB: Linux"))
        return clock.node.instructions, world.now, world.digest, lines[up:]


def test_two_starts_are_equal(kernel: Guest, tmp_path: Path) -> None:
    first, second = (start(kernel, tmp_path / name) for name in ("first", "second"))
    assert first == second
    assert first[0] > 100_000_000
    assert any(line.startswith("VMKB: FTP serves") for line in first[3])


@pytest.fixture(scope="module")
def shared(kernel: Guest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alone]:
    """One Linux for the tests that ask it something."""
    with alone(kernel, tmp_path_factory.mktemp("shared") / "linux") as found, on(HOST):
        yield found


@pytest.fixture
def linux(shared: Alone) -> Iterator[Alone]:
    """Waits are measured by its world's clock."""
    with on(WorldClock(shared.world)):
        yield shared


def test_it_is_told_the_models_speed(linux: Alone) -> None:
    """STORE SYSTEM INFORMATION had told the speed of this computer, and a start took some hundred
    instructions more or less by that. Linux prints 10,000,000 over the capability, which Hercules
    makes of millions of instructions a second."""
    mips = pace("2064-109").kmips // 1000
    machine = linux.running.machine
    said = machine.log.mark()
    machine.operator("cat /proc/cpuinfo")
    machine.wait_log(r"^bogomips per cpu: \d+", 5.0, said)
    told = next(n for n in machine.log.since(said) if n.startswith("bogomips"))
    assert float(told.split()[-1]) == pytest.approx(1e7 / (0x800000 // (48 * mips)), abs=1)


def test_nothing_typed_is_lost(linux: Alone) -> None:
    """Lines that follow each answer at once are each taken the first time."""
    machine, mark = linux.running.machine, linux.running.machine.log.mark()
    begun = linux.world.now
    for n in range(20):
        machine.operator(f"echo SAID$(({n} + 1))")
        machine.wait_log(f"^SAID{n + 1}$", 1.0, mark)
    assert linux.world.now - begun < 8 * 10**12


def test_users_at_both_consoles(linux: Alone) -> None:
    machine = linux.running.machine
    logon_3215(machine)
    machine.operator("echo $((6 * 7)) $-", r"^42 \S*i", 5.0)
    logoff_3215(machine)
    session = Session3270(machine)
    try:
        assert session.command("echo sum $((4 + 5))") == ["sum 9"]
        session.logoff()
    finally:
        session.close()


def moved(folder: Path) -> Run[Definition, Planned]:
    """Run what is left in FOLDER of a put and a get of some files."""
    known = Workload().definition
    cases = tuple(
        c.model_copy(update={"bytes": SIZE, "files": 2})
        for c in known.case
        if c.id in ("G2M_B", "P2M_B")
    )
    workload = Workload(known.model_copy(update={"case": cases}))
    settings = workload.settings(Asked(guests=("linux",), releases="6.1", trials=1))
    folder.mkdir(exist_ok=True)
    run = Run(workload, settings, load_guest("vmkb"), folder)
    with Plain([c.id for c in cases]) as shown:
        run.run(shown)
    trials = read(folder).trials
    assert [t.status for t in trials] == ["good", "good"], [t.why for t in trials]
    return run


def kept(folder: Path) -> dict[str, bytes]:
    """The transcripts of FOLDER."""
    return {path.name: path.read_bytes() for path in (folder / TRANSCRIPTS).iterdir()}


def rows(folder: Path, trial: str) -> list[str]:
    """What the results say of TRIAL, but for when it was run."""
    lines = (folder / FILE_NAME).read_text("utf-8").splitlines()
    return [line for line in lines if f'"{trial}"' in line and '"row": "end"' not in line]


def test_files_that_are_moved_twice_leave_the_same(kernel: Guest, tmp_path: Path) -> None:
    """The second time in a run that is resumed in the middle of a world."""
    folder = tmp_path / "run"
    get, put = (planned.id for planned in moved(folder).plan)
    first, whole, others = kept(folder), rows(folder, put), rows(folder, get)
    results = folder / FILE_NAME
    lines = results.read_text("utf-8").splitlines(keepends=True)
    results.write_text("".join(line for line in lines if f'"{put}"' not in line), "utf-8")
    for name in first:
        (folder / TRANSCRIPTS / name).unlink()
    assert [planned.id for planned in moved(folder).left] == [put]
    again = kept(folder)
    assert again.items() <= first.items()
    assert any(name.startswith(put) for name in again)
    assert any(name.endswith(TRACE) for name in again)
    assert rows(folder, put) == whole and len(whole) > 1
    assert rows(folder, get) == others
