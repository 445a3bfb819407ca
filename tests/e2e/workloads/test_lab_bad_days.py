# SPDX-License-Identifier: MIT
"""A run on a stock emulator whose parts are killed says which, at once; one that is killed itself
leaves nothing."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from vmkb.hercules.deadline import EmulatorError, pause, wait_until
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.machine import read_state
from vmkb.hercules.guest import load_guest
from vmkb.hercules.wire.process import WireProcess
from vmkb.workloads.base.guest import FTP_READY
from vmkb.workloads.base.lab import Lab

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
ROOT = load_guest("vmkb").folder.parents[1]
COMMAND = [sys.executable, "-m", "vmkb.workloads.cli", "run", "ftp", "--builds", "1", "--case",
           "G24KB", "--releases"]  # fmt: skip
COMMAND += ["213", "--trials", "300", "--wire", "fast", "--emulator", "stock"]
MARK = "VMKB_TEST_RUN"
TOLD_WITHIN = 10.0
"""Seconds from the end of a member to the sentence that names it. It is told in one, of which
tests/hercules/test_watch.py is the test; here a busy computer may take the CPU away from three
emulators, and what is shut out is every other way to notice, which took 99 s and more."""


class Run:
    """A run in a process, with a mark in the environment of all that it starts."""

    def __init__(self, folder: Path, sockets: Path) -> None:
        for program in ("hercules", "s3270"):
            if shutil.which(program) is None:
                pytest.skip(f"{program} is not installed")
        self.folder = folder / "r"
        self.sockets = sockets
        self.mark = uuid.uuid4().hex
        environment = {**os.environ, "PYTHONPATH": str(ROOT), MARK: self.mark}
        environment |= {"XDG_RUNTIME_DIR": str(sockets), "TMPDIR": str(sockets)}
        self.process = subprocess.Popen(
            [*COMMAND, "--out", str(self.folder)], cwd=folder, env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def trials(self) -> int:
        """Trials that have ended."""
        path = self.folder / "results.jsonl"
        return path.read_text().count('"row": "end"') if path.exists() else 0

    def pid(self, member: str) -> int:
        """The process of a guest of the next lab, as its trial begins, or of its wire."""
        guest = "213" if member == "wire" else member
        wait_until(lambda: not self._emulator(guest), 60, "the end of a trial")
        found = wait_until(lambda: self._emulator(guest), 60, f"the emulator of {guest}")
        if member != "wire":
            return found
        (wire,) = [p for p in self.left() if "vmkb.hercules.wire" in _words(p)]
        return int(wire.pid)

    def _emulator(self, member: str) -> int:
        """The process of a guest whose network is up."""
        place = self.folder / "guests" / "0" / member
        with suppress(OSError):
            if FTP_READY in (place / "log").read_text("latin-1"):
                state = read_state(place)
                return int(state["pid"]) if state else 0
        return 0

    def left(self) -> list[psutil.Process]:
        """The processes of this run."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get(MARK) == self.mark:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def wait_nothing_left(self) -> None:
        """No process, no folder of sockets, no image."""
        wait_until(lambda: not self.left(), 10, f"the end of {self.left()}", poll=0.02)
        assert list(self.sockets.iterdir()) == []
        assert list(self.folder.rglob("*.fba")) == []


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """A run of which a trial has ended."""
    with tempfile.TemporaryDirectory(prefix="lab-", dir="/tmp") as sockets:
        running = Run(tmp_path, Path(sockets))
        try:
            wait_until(running.trials, 90, "the first trial to end", poll=0.02)
            yield running
        finally:
            for process in running.left():
                process.kill()
            running.process.communicate()


def _words(process: psutil.Process) -> list[str]:
    """Its command, if it has not ended by now."""
    try:
        return list(process.cmdline())
    except psutil.NoSuchProcess:
        return []


def test_what_ends_is_named_though_a_lab_is_being_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, emulator_needed: None
) -> None:
    """Somebody has failed for it before the watch tells, which it could while the lab asks."""

    def looked(folder: Path) -> None:
        if threading.current_thread() is threading.main_thread():
            pause(1.0)

    monkeypatch.setattr("vmkb.workloads.base.lab.full", looked)
    lab = Lab(load_guest("vmkb"), tmp_path / "r", tmp_path / "volume", "fast", choose())
    with pytest.raises(EmulatorError, match=r"The wire \(pid \d+\) has ended"), lab:
        assert isinstance(lab.wire, WireProcess)
        os.kill(lab.wire.pid, signal.SIGKILL)
        raise EmulatorError("the wire does not answer")


@pytest.mark.parametrize(
    ("member", "called"),
    [("server", "The emulator of guest server"), ("213", "The emulator of guest 213"),
     ("wire", "The wire")],
)  # fmt: skip
def test_a_member_that_is_killed_is_named_at_once(run: Run, member: str, called: str) -> None:
    pid = run.pid(member)
    os.kill(pid, signal.SIGKILL)
    killed = time.monotonic()
    assert run.process.stderr is not None
    said = ""
    for line in run.process.stderr:
        said += line
        if re.search(r"^vmkb: .* has ended", line):
            break
    assert time.monotonic() - killed < TOLD_WITHIN
    assert f"vmkb: {called} (pid {pid}) has ended." in said
    assert "--resume" in said and "Traceback" not in said
    assert run.process.wait(10) == 3
    run.wait_nothing_left()


@pytest.mark.parametrize(
    ("signals", "code"),
    [((signal.SIGKILL,), -signal.SIGKILL), ((signal.SIGHUP,), 130), ((signal.SIGTERM,), 130),
     ((signal.SIGINT,), 130), ((signal.SIGINT, signal.SIGINT), 130),
     ((signal.SIGINT, signal.SIGKILL), -signal.SIGKILL)],
)  # fmt: skip
def test_nothing_stays_of_a_run_that_is_ended(
    run: Run, signals: tuple[signal.Signals, ...], code: int
) -> None:
    for number in signals:
        run.process.send_signal(number)
        pause(0.05)
    assert run.process.wait(15) == code
    run.wait_nothing_left()
    assert run.trials() >= 1


@pytest.mark.parametrize("stage", ["sockets/*vmkb-volume-*", "r/volume.fba*", "r/guests/*/*/*.fba"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_stays_of_a_run_that_is_killed_early(
    tmp_path: Path, stage: str, number: signal.Signals
) -> None:
    """While its volume is made in TMPDIR, while it is written, and while guests get copies. By
    Ctrl-C twice, the second of which takes it out of whatever it ends in order."""
    sockets = tmp_path / "sockets"
    with tempfile.TemporaryDirectory(prefix="lab-", dir="/tmp") as short:
        sockets.symlink_to(short)
        running = Run(tmp_path, Path(short))
        try:
            wait_until(lambda: list(tmp_path.glob(stage)), 60, f"the file {stage}", poll=0.0002)
            for _ in range(2):
                running.process.send_signal(number)
            running.process.communicate(timeout=20)
            wait_until(lambda: not running.left(), 10, f"the end of {running.left()}", poll=0.02)
            assert list(Path(short).iterdir()) == []
            assert list(running.folder.rglob("*.fba*")) == []
        finally:
            for process in running.left():
                process.kill()
            running.process.communicate()
