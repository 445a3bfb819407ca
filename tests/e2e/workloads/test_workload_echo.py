# SPDX-License-Identifier: MIT
"""vmkb run echo on real guests: round trips over TCP, counted, paid for, and right."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from vmkb.accounting.costs import costs, per_event
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.store import read
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
PARTS = ["TCPIP", "Client", "System", "Server", "Server's TCPIP", "Server's System"]


def test_a_round_trip_has_its_price_in_both_guests(tmp_path: Path) -> None:
    options = ["--case", "1B", "--case", "8K", "--releases", "221", "--trials", "2"]
    options += ["--builds", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", "echo", *options, "--wire", "fast",
         "--out", "r", "--all"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(load_guest("vmkb").folder.parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for row in ("Rate (round trips/sec) (AC)", "Server's TCPIP CPU/round trip (IC)", "1B-221"):
        assert row in done.stdout
    folder = tmp_path / "r"
    trials = read(folder).trials
    assert [(t.status, t.why) for t in trials] == [("good", "")] * 4
    for trial in trials:
        kinds = Counter(r.kind for r in trial.records)
        assert (kinds["connect"], kinds["acnt_sum"], kinds["wire"]) == (12, 2, 1)
        for record in trial.records:
            text = (folder / record.where.file).read_text()
            assert all(line.strip() in text for line in record.raw.splitlines())
        wire = next(r for r in trial.records if r.kind == "wire")
        least = int(trial.params["bytes"]) * int(trial.params["count"])
        assert min(wire.value(n).value for n in ("bytes_in", "bytes_out")) > least
    each = per_event(costs(trials, Source.IC, model("2064-109")), lambda t: int(t.params["count"]),
                     "round trip")  # fmt: skip
    assert [p.label for p in each[0].parts] == PARTS
    assert all(p.per_kb is not None and p.per_kb.value > 0 for c in each for p in c.parts)
    totals = {c.trial.case: c.total.value for c in each if c.total}
    assert totals["8K"] > 1.5 * totals["1B"]
    assert all(Hercules.attach(p) is None for p in (folder / "guests").glob("*/*"))
    beside = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "compare", str(folder), str(folder), "--all"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert beside.returncode == 0, beside.stderr
    assert "221 base" in beside.stdout and "221 new" in beside.stdout
    assert "Total CPU/round trip (IC)" in beside.stdout and "us/KB" not in beside.stdout
