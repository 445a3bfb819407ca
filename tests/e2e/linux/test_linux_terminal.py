# SPDX-License-Identifier: MIT
"""vmkb run terminal with a Linux that nobody here wrote as the TELNET host, beside VM/KB."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmkb.accounting.store import read
from vmkb.hercules.guest import Guest, load_guest
from vmkb.workloads.base.progress import Plain
from vmkb.workloads.base.report import of_run
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.telnet import Workload
from vmkb.workloads.telnet.plan import shown

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def test_files_on_terminals_of_both(kernel: Guest, tmp_path: Path) -> None:
    """A user who went on by TELNET sees each file whole, and what that took is in one table."""
    definition = Workload().definition
    (case, *_) = definition.case
    small = case.model_copy(update={"bytes": 12288})
    workload = Workload(definition.model_copy(update={"case": (small,)}))
    asked = Asked(guests=("vmkb", "linux"), releases="6.1", cases=(case.id,), trials=1)
    run = Run(workload, workload.settings(asked), load_guest("vmkb"), tmp_path)
    run.run(Plain(["trial"] * len(run.plan)))
    trials = read(tmp_path).trials
    assert [(t.release, t.status) for t in trials] == [("KB", "good"), ("6.1", "good")], [
        t.why for t in trials
    ]
    for trial in trials:
        seen = (tmp_path / "transcripts" / f"{trial.id}.txt").read_bytes().decode()
        assert shown(small) in seen
        assert trial.data is not None and trial.data.value == len(shown(small))
        costs = [r.value("total_instr").value for r in trial.records if r.kind == "connect"]
        assert 0 == costs[0] < costs[1]
    report, _ = of_run(workload, tmp_path, len(run.plan), run.settings.model)
    table = next(t for t in report.tables if t.name == "serve")
    heads = [cell.text for cell in table.sections[0].rows[0].cells]
    assert heads[1] == "Instructions per KB (IC/WI)"
    names = [row.cells[0].text for row in table.sections[1].rows]
    assert names[0].startswith("VM/KB") and names[1].startswith("Linux 6.1.")
