# SPDX-License-Identifier: MIT
"""vmkb run --workers on the host's clock: a worker is killed, and every trial is there once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from vmkb.accounting.store import read
from vmkb.hercules.deadline import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("emulator_needed")]


@pytest.mark.timeout(600)
def test_a_killed_worker_loses_nothing_that_had_ended(project: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    out = tmp_path / "run"
    child = subprocess.Popen(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", "echo", "--case", "1B", "--trials", "4",
         "--builds", "1", "--workers", "2", "--clock", "host", "--out", str(out)], cwd=project,
        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    campaign = psutil.Process(child.pid)

    def paired() -> str:
        """A worker of which both trials of a pair are there: no other one runs them again."""
        trials = read(out).trials if (out / "results.jsonl").exists() else ()
        done = Counter((t.pair, t.params["worker"]) for t in trials)
        return next((worker for (_, worker), many in done.items() if many == 2), "")

    def listens(process: psutil.Process, port: int) -> bool:
        with suppress(psutil.NoSuchProcess):
            return any(c.laddr.port == port for c in process.net_connections("tcp") if not c.raddr)
        return False

    def below(process: psutil.Process, word: str) -> list[psutil.Process]:
        found = []
        for each in process.children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # it ended just now
                if word in " ".join([each.name(), *each.cmdline()]):
                    found.append(each)
        return found

    def lives(process: psutil.Process) -> bool:
        with suppress(psutil.NoSuchProcess):
            return bool(process.status() != psutil.STATUS_ZOMBIE)
        return False

    wait_until(lambda: paired() or child.poll() is not None, 300, "the first pair", poll=0.05)
    assert child.poll() is None, child.communicate()
    # The last word of its name is the port where it listens.
    port = int(paired().split()[-1])
    # What it forks listens there too until that starts a program; who forked it comes first.
    worker = next(p for p in below(campaign, "") if listens(p, port))
    emulators = wait_until(lambda: below(worker, "hercules -"), 60, "its emulators", poll=0.05)
    worker.kill()
    wait_until(lambda: not any(map(lives, emulators)), 30,
               "the killed worker's emulators to end")  # fmt: skip
    text, said = child.communicate(timeout=500)
    assert child.returncode == 0, text + said
    assert "has gone" in said
    found = read(out)
    assert len(found.trials) == 8 and not found.unfinished
    assert {t.params["worker_host_model"] for t in found.trials} != {""}
    pairs = {(t.case, t.pair): set() for t in found.trials}  # type: dict[object, set[str]]
    for trial in found.trials:
        pairs[trial.case, trial.pair].add(trial.params["worker"])
    assert {len(workers) for workers in pairs.values()} == {1}  # no pair over two
    assert "CPU per round trip, microseconds" in text
