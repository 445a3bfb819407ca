# SPDX-License-Identifier: MIT
"""vmkb run ftp on real guests: tables from real transfers; kill -9 and --resume."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from vmkb.accounting.costs import took, trial_cost
from vmkb.accounting.models import model
from vmkb.accounting.records import Source, Unit
from vmkb.accounting.store import Trial, read
from vmkb.guests.base import Contents
from vmkb.guests.vmkb.disk.records import fixed
from vmkb.guests.vmkb.driver import VmkbDriver, put_files
from vmkb.hercules.deadline import EmulatorError, wait_until
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base import run as running
from vmkb.workloads.base.lab import end_leftover
from vmkb.workloads.base.progress import Plain
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.ftp import Workload

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
COMMAND = [sys.executable, "-m", "vmkb.workloads.cli", "run", "ftp"]
ONE = ["--builds", "1"]
CLIENT = "VMUSER1"
TOTAL = r"TOTAL (\d+) US .*\n.*MODEL .*COUNTER EXACT(?: USER (\w+))?"
"""QUERY TIME's answer: whose it is its next line says, if it is not of the asker."""


@pytest.fixture(autouse=True)
def _emulator(emulator_needed: None) -> None:
    """Skip without Hercules."""


def run(arguments: Sequence[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """One vmkb run to its end."""
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(load_guest("vmkb").folder.parents[1])},
    )  # fmt: skip


def test_every_case_under_both_releases(tmp_path: Path) -> None:
    done = run([*ONE, "--trials", "1", "--wire", "fast", "--out", "r", "--all"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "published beside ours" in done.stdout
    for head in ("G2M_A213", "G24KB221", "P2M_B213", "P24KB221"):
        assert head in done.stdout
    folder = tmp_path / "r"
    for name in ("report.md", "report.html", "report.csv", "report.json"):
        assert (folder / name).stat().st_size > 0
    results = read(folder)
    assert [t.status for t in results.trials] == ["good"] * 16, [t.why for t in results.trials]
    for trial in results.trials:
        kinds = Counter(r.kind for r in trial.records)
        assert kinds["connect"] == 6 and kinds["acnt_sum"] == 2
        (open_,) = (r for r in trial.records if r.kind == "ftp_data")
        said = [r for r in trial.records if r.kind == "ftp_transfer"]
        assert open_.value("connections").value == len(said)
        assert open_.value("bytes").value == sum(r.value("bytes").value for r in said)
        assert 0 < open_.value("elapsed").value < sum(took(r).value for r in said)
        for record in trial.records:
            # Nothing by a side door: every number's text is in the file that is kept.
            text = (folder / record.where.file).read_text("utf-8")
            assert all(line.strip() in text for line in record.raw.splitlines())
        as_by_hand(folder, trial)
    assert not list(folder.glob("**/*.fba"))
    assert all(Hercules.attach(p) is None for p in (folder / "guests").glob("*/*"))


def as_by_hand(folder: Path, trial: Trial) -> None:
    """What a reader makes of QUERY TIME before and after, and of the KB moved, is the table's."""
    text = (folder / trial.records[0].where.file).read_text("utf-8")
    told: dict[str, list[int]] = {}
    for us, user in re.findall(TOTAL, text):
        told.setdefault(user or CLIENT, []).append(int(us))
    cost = trial_cost(trial, Source.IC, model("2064-109"))
    assert cost.data is not None
    kilobytes = cost.data.to(Unit.KB).value
    for part in cost.parts:
        before, after = told[part.machine.lstrip("*")]
        assert part.per_kb is not None
        # Each reading is cut to whole microseconds.
        assert part.per_kb.value * kilobytes == pytest.approx(after - before, abs=2)


def _emulator_of(folder: Path, guest: str) -> Hercules | None:
    """One of that guest's emulators that runs in a lane of the run in FOLDER."""
    found = (Hercules.attach(path) for path in sorted(folder.glob(f"guests/*/{guest}")))
    return next(filter(None, found), None)


def _trial_ends(folder: Path) -> list[str]:
    path = folder / "results.jsonl"
    if not path.exists():
        return []
    ends = []
    for line in path.read_text().splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if row["row"] == "end":
            ends.append(str(row["trial"]))
    return ends


def test_killed_and_taken_up_nothing_is_lost_or_counted_twice(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    options = [*ONE, "--case", "G24KB", "--case", "P24KB", "--trials", "3", "--wire", "fast"]
    process = subprocess.Popen(
        [*COMMAND, *options, "--out", str(folder)], cwd=tmp_path,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(load_guest("vmkb").folder.parents[1])},
    )  # fmt: skip
    try:
        wait_until(lambda: len(_trial_ends(folder)) >= 3, 60, "three trials to end", poll=0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = _trial_ends(folder)
    assert 3 <= len(before) < 12
    done = run(["--resume", str(folder)], tmp_path)
    assert done.returncode == 0, done.stderr
    ends = Counter(_trial_ends(folder))
    assert len(ends) == 12
    assert set(ends.values()) == {1}, "a finished trial was run again"
    results = read(folder)
    assert len(results.trials) == 12 and not results.unfinished
    again = run(["--resume", str(folder)], tmp_path)
    assert Counter(_trial_ends(folder)) == ends
    assert again.stdout == done.stdout


def _where(folder: Path) -> list[str]:
    """What there is in FOLDER, the newest last."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [f"{path} {path.stat().st_size}" for path in sorted(files, key=os.path.getmtime)][-40:]


def test_a_file_that_differs_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's source is not the one that the client's copy is compared with."""
    settings = Settings(
        workload="ftp", style="quick", trials=1, releases=("213",), cases=("G24KB",),
        model="2064-109", wire="fast",
    )  # fmt: skip
    made = VmkbDriver.prepare

    def spoiled(driver: VmkbDriver, contents: Contents, image: Path) -> None:
        made(driver, contents, image)
        other = {("B24KB1", "SOURCE"): fixed(bytes(24576), 80)}
        put_files(image, "VMUSER1", 0x191, other)

    monkeypatch.setattr(VmkbDriver, "prepare", spoiled)
    ftp = running.Run(Workload(), settings, load_guest("vmkb"), tmp_path)
    with Plain(["G24KB"]) as shown:
        ftp.run(shown)
    (trial,) = read(tmp_path).trials
    assert trial.status == "untrusted"
    assert "B24KB1 SOURCE is not the file that was put there" in trial.why


def test_a_warm_up_that_fails_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client has nothing to send."""
    settings = Settings(
        workload="ftp", style="quick", trials=1, releases=("213",), cases=("P24KB",),
        model="2064-109", wire="fast",
    )  # fmt: skip
    monkeypatch.setattr("vmkb.workloads.ftp.workload.source_files", lambda definition: {})
    ftp = running.Run(Workload(), settings, load_guest("vmkb"), tmp_path)
    with (
        Plain(["P24KB"]) as shown,
        pytest.raises(EmulatorError, match=r"The warm-up \S+ failed: "),
    ):
        ftp.run(shown)
    assert not read(tmp_path).trials


def test_a_guest_that_dies_is_exit_3_and_the_rest_can_be_taken_up(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    options = [*ONE, "--case", "G24KB", "--releases", "213", "--trials", "200", "--wire", "fast"]
    process = subprocess.Popen(
        [*COMMAND, *options, "--out", str(folder)], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(load_guest("vmkb").folder.parents[1])},
    )  # fmt: skip
    try:
        wait_until(
            lambda: len(_trial_ends(folder)) >= 2 or process.poll() is not None,
            60, "two trials to end", poll=0.01, log=lambda: _where(folder),
        )  # fmt: skip
        assert process.poll() is None, process.communicate()
        guest = wait_until(lambda: _emulator_of(folder, "213"), 60, "the client's emulator")
        guest.log.close()
        os.kill(guest.pid, signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 3, said
    assert "Traceback" not in said
    assert "has ended" in said
    assert _emulator_of(folder, "server") is None
    assert len(read(folder).trials) >= 2


def test_a_leftover_emulator_is_ended(tmp_path: Path) -> None:
    machine = boot(load_guest("vmkb"), tmp_path / "g")
    assert end_leftover(tmp_path / "g")
    wait_until(lambda: not machine.running, 10, "the emulator to be gone")
    machine.log.close()
    assert not end_leftover(tmp_path / "g")
    assert not end_leftover(tmp_path / "nothing")


def test_without_hercules_it_is_exit_3_in_words(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("s3270",):
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    root = str(load_guest("vmkb").folder.parents[1])
    done = subprocess.run(
        [*COMMAND, "--out", "r"], cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={"PATH": str(tools), "PYTHONPATH": root, "VMKB_HERCULES": "stock"},
    )  # fmt: skip
    assert done.returncode == 3
    assert "scripts/setup" in done.stderr and "Traceback" not in done.stderr
