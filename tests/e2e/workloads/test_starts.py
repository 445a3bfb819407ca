# SPDX-License-Identifier: MIT
"""Worlds that go on from one start: they are alike, know nothing of each other, and end."""

from __future__ import annotations

import gzip
import os
import resource
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import psutil
import pytest

from vmkb.guests.base import Running
from vmkb.hercules.clock import node
from vmkb.hercules.deadline import HOST, EmulatorError, patient, wait_until
from vmkb.hercules.emulator.choice import EXACT, choose
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.starts import Start
from vmkb.workloads.base.virtual import VirtualLab

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]
USER = "VMUSER1"
Work = Callable[[VirtualLab, Running], str]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start[Running]]:
    """A guest that is up; somebody has been there, and has left a file."""
    folder = tmp_path_factory.mktemp("start")
    guest = load_guest("vmkb")
    guest.check_built()
    volume = folder / "volume"
    shutil.copyfile(guest.folder / "build" / "vmkb.fba", volume)

    def make(lab: VirtualLab) -> Running:
        running = lab.add("vm", "")
        running.logon(USER, USER).command("COPYFILE PROFILE EXEC A BEFORE FILE A")
        running.leave()
        return running

    lab = VirtualLab(
        guest, folder / "lab", volume, "fast", choose(EXACT), "2064-109", 0, StringIO()
    )
    with Start("key", lab, make) as made:
        yield made


def writes(name: str) -> Work:
    """What the user's disk has when he has copied a file to NAME, and what its file has."""

    def work(lab: VirtualLab, running: Running) -> str:
        session = running.logon(USER, USER)
        session.command(f"COPYFILE PROFILE EXEC A {name} FILE A")
        return f"{session.command('LISTFILE * FILE A').text()}\n{lab.world.digest}"

    return work


def test_worlds_know_nothing_of_each_other(start: Start[Running], tmp_path: Path) -> None:
    found = [
        start.world(writes(name), seed, tmp_path / "trace.gz")
        for name, seed in (("ONE", 1), ("TWO", 1), ("ONE", 1), ("ONE", 2))
    ]
    one, two, again, other = found
    assert "BEFORE" in one and "ONE" in one and "BEFORE" in two and "TWO" in two
    assert "TWO" not in one and "ONE" not in two
    assert again == one
    assert other != one and other.splitlines()[:-1] == one.splitlines()[:-1]


def test_the_trace_has_all_from_the_beginning(start: Start[Running], tmp_path: Path) -> None:
    traces = []
    for name in ("LONG", "SHORT"):
        start.world(writes(name), 1, tmp_path / f"{name}.gz")
        traces.append(gzip.decompress((tmp_path / f"{name}.gz").read_bytes()).splitlines())
    common = os.path.commonprefix(traces)
    assert traces[0][0].split()[2] == b"RESET" and traces[0] != traces[1]
    assert len(common) > 20


def test_an_error_in_a_world_is_its_own(start: Start[Running], tmp_path: Path) -> None:
    def fails(lab: VirtualLab, running: Running) -> str:
        raise EmulatorError("this one is wrong")

    with pytest.raises(EmulatorError, match="this one is wrong"):
        start.world(fails, 1, tmp_path / "trace.gz")
    assert "AFTER" in start.world(writes("AFTER"), 1, tmp_path / "trace.gz")


def test_an_emulator_that_is_killed_is_named_and_the_start_lives(
    start: Start[Running], tmp_path: Path
) -> None:
    def kills(lab: VirtualLab, running: Running) -> str:
        os.kill(running.machine.pid, signal.SIGKILL)
        return writes("NEVER")(lab, running)

    with pytest.raises(EmulatorError, match="has ended"):
        start.world(kills, 1, tmp_path / "trace.gz")
    assert "AFTER" in start.world(writes("AFTER"), 1, tmp_path / "trace.gz")


def test_a_process_that_is_killed_is_named_and_leaves_no_emulator(
    start: Start[Running], tmp_path: Path
) -> None:
    told = tmp_path / "pid"

    def dies(lab: VirtualLab, running: Running) -> str:
        told.write_text(str(running.machine.pid), "ascii")
        os.kill(os.getpid(), signal.SIGKILL)
        return ""

    with pytest.raises(EmulatorError, match="has ended with -9"):
        start.world(dies, 1, tmp_path / "trace.gz")
    pid = int(told.read_text("ascii"))
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), 5.0, "the emulator's end", clock=HOST)
    assert "AFTER" in start.world(writes("AFTER"), 1, tmp_path / "trace.gz")


def test_a_worlds_cpu_time_is_told_to_who_waits_for_the_command(
    start: Start[Running], tmp_path: Path
) -> None:
    """An emulator's, too, whose parent is another emulator."""

    def works(lab: VirtualLab, running: Running) -> tuple[float, float]:
        session = running.logon(USER, USER)
        for _ in range(20):
            session.command("LISTFILE * * *")
        emulator = psutil.Process(running.machine.pid).cpu_times()
        return time.process_time(), emulator.user + emulator.system

    def children() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = children()
    own, emulators = start.world(works, 1, tmp_path / "trace.gz")
    assert emulators > 0.1
    assert children() - before > own + 0.9 * emulators


@pytest.mark.parametrize("asked", [False, True])
def test_a_start_whose_emulator_has_ended_is_named(
    start: Start[Running], tmp_path: Path, asked: bool
) -> None:
    """Before it is asked for a fork, and while it is: a stopped one does not answer."""

    def ends(lab: VirtualLab, running: Running) -> str:
        pid = running.machine.pid
        looks: list[socket.socket] = []

        def kill() -> None:
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: not _runs(pid), 5.0, "its end", clock=HOST)

        def look(end: socket.socket) -> bool:
            looks.append(end)
            if len(looks) == 2:  # the first is before it is asked
                kill()
            return hung_up(end)

        hung_up = node._hung_up
        if asked:
            os.kill(pid, signal.SIGSTOP)
            node._hung_up = look  # this process is the world's own
        else:
            kill()
        began = time.monotonic()
        with pytest.raises(EmulatorError, match=f"pid {pid}. has ended"):
            lab.world.forks()
        assert (len(looks) >= 2) == asked
        return f"{time.monotonic() - began:.1f}"

    assert float(start.world(ends, 1, tmp_path / "trace.gz")) < patient(5.0)


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
