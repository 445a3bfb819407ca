# SPDX-License-Identifier: MIT
"""vmkb run --workers: a worker is killed in mid-run, and every trial is there once."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from accounting.store import read
from hercules.deadline import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("emulator_needed")]
CHILD = "workloads.campaign.child"


@pytest.mark.timeout(600)
def test_a_killed_worker_loses_nothing_that_had_ended(project: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    out = tmp_path / "run"
    child = subprocess.Popen(
        [sys.executable, "-m", "workloads.cli", "run", "echo", "--case", "1B", "--trials", "8",
         "--workers", "2", "--out", str(out)], cwd=project, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    campaign = psutil.Process(child.pid)

    def ended() -> int:
        return len(read(out).trials) if (out / "results.jsonl").exists() else 0

    def below(process: psutil.Process, word: str) -> list[psutil.Process]:
        found = []
        for each in process.children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # it ended just now
                if word in " ".join([each.name(), *each.cmdline()]):
                    found.append(each)
        return found

    wait_until(lambda: ended() > 0 or child.poll() is not None, 300, "the first trial", poll=0.05)
    started = below(campaign, CHILD)
    assert started, child.communicate()
    worker = started[0].parent()
    assert worker is not None
    emulators = below(started[0], "hercules -")
    assert emulators
    worker.kill()
    wait_until(lambda: not any(map(psutil.pid_exists, [p.pid for p in emulators])), 30,
               "the killed worker's emulators to end")  # fmt: skip
    text, said = child.communicate(timeout=500)
    assert child.returncode in (0, 1), text + said
    assert "has gone" in said
    found = read(out)
    assert len(found.trials) == 16 and not found.unfinished
    assert {t.params["worker_host_model"] for t in found.trials} != {""}
    pairs = {(t.case, t.pair): set() for t in found.trials}  # type: dict[object, set[str]]
    for trial in found.trials:
        pairs[trial.case, trial.pair].add(trial.params["worker"])
    assert {len(workers) for workers in pairs.values()} == {1}  # no pair over two
    assert "CPU/round trip (IC)" in text and "Rate" not in text
