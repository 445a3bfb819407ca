# SPDX-License-Identifier: MIT
"""vmkb stacks on real guests: costs, lost frames and sizes of a stack; what is of no use is refused
before anything is built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.workloads.test_workload_own import WRONG
from tests.e2e.workloads.test_workload_own import put as spoil
from tests.guests.release.lwip import copied
from vmkb.accounting.store import read
from vmkb.guests.base import driver
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
ROOT = load_guest("vmkb").folder.parents[1]


def stacks(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "stacks", *words, "--out", "s"], cwd=folder,
        text=True, capture_output=True, timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def row(said: str, title: str, release: str) -> list[str]:
    """The cells of RELEASE in the first piece of the table TITLE."""
    lines = said[said.index(title) :].splitlines()
    return next(line.split()[1:] for line in lines if line.split()[:1] == [release])


def test_a_stack_has_costs_lost_frames_and_sizes_beside_one_that_spoils_what_it_gets(
    tmp_path: Path,
) -> None:
    spoil(copied(tmp_path / "lwip"), WRONG)
    done = stacks(tmp_path, "221,bad=lwip")
    assert done.returncode == 3, done.stdout + done.stderr
    get, put, one, *_ = map(float, row(done.stdout, "CPU of TCPIP", "221"))
    assert one > get > put > 0
    put, get, stack, *_ = map(float, row(done.stdout, "Instructions of TCPIP", "221"))
    assert get > stack > 0 and put > 0
    least, most = map(float, row(done.stdout, "A lost frame", "221")[1].split(".."))
    assert most >= least > 10 * get  # a window is gone through, and a segment sent again
    assert int(row(done.stdout, "Sizes, B", "221")[0].replace(",", "")) > 40_000
    mine = [t for t in read(tmp_path / "s" / "lossy").trials if t.release == "221"]
    lost = [r.value("dropped").value for t in mine for r in t.records if r.kind == "wire"]
    assert len(lost) == 6 and min(lost) > 0

    for check in ("LOSS", "ORDER", "TWICE", "BITS"):
        assert row(done.stdout, "What a stack does as TCP says", check)[-2:] == ["yes", "NO"]
    good, bad = (row(done.stdout, "CPU of TCPIP", release) for release in ("221", "BAD"))
    assert bad[0] == "-" != good[0] and bad[1:] == good[1:]
    assert row(done.stdout, "Instructions of TCPIP", "BAD")[1:3] == ["-", "-"]
    assert "NOT TRUSTED: G2M_BBAD-1 failed: B2MB1 SOURCE and F001 OUT differ" in done.stderr


def test_linux_stands_beside_a_stack(tmp_path: Path) -> None:
    try:
        driver(load_guest("linux")).choices(["6.1"])
    except EmulatorError as error:
        pytest.skip(f"Linux cannot be made here: {error}")
    done = stacks(tmp_path, "221", "--linux", "6.1")
    assert done.returncode == 0, done.stdout + done.stderr
    for title in ("CPU of TCPIP", "Instructions of TCPIP"):
        ours, theirs = (row(done.stdout, title, release)[:2] for release in ("221", "6.1"))
        assert all(float(b) > 2 * float(a) > 0 for a, b in zip(ours, theirs, strict=True))
    assert row(done.stdout, "Sizes, B", "6.1") == ["-"] * 5
    for part in ("whole", "lossy", "echo"):
        trials = read(tmp_path / "s" / f"{part}-linux").trials
        assert {t.status for t in trials} == {"good"}
        for trial in trials:  # bytes are in the price, and a KB is moved more than once
            last = [r for r in trial.records if r.kind == "connect"][-1]
            assert last.value("total_moved").value > 1000 * float(trial.params.get("file_kb", 1))
    lossy = read(tmp_path / "s" / "lossy-linux").trials
    lost = [r.value("dropped").value for t in lossy for r in t.records if r.kind == "wire"]
    assert len(lost) == 6 and min(lost) > 10


@pytest.mark.parametrize(
    "words, said",
    [
        (["nothing"], "There is no release nothing"),
        (["221", "--linux", "a=/no-where"], "A: there is no file or folder /no-where"),
        (["221", "--checksum", "own"], "--checksum is for a TCP/IP stack of your own"),
    ],
)
def test_what_is_of_no_use_is_refused(tmp_path: Path, words: list[str], said: str) -> None:
    done = stacks(tmp_path, *words)
    assert done.returncode == 2 and said in done.stderr
    assert not (tmp_path / "s").exists()
