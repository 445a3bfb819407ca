# SPDX-License-Identifier: MIT
"""Trials side by side in processes: their order, their end, and what one says that cannot go on."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.process import BaseProcess

import pytest

from vmkb.hercules.deadline import EmulatorError
from vmkb.workloads.base.lanes import in_lanes


def test_results_come_in_the_order_of_the_jobs_and_no_lane_has_to_be_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed: list[BaseProcess] = []
    kill = BaseProcess.kill

    def noted(process: BaseProcess) -> None:
        killed.append(process)
        kill(process)

    monkeypatch.setattr(BaseProcess, "kill", noted)
    monkeypatch.setattr(BaseProcess, "terminate", noted)
    found = [(job, result) for job, result, _ in in_lanes(range(7), lambda job, _: job * job, 3)]
    assert found == [(n, n * n) for n in range(7)]
    assert killed == [] and multiprocessing.active_children() == []


def test_the_first_error_ends_all() -> None:
    def work(job: int, _lane: int) -> int:
        if job == 2:
            raise EmulatorError("no more")
        return job

    with pytest.raises(EmulatorError, match="no more"):
        list(in_lanes(range(9), work, 2))
    assert multiprocessing.active_children() == []


def test_each_of_several_lanes_stays_on_a_processor() -> None:
    processors = sorted(os.sched_getaffinity(0))

    def work(_job: int, lane: int) -> tuple[int, list[int]]:
        return lane, sorted(os.sched_getaffinity(0))

    for lane, found in (result for _, result, _ in in_lanes(range(6), work, 3)):
        assert found == [processors[lane % len(processors)]]
    assert [result for _, result, _ in in_lanes([1], work)] == [(0, processors[:1])]
