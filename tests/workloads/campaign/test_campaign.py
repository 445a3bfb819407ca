# SPDX-License-Identifier: MIT
"""What may go to other machines, what comes back, and who is refused: without machines."""

from __future__ import annotations

import json
import tempfile
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tests.accounting.texts import META, make_results
from vmkb.accounting.costs import NOT_POOLED, costs
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.store import FILE_NAME, MixError, read
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.scratch import LEASE, sweep
from vmkb.workloads.base.found import workload
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.campaign import campaign, child
from vmkb.workloads.campaign.cluster import opened
from vmkb.workloads.campaign.identity import differs
from vmkb.workloads.campaign.job import Finished, Job, OtherVersion
from vmkb.workloads.campaign.merge import Merge
from vmkb.workloads.campaign.parts import AMPLE, next_part, pairs
from vmkb.workloads.campaign.probe import disagrees

WORKER = {"worker": "vm 1", "worker_host_model": "A CPU", "worker_emulator": "Hercules 3.13"}


def test_a_pair_is_never_torn_and_every_trial_is_in_a_part() -> None:
    found = workload("echo")
    plan = found.plan(found.settings(Asked(trials=6, builds=2)))
    left = pairs(plan)
    assert {len(ids) for ids in left} == {2}
    assert sorted(i for ids in left for i in ids) == sorted(p.id for p in plan)
    by_id = {p.id: p for p in plan}
    for base, new in left:
        assert by_id[base].case == by_id[new].case and by_id[base].pair == by_id[new].pair
    given = []
    while left:
        part = next_part(left, 4)
        assert len(part) == -(-len(left) // 4)  # its share
        given += part
        del left[: len(part)]
    assert len(given) == len(plan) // 2


def test_of_a_large_share_half_is_given_and_of_many_runs_one_at_a_time() -> None:
    many = [(str(i),) for i in range(8 * AMPLE)]
    assert len(next_part(many, 4)) == AMPLE
    assert len(next_part(many, 5)) == 26
    lab = many[:4]
    assert next_part(lab, 2, every=32) == lab  # a whole lab of a sweep
    assert len(next_part(lab, 2, every=4)) == 2


def test_what_is_sent_comes_back_as_it_was() -> None:
    settings = {"trials": 6, "cases": ["1B"]}
    job = Job("5", "echo", "vmkb", settings, "run-1", {"mtu": 1500}, ("a", "b"))
    assert Job.parse(job.line(), "5") == job
    with pytest.raises(OtherVersion, match="it has vmkb 6, and the run is of vmkb 5"):
        Job.parse(job.line(), "6")
    with pytest.raises(OtherVersion, match="the run is of vmkb 7"):
        Job.parse('{"vmkb": "7", "what": "a job of then had nobody knows"}', "5")
    sent = Finished("a", ({"row": "end"},), {"a.txt": bytes(range(256)) * 9}, {"m": "x"}, "0.5")
    # Dask makes tuples of lists.
    assert Finished.of(json.loads(json.dumps(sent.message()))) == sent


@pytest.mark.parametrize("key", ["vmkb", "guest_image", "emulator"])
def test_another_version_is_refused_in_words(key: str) -> None:
    ours = {"vmkb": "1", "guest_image": "2", "emulator": "Hercules 3.13, exact counter"}
    assert differs(ours, ours) == ""
    said = differs({**ours, key: "other"}, ours)
    assert "other" in said and ours[key] in said


def test_counts_that_are_a_thousandth_apart_are_pooled_and_no_others() -> None:
    assert disagrees(1000.9, 1000.0) == ""
    assert "1002.0 instructions there and 1000.0 here, 0.20 % apart" in disagrees(1002.0, 1000.0)


def finished(results: Path, trial: str) -> Finished:
    """What a worker sends of a TRIAL of made results."""
    rows = map(json.loads, (results / FILE_NAME).read_text().splitlines())
    mine = []
    for row in rows:
        if row.get("trial") != trial:
            continue
        if row["row"] == "record":
            row["where"][0] = "transcripts/x.txt"
        mine.append(row)
    return Finished(trial, tuple(mine), {"x.txt": b"console\n"}, META, "0.25")


def test_trials_of_two_workers_are_one_run_each_once(tmp_path: Path) -> None:
    made = make_results(tmp_path / "made")
    ids = [t.id for t in read(made).trials]
    out = tmp_path / "out"
    merge = Merge(out, "r1", META, "2026-11-22T10:00:00")
    for k, trial in enumerate(ids):
        other = {**WORKER, "worker": f"vm {k % 2}"}
        assert merge.add(finished(made, trial), f"part-00{k % 2}", other) == "good"
    assert merge.add(finished(made, ids[0]), "part-009", WORKER) == ""
    found = read(out).trials
    assert [t.id for t in found] == ids
    assert {t.params["worker_host_model"] for t in found} == {"A CPU"}
    assert {t.params["worker_load"] for t in found} == {"0.25"}
    where = {r.where.file for t in found for r in t.records}
    assert where == {"transcripts/part-000/x.txt", "transcripts/part-001/x.txt"}
    assert all((out / name).read_text() == "console\n" for name in where)
    assert found[0].records == tuple(
        r._replace(where=r.where._replace(file="transcripts/part-000/x.txt"))
        for r in read(made).trials[0].records
    )


def test_a_trial_of_a_worker_on_another_clock_is_refused(tmp_path: Path) -> None:
    made = make_results(tmp_path / "made")
    one = finished(made, read(made).trials[0].id)
    ours = {**META, "emulator": "Hercules", "clock": "virtual"}
    merge = Merge(tmp_path / "out", "r1", ours, "2026-11-22T10:00:00")
    with pytest.raises(MixError, match="on virtual time and others on the host's clock"):
        merge.add(replace(one, meta={**ours, "clock": "host"}), "part-001", WORKER)


def test_counts_of_several_workers_stand_together_and_times_do_not(tmp_path: Path) -> None:
    trials = read(make_results(tmp_path)).trials
    one = [replace(t, params={**t.params, **WORKER}) for t in trials]
    two = [replace(t, params={**t.params, "worker": f"vm {k % 2}"}) for k, t in enumerate(trials)]
    machine = model("2064-109")
    assert all(c.rate is not None for c in costs(one, Source.IC, machine))
    pooled = costs(two, Source.IC, machine)
    assert all(c.usable and c.rate is None and c.elapsed is None for c in pooled)
    assert [c.total_us_kb for c in pooled] == [
        c.total_us_kb for c in costs(trials, Source.IC, machine)
    ]
    by_timer = [
        replace(t, records=tuple(
            r._replace(fields={k: v for k, v in r.fields.items() if k != "model"})
            for r in t.records))
        for t in two
    ]  # fmt: skip
    assert all(any(NOT_POOLED in m for m in c.missing) for c in costs(by_timer, Source.QT))


def test_trials_are_sent_under_their_names_if_a_world_has_several() -> None:
    """A world is run as a whole, so its trials end before those that the plan has between them."""
    found = workload("echo")
    plan = found.plan(found.settings(Asked(trials=2)))
    run = Mock(left=plan, virtual=True)
    run.workload.world = lambda planned: planned.release.name
    turns: list[Any] = Run.turns(run)
    assert sorted(p.id for p in turns) == sorted(p.id for p in plan) and turns != plan
    base = [p for p in plan if p.release == plan[0].release]
    assert turns[: len(base)] == base


def test_what_a_killed_part_leaves_is_swept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its folder has a lease, which ends with its process, however that does."""
    held: list[Path] = []

    def looks(*given: object) -> None:
        (folder,) = tmp_path.glob("vmkb-part-*")
        held.append(folder)
        assert sweep(tmp_path) == [] and (folder / LEASE).is_file()
        raise EmulatorError("no further")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(child, "driver", Mock())
    monkeypatch.setattr(child, "Run", looks)
    settings = workload("echo").settings(Asked()).model_dump()
    with pytest.raises(EmulatorError, match="no further"):
        child.serve(Job("1", "echo", "vmkb", settings, "r1"))
    assert len(held) == 1 and list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_worker_that_never_says_who_it_is_does_not_keep_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(campaign, "hello", time.sleep)
    monkeypatch.setattr(campaign, "ASKED_S", 1.0)
    share = Mock(left=[], again=(), ended=False)
    share.parts.return_value = 0
    share.job.line.return_value = 60.0
    with opened(1, "") as client, pytest.raises(EmulatorError, match="has not said who it is"):
        campaign.Campaign([share], client, Future(), Mock()).run()
