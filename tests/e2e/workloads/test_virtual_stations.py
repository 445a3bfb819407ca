# SPDX-License-Identifier: MIT
"""Workloads with stations on virtual time: a LAT terminal, a user of TELNET's and AFS workstations
do the same twice, to the byte, while this computer has other work or none."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.busy import busy
from vmkb.accounting.store import Results, read
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.progress import Plain
from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.base.virtual import TRACE
from vmkb.workloads.base.workload import Planned, Workload
from vmkb.workloads.dxu import Workload as Dxu
from vmkb.workloads.telnet import Workload as Telnet
from vmkb.workloads.terminal import Workload as Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _exact(emulator_needed: None) -> None:
    """Skip without the emulator that has virtual time."""
    if not choose().exact:
        pytest.skip("the counting emulator is not built")


def ran(
    workload: Workload[Any, Any], cases: list[str], wanted: Callable[[Planned], bool], folder: Path
) -> tuple[Results, dict[str, bytes]]:
    """Run the trials of CASES that are WANTED: their results, and all that was kept of them."""
    folder.mkdir()
    settings = workload.settings(Asked(cases=tuple(cases), trials=1))
    run = Run(workload, settings, load_guest("vmkb"), folder)
    run.left = [p for p in run.left if wanted(p)]
    with Plain([p.id for p in run.left]) as shown:
        run.run(shown)
    kept = {path.name: path.read_bytes() for path in (folder / TRANSCRIPTS).iterdir()}
    assert sum(name.endswith(TRACE) for name in kept) == len(run.left)
    return read(folder), kept


def twice(
    workload: Callable[[], Workload[Any, Any]], cases: list[str], wanted: Callable[[Planned], bool],
    folder: Path,
) -> Results:  # fmt: skip
    """Run them once, and once more beside other work: equal. The results."""
    results, first = ran(workload(), cases, wanted, folder / "first")
    with busy(os.cpu_count() or 1, 0):
        again, second = ran(workload(), cases, wanted, folder / "second")
    assert first == second
    assert [(t.status, t.why) for t in results.trials] == [("good", "")] * len(results.trials)
    assert [t.records for t in results.trials] == [t.records for t in again.trials]
    return results


def test_a_terminal_by_lat(tmp_path: Path) -> None:
    results = twice(Terminal, ["LAT"], lambda p: "-T" in p.id or "-E" in p.id, tmp_path)
    typed, echo = sorted(results.trials, key=lambda t: t.params["kind"], reverse=True)
    assert typed.data is not None and typed.elapsed is not None
    seconds = typed.elapsed.value / 1e6
    assert typed.data.value / 960 < seconds < typed.data.value / 960 + 1.5
    (waits,) = (r for r in echo.records if r.kind == "echo")
    assert 0 < waits.value("median").value < 200_000


def test_a_file_by_telnet(tmp_path: Path) -> None:
    results = twice(Telnet, ["9600"], lambda p: True, tmp_path)
    assert [t.case for t in results.trials] == ["9600"]


def test_afs_workstations_and_rx(tmp_path: Path) -> None:
    results = twice(Dxu, ["AFS1M2", "RX6K"], lambda p: "M1" not in p.id[-2:], tmp_path)
    for trial in results.trials:
        assert "load" not in trial.params
    (fetches,) = (t for t in results.trials if t.case == "AFS1M2")
    assert len([r for r in fetches.records if r.kind == "fetch"]) == 2
