# SPDX-License-Identifier: MIT
"""What may go to other machines, what comes back, and who is refused: without machines."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.accounting.texts import META, make_results
from vmkb.accounting.store import FILE_NAME, read
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.scratch import LEASE, sweep
from vmkb.workloads.base.found import workload
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.campaign import child
from vmkb.workloads.campaign.identity import differs
from vmkb.workloads.campaign.job import Finished, Job, OtherVersion
from vmkb.workloads.campaign.merge import Merge
from vmkb.workloads.campaign.parts import AMPLE, next_part, pairs


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
    job = Job("5", "echo", "vmkb", settings, "run-1", ("a", "b"))
    assert Job.parse(job.line(), "5") == job
    with pytest.raises(OtherVersion, match="it has vmkb 6, and the run is of vmkb 5"):
        Job.parse(job.line(), "6")
    with pytest.raises(OtherVersion, match="the run is of vmkb 7"):
        Job.parse('{"vmkb": "7", "what": "a job of then had nobody knows"}', "5")
    sent = Finished("a", ({"row": "end"},), {"a.txt": bytes(range(256)) * 9})
    # Dask makes tuples of lists.
    assert Finished.of(json.loads(json.dumps(sent.message()))) == sent


@pytest.mark.parametrize("key", ["vmkb", "guest_image", "emulator"])
def test_another_version_is_refused_in_words(key: str) -> None:
    ours = {"vmkb": "1", "guest_image": "2", "emulator": "Hercules 3.13, exact counter"}
    assert differs(ours, ours) == ""
    said = differs({**ours, key: "other"}, ours)
    assert "other" in said and ours[key] in said


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
    return Finished(trial, tuple(mine), {"x.txt": b"console\n"})


def test_trials_of_two_workers_are_one_run_each_once(tmp_path: Path) -> None:
    made = make_results(tmp_path / "made")
    ids = [t.id for t in read(made).trials]
    out = tmp_path / "out"
    merge = Merge(out, "r1", META, "2026-11-22T10:00:00")
    for trial in ids:
        assert merge.add(finished(made, trial)) == "good"
    assert merge.add(finished(made, ids[0])) == ""
    found = read(out).trials
    assert [t.id for t in found] == ids
    assert (out / "transcripts" / "x.txt").read_text() == "console\n"
    assert [r.fields for r in found[0].records] == [r.fields for r in read(made).trials[0].records]


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
