# SPDX-License-Identifier: MIT
"""vmkb stacks on real guests: costs, lost frames and sizes of a stack; what is of no use is refused
before anything is built."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.workloads.test_workload_own import WRONG
from tests.e2e.workloads.test_workload_own import put as spoil
from tests.guests.release.lwip import copied
from vmkb.accounting.store import read
from vmkb.guests.base import driver
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(900),
              pytest.mark.usefixtures("emulator_needed")]  # fmt: skip
ROOT = load_guest("vmkb").folder.parents[1]


def stacks(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "stacks", *words, "--out", "s"], cwd=folder,
        text=True, capture_output=True, timeout=800, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def row(said: str, title: str, release: str) -> list[str]:
    """The cells of RELEASE in the first piece of the table TITLE."""
    lines = said[said.index(title) :].splitlines()
    return next(line.split()[1:] for line in lines if line.split()[:1] == [release])


@pytest.fixture(scope="module")
def linux() -> Sequence[str]:
    """The words that put Linux beside stacks; none where it cannot be made."""
    try:
        driver(load_guest("linux")).choices(["6.1"])
    except EmulatorError:
        return ()
    return "--linux", "6.1"


@pytest.fixture(scope="module")
def done(
    linux: Sequence[str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """lwIP 2.2.1 beside one that spoils what it gets, and perhaps Linux."""
    folder = tmp_path_factory.mktemp("stacks")
    spoil(copied(folder / "lwip"), WRONG)
    return folder / "s", stacks(folder, "221,bad=lwip", *linux)


Done = tuple[Path, subprocess.CompletedProcess[str]]


def dropped(folder: Path, release: str) -> list[float]:
    """Frames that links lost in each of RELEASE's trials."""
    mine = [t for t in read(folder).trials if t.release == release]
    return [r.value("dropped").value for t in mine for r in t.records if r.kind == "wire"]


def test_a_stack_has_costs_lost_frames_and_sizes(done: Done) -> None:
    folder, ran = done
    said = ran.stdout
    get, put, small, _ = map(float, row(said, "CPU of TCPIP, files", "221"))
    assert small > get > put > 0
    one, of_64, connection = map(float, row(said, "CPU of TCPIP, round trips", "221"))
    assert connection > of_64 > one > 0
    put, get, stack, *_ = map(float, row(said, "Instructions of TCPIP", "221"))
    assert get > stack > 0 and put > 0
    lost = row(said, "A lost frame, instructions", "221")
    assert len(lost) == 5 and "-" not in lost
    least, most = map(float, lost[1].split(".."))
    assert most >= least > 10 * get  # a window is gone through, and a segment sent again
    assert int(row(said, "Sizes, B", "221")[0].replace(",", "")) > 40_000
    frames = dropped(folder / "lossy", "221")
    assert len(frames) == 12 and min(frames) > 0
    assert (folder / "report.html").read_text("utf-8").count("<svg") == 2


def test_one_that_spoils_what_it_gets_has_no_cost_of_that_and_ends_with_3(
    linux: Sequence[str], done: Done
) -> None:
    _, ran = done
    assert ran.returncode == 3, ran.stdout + ran.stderr
    for check in ("LOSS", "ORDER", "TWICE", "BITS"):
        passed = row(ran.stdout, "What a stack does as TCP says", check)
        assert passed[-3 if linux else -2 :] == ["yes", "NO", *["yes"] * bool(linux)]
    good, bad = (row(ran.stdout, "CPU of TCPIP, files", release) for release in ("221", "BAD"))
    assert bad[::2] == ["-", "-"] and bad[1::2] == good[1::2]
    assert row(ran.stdout, "Instructions of TCPIP", "BAD")[1:3] == ["-", "-"]
    assert "NOT TRUSTED: G2M_BBAD-1 failed: B2MB1 SOURCE and F001 OUT differ" in ran.stderr


def test_linux_stands_beside_a_stack(linux: Sequence[str], done: Done) -> None:
    if not linux:
        pytest.skip("Linux cannot be made here")
    folder, ran = done
    for title in ("CPU of TCPIP, files", "Instructions of TCPIP"):
        ours, theirs = (row(ran.stdout, title, release)[:2] for release in ("221", "6.1"))
        assert all(float(b) > 2 * float(a) > 0 for a, b in zip(ours, theirs, strict=True))
    checks = read(folder / "conform-linux").trials
    assert len(checks) == 36 and {t.params["said"] for t in checks} == {""}
    assert row(ran.stdout, "What a stack does as TCP says", "LOSSTOO")[-3:] == ["yes", "yes", "-"]
    assert row(ran.stdout, "Sizes, B", "6.1") == ["-"] * 5
    for part in ("whole", "lossy", "echo"):
        trials = read(folder / f"{part}-linux").trials
        assert {t.status for t in trials} == {"good"}
        for trial in trials:  # bytes are in the price, and a KB is moved more than once
            last = [r for r in trial.records if r.kind == "connect"][-1]
            assert last.value("total_moved").value > 1000 * float(trial.params.get("file_kb", 1))
    frames = dropped(folder / "lossy-linux", "6.1")
    assert len(frames) == 12 and min(frames) > 0


@pytest.mark.parametrize(
    "words, said",
    [
        (["nothing"], "There is no release nothing"),
        (["221", "--linux", "a=/no-where"], "A: there is no file or folder /no-where"),
        (["221", "--checksum", "own"], "--checksum is for a TCP/IP stack of your own"),
        (
            ["221", "--ip", "6"],
            "--ip 6 is for TCP/IP stacks of your own, at both ends, and not for",
        ),
    ],
)
def test_what_is_of_no_use_is_refused(tmp_path: Path, words: list[str], said: str) -> None:
    done = stacks(tmp_path, *words)
    assert done.returncode == 2 and said in done.stderr
    assert not (tmp_path / "s").exists()
