# SPDX-License-Identifier: MIT
"""vmkb run rpc and run pages on real guests, small: what their tables say was in transcripts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.accounting.store import Trial, read
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.workloads.rpc.tables.figures import costs_by_cell

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]


def run(folder: Path, workload: str, *options: str) -> tuple[str, tuple[Trial, ...]]:
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", workload, *options, "--out", "r"],
        cwd=folder, capture_output=True, text=True, timeout=180,
        env={**os.environ, "PYTHONPATH": str(load_guest("vmkb").folder.parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    trials = read(folder / "r").trials
    for trial in trials:
        assert trial.status in ("good", "untrusted"), trial.why
        for record in trial.records:
            text = (folder / "r" / record.where.file).read_text()
            assert all(line.strip() in text for line in record.raw.splitlines())
    guests = (p for p in (folder / "r" / "guests").iterdir() if p.is_dir())
    assert all(Hercules.attach(p) is None for p in guests)
    return done.stdout, trials


def test_a_call_costs_what_its_cell_does(tmp_path: Path) -> None:
    cells = ["2-WAY_WAIT_0", "2-WAY_CONT_0_ALONE", "3-WAY_CONT_0_ALONE"]
    cells += [f"2-WAY_CONT_UNSOL{kind}_8192_ALONE" for kind in ("ICITED", "+COPY")]
    options = [word for cell in cells for word in ("--case", cell)]
    said, trials = run(tmp_path, "rpc", *options, "--trials", "2", "--all")
    assert "Latency of one call alone" in said and "Wait - Cont" in said
    found = costs_by_cell(trials)
    cost = {key[:4]: costs[0] for key, costs in found.items()}
    cont = cost["2-way", "Cont", "Solicited", 0]
    wait = cost["2-way", "Wait", "Solicited", 0]
    hop = cost["3-way", "Cont", "Solicited", 0]
    copied, landed = (cost["2-way", "Cont", kind, 8192] for kind in ("Unsol+Copy", "Unsolicited"))
    assert set(cont.guests) == {"CALLER", "SERVER"} and "DIRECT" in hop.guests
    assert 500 < cont.instr() < 4000
    assert wait.guests["CALLER"].instr - cont.guests["CALLER"].instr > 200
    assert hop.instr() - cont.instr() > 300
    assert copied.moved() - landed.moved() == pytest.approx(8192, abs=2)
    assert 2 * 60 <= cont.moved() < 1000  # the request and the reply, and what CP writes of them


def test_pages_are_read_as_ftp_reads_them(tmp_path: Path) -> None:
    said, trials = run(tmp_path, "pages", "--case", "FTP", "--case", "GMS4", "--trials", "1")
    assert "GMS4" in said and "Speed MB/s" in said
    assert sorted(t.case for t in trials) == ["FTP", "GMS4"]
