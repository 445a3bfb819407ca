# SPDX-License-Identifier: MIT
"""The emulator's side of virtual time, with programs that need no control program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from tests.hercules.clock.alone import CONFIG, KMIPS, alone, assemble
from vmkb.hercules.clock.messages import PS, DeviceTime, Pace
from vmkb.hercules.deadline import HOST, on, wait_until
from vmkb.hercules.emulator.choice import Emulator, stock
from vmkb.hercules.emulator.config import Device, MachineConfig
from vmkb.hercules.emulator.machine import Hercules

pytestmark = pytest.mark.e2e
WITHIN = 30.0
RESULTS = 0x400
COUNTED = 1 + 5 * 1000 + 2 + 1 + 1
"""Instructions of the first guest (programs/sie.s)."""
AROUND = 4
"""The host's own between its two readings: ST and SIE, STCK and the second reading."""
UNITS = 1000 << 12
"""A millisecond of the clock."""
NS, MS = PS // 10**9, PS // 1000
DOZEN = 12
"""Instructions after which an interruption is looked for, at most."""


class Phase(NamedTuple):
    """The instruction counter and the clock, before and after."""

    instructions: int
    tod: int


def doubles(machine: Hercules, count: int) -> list[int]:
    """COUNT doublewords of the stopped MACHINE's storage, from RESULTS on."""
    machine.command(f"r {RESULTS:x}.{8 * count:x}")
    lines = [
        machine.wait_log(rf"^R:0*{RESULTS + at:X}:", WITHIN) for at in range(0, 8 * count, 0x10)
    ]
    words = [int(word, 16) for line in lines for word in line.partition("=")[2][:36].split()]
    return [words[2 * at] << 32 | words[2 * at + 1] for at in range(count)]


class Found(NamedTuple):
    """What sie.s found: the differences of each phase, and bytes that its first guest moved."""

    phases: list[Phase]
    moved: int


def phases(folder: Path, load: Path) -> tuple[Found, str]:
    """What sie.s found; the digest of its world."""
    with alone(load, folder) as (machine, world), on(HOST):
        machine.wait_log(r"PSW=00020001 80000000 0{16}$", WITHIN)
        said = doubles(machine, 18)
        found = [Phase(said[at + 1] - said[at], said[at + 3] - said[at + 2])
                 for at in range(0, 16, 4)]  # fmt: skip
        return Found(found, (said[17] - said[16]) >> 32), world.digest


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, counting: Emulator) -> Found:
    folder = tmp_path_factory.mktemp("sie")
    load = assemble("sie", folder)
    first, second = (phases(folder / name, load) for name in ("first", "second"))
    assert first == second
    return first[0]


@pytest.fixture(scope="module")
def ran(both: Found) -> list[Phase]:
    return both.phases


def test_bytes_of_a_guest_under_sie_are_in_its_hosts_count(both: Found) -> None:
    assert both.moved == 24


def test_a_guest_under_sie_is_counted_to_the_instruction(ran: list[Phase]) -> None:
    assert ran[0].instructions == AROUND + COUNTED


def test_a_guests_instructions_move_the_clock(ran: list[Phase]) -> None:
    assert ran[0].tod / UNITS == pytest.approx(ran[0].instructions / KMIPS, rel=1e-4)


def test_a_guest_that_loops_is_interrupted_when_its_host_is_due(ran: list[Phase]) -> None:
    since_stck = 5  # instructions from the time that the comparator counts from to the count
    least = KMIPS - since_stck + AROUND - 2
    assert least <= ran[1].instructions <= least + DOZEN


def test_a_guests_own_timer_interrupts_it(ran: list[Phase]) -> None:
    least = KMIPS + AROUND + 1
    assert least <= ran[2].instructions <= least + DOZEN


def test_a_guest_that_waits_takes_time_and_no_instructions(ran: list[Phase]) -> None:
    assert ran[3].instructions == AROUND + 1
    assert UNITS <= ran[3].tod <= UNITS * 1.001


def test_a_disk_takes_its_time_and_its_arm_more(tmp_path: Path, counting: Emulator) -> None:
    start, byte, seek = 3 * MS, 1000 * NS, 20 * MS
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "disk").write_bytes(bytes(512 * 1000))
    config = MachineConfig(memory_mb=16, devices=(Device(number=0x9, kind="3370", file="disk"),))
    pace = Pace(KMIPS, devices=(DeviceTime(0x3370, start, byte, seek, 744),))
    with alone(assemble("disk", tmp_path), tmp_path / "run", config, pace) as one, on(HOST):
        one.machine.wait_log(r"PSW=000A0000 80000000", WITHIN)
        said = doubles(one.machine, 6)
    took = [(said[at + 1] - said[at]) * PS // (4096 * 10**6) for at in (0, 2, 4)]
    transfer = start + (512 + 24) * byte  # the bytes of DEFINE EXTENT and LOCATE count too
    for time, arm in zip(took, (0, seek, 0), strict=True):
        assert transfer + arm <= time <= transfer + arm + 1000 * NS


@pytest.mark.parametrize("program", ["halt", "asleep"])
def test_a_cpu_that_stops_is_heard_of(tmp_path: Path, program: str, counting: Emulator) -> None:
    with alone(assemble(program, tmp_path), tmp_path / "run"):
        pass


def test_a_stopped_emulator_ends_with_whoever_started_it(
    tmp_path: Path, counting: Emulator
) -> None:
    run = str(tmp_path / "run")
    words = ["-m", "tests.hercules.clock.alone", str(assemble("halt", tmp_path)), run]
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        emulator = psutil.Process(int(parent.stdout.readline()))
        try:
            parent.kill()
            parent.wait(WITHIN)
            wait_until(lambda: not emulator.is_running(), WITHIN, "the emulator to end", clock=HOST)
        finally:
            if emulator.is_running():
                emulator.kill()


def test_what_takes_one_step_gives_what_stock_hercules_gives(
    tmp_path: Path, counting: Emulator
) -> None:
    plain = stock()
    if plain is None:
        pytest.skip("hercules is not installed")
    program = assemble("steps", tmp_path)
    sums: list[list[int]] = []
    for emulator in (plain, counting):
        folder = tmp_path / f"run{len(sums)}"
        with Hercules.start(CONFIG, folder, program, emulator=emulator) as machine:
            machine.wait_log(r"PSW=00020001 80000000 0{16}$", WITHIN)
            sums.append(doubles(machine, 2))
    assert sums[0] == sums[1]
