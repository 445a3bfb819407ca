# SPDX-License-Identifier: MIT
"""vmkb run dxu on real guests: FTP through loopback, Rx at both MTUs, and a workstation that
fetches a file behind a card of 510 KB/s; taken up again, and compared with itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from vmkb.accounting.costs import costs
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.store import Trial, read
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
PROJECT = load_guest("vmkb").folder.parents[1]
CASES = ("LOOP", "RX6K", "AFS1M1")
CARD_KB_S = 510


def vmkb(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of vmkb in FOLDER."""
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", *words],
        cwd=folder, capture_output=True, text=True, timeout=170,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )  # fmt: skip


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a small run, and what it printed."""
    folder = tmp_path_factory.mktemp("dxu")
    cases = [word for case in CASES for word in ("--case", case)]
    done = vmkb(
        folder, "run", "dxu", *cases, "--releases", "221", "--trials", "1", "--out", "r", "--all"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


@pytest.fixture(scope="module")
def trials(ran: tuple[Path, str]) -> dict[str, Trial]:
    """Its trials by id."""
    return {t.id: t for t in read(ran[0] / "r").trials}


def test_every_trial_is_good_and_every_number_stands_in_what_is_kept(
    ran: tuple[Path, str], trials: dict[str, Trial]
) -> None:
    assert set(trials) == {
        "LOOP-221-1", "RX6K-221-1", "RX6K.L-221-1", "AFS1M1-221-1", "AFS1M1-221-M1",
        "AFS1M1.DSK-221-1", "AFS1M1.DSK-221-M1",
    }  # fmt: skip
    for trial in trials.values():
        assert (trial.status, trial.why) == ("good", "")
        for record in (r for r in trial.records if r.kind != "world"):
            text = (ran[0] / "r" / record.where.file).read_text()
            assert all(line.strip() in text for line in record.raw.splitlines()), record


def test_what_was_moved_is_what_the_wire_saw(trials: dict[str, Trial]) -> None:
    for name, trial in trials.items():
        assert trial.data is not None
        wires = [r for r in trial.records if r.kind == "wire"]
        crossed = sum(r.value("bytes_in").value + r.value("bytes_out").value for r in wires)
        assert sum(r.value("dropped").value for r in wires) == 0
        if name.startswith("LOOP"):
            assert crossed < 10_000 < trial.data.value
        else:
            assert crossed / len(wires) > trial.data.value


def test_each_machine_that_took_part_has_its_price_and_no_other(trials: dict[str, Trial]) -> None:
    parts = {
        "LOOP-221-1": ["lisa TCPIP", "lisa FTPSERVE", "lisa sender", "lisa System"],
        "RX6K-221-1": [
            "lisa TCPIP", "lisa sender", "lisa System", "bart TCPIP", "bart RXPERFD",
            "bart System",
        ],
        "AFS1M1-221-1": ["lisa TCPIP", "lisa AFSSERVE", "lisa System"],
    }  # fmt: skip
    for cost in costs([trials[name] for name in parts], Source.IC, model("9021-720")):
        assert [p.label for p in cost.parts] == parts[cost.trial.id]
        assert all(p.per_kb is not None and p.per_kb.value > 0 for p in cost.parts)


def test_the_card_is_no_faster_than_it_is(trials: dict[str, Trial]) -> None:
    (cost,) = costs([trials["AFS1M1-221-1"]], Source.IC, model("9021-720"))
    assert cost.rate is not None and CARD_KB_S / 4 < cost.rate.value < CARD_KB_S
    # from CP's cache it takes two seconds, which need not have a whole interval between them
    kinds = Counter(r.kind for r in trials["AFS1M1.DSK-221-M1"].records)
    assert kinds["rtm_system"] >= 1 and kinds["fetch"] == 1


def test_a_file_on_the_disk_takes_the_disks_time(trials: dict[str, Trial]) -> None:
    """At least as much longer as its bytes take; the guest waits for it."""
    cached, read_ = (trials[f"{case}-221-1"].elapsed for case in ("AFS1M1", "AFS1M1.DSK"))
    assert cached is not None and read_ is not None
    least = 1048576 / 1.859e6
    assert read_.value / 1e6 > cached.value / 1e6 + least
    used = [
        sum(p.cpu.value for p in cost.parts if p.cpu)
        for cost in costs(
            [trials["AFS1M1-221-1"], trials["AFS1M1.DSK-221-1"]], Source.IC, model("9021-720")
        )
    ]
    assert used[1] == pytest.approx(used[0], rel=0.2)  # it waited


def test_the_tables_are_printed_and_a_run_that_is_done_is_not_run_again(
    ran: tuple[Path, str],
) -> None:
    folder, printed = ran
    for title in (
        "The report's figures and ours", "What limits", "Table 1: FTP through loopback",
        "Table 3: Rx writes", "Table 4: AFS fetches", "What a KB costs, by machine",
    ):  # fmt: skip
        assert title in printed
    again = vmkb(folder, "run", "dxu", "--resume", "r")
    assert again.returncode == 0 and "Starting" not in again.stderr
    assert all(Hercules.attach(p) is None for p in (folder / "r/guests").iterdir() if p.is_dir())


def test_a_run_is_compared_with_itself(ran: tuple[Path, str]) -> None:
    done = vmkb(ran[0], "compare", "r", "r", "--all")
    assert done.returncode == 0, done.stderr
    assert "LOOP" in done.stdout and "CPU/KB" in done.stdout
