# SPDX-License-Identifier: MIT
"""Users of CMS on a real guest: a seed gives the same bytes again, and each table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vmkb.accounting.costs import costs
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.store import read
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.here import Here
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.report import of_run
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.cms import Workload
from vmkb.workloads.cms.machine import storage_mb
from vmkb.workloads.cms.plan import Definition, Planned

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]

KNOWN = Workload().definition
SMALL = KNOWN.model_copy(
    update={
        "warm_s": KNOWN.warm_s.model_copy(update={"quick": 1}),
        "measured_s": KNOWN.measured_s.model_copy(update={"quick": 60}),
    }
)
USERS = 2


def run_in(folder: Path, trials: int = 1, users: int = USERS) -> Run[Definition, Planned]:
    """A small run, done."""
    found = Workload(SMALL)
    settings = found.settings(Asked(users=users, trials=trials))
    folder.mkdir()
    run = Run(found, settings, load_guest("vmkb"), folder)
    run.run(Progress(), Here(1))
    return run


def kept(folder: Path, trial: str) -> dict[str, str]:
    """What a trial has told: its responses and all accounts."""
    there = folder / "transcripts"
    return {
        name: (there / f"{trial}.{name}").read_text("utf-8")
        for name in ("responses.jsonl", "counts.jsonl", "txt", "world.txt")
    }


def used(folder: Path) -> list[list[tuple[str, float, float]]]:
    """Instructions of users and of CP, by trial: in all and their own."""
    found = costs(read(folder).trials, Source.IC, model(KNOWN.model))
    return [
        [
            (p.label, p.instructions.value, p.virtual_instructions.value)
            for p in cost.parts
            if p.instructions is not None and p.virtual_instructions is not None
        ]
        for cost in found
    ]


def test_a_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    run_in(tmp_path / "one", trials=2)
    run_in(tmp_path / "again")
    first = kept(tmp_path / "one", "CMSKB-1")
    assert kept(tmp_path / "again", "CMSKB-1") == first
    assert kept(tmp_path / "one", "CMSKB-2") != first

    trials = read(tmp_path / "one").trials
    assert used(tmp_path / "again")[0] == used(tmp_path / "one")[0]
    assert used(tmp_path / "one")[1] != used(tmp_path / "one")[0]
    assert [t.status for t in trials] == ["good", "good"]
    lines = [json.loads(line) for line in first["responses.jsonl"].splitlines()]
    assert len(lines) == int(trials[0].params["count"]) > 10
    assert {line["user"] for line in lines} == {"U001", "U002"}
    assert all(0 < line["first_us"] <= line["last_us"] < 5e6 for line in lines)
    analysed, _ = of_run(Workload(SMALL), tmp_path / "one", 2, KNOWN.model)
    names = [table.name for table in analysed.tables]
    assert {"cms", "cms_counts", "cms_scripts"} <= set(names)


def test_more_users_than_a_guest_has_displays_and_storage_for(tmp_path: Path) -> None:
    assert len(load_guest("vmkb").machine.terminals) < 40
    assert storage_mb(40) > load_guest("vmkb").machine.memory_mb
    run_in(tmp_path / "many", users=40)
    (trial,) = read(tmp_path / "many").trials
    assert trial.status == "good"
    (told,) = (r for r in trial.records if r.kind == "commands")
    accounts = sum(n for _, n, _ in used(tmp_path / "many")[0])
    assert accounts == pytest.approx(told.value("instructions").value, rel=1e-3)
