# SPDX-License-Identifier: MIT
"""Time left, from what trials of the same kind took."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.workloads.base.lanes import in_lanes
from vmkb.workloads.base.progress import Forecast, InLane, Plain, clock


def test_nothing_is_forecast_before_the_first_trial_has_ended() -> None:
    assert Forecast(["a", "b"]).left() is None
    assert clock(None) == "-:--"


def test_each_kind_counts_with_its_own_mean() -> None:
    forecast = Forecast(["slow", "fast", "slow", "fast", "slow"])
    forecast.finished(10.0)
    forecast.finished(2.0)
    assert forecast.left() == pytest.approx(10 + 2 + 10)
    assert forecast.left(running=4.0) == pytest.approx(18)


def test_an_unknown_kind_counts_as_the_mean_of_all() -> None:
    forecast = Forecast(["a", "b"])
    forecast.finished(4.0)
    assert forecast.left() == pytest.approx(4.0)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 100)), min_size=1))
def test_at_the_end_nothing_is_left(trials: list[tuple[str, float]]) -> None:
    forecast = Forecast([kind for kind, _ in trials])
    for _, seconds in trials:
        forecast.finished(seconds)
        left = forecast.left()
        assert left is not None and left >= 0
    assert forecast.left() == 0


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (59.6, "1:00"), (125, "2:05")])
def test_clock(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def test_plain_lines_always_tell_the_last_trial() -> None:
    out = io.StringIO()
    with Plain(["a", "a"], out) as progress:
        for name in ("first", "second"):
            progress.trial(name, 1)
            progress.transferred()
            progress.done("good")
    assert out.getvalue().splitlines() == ["2/2 second: good; 0:00 left"]


def test_a_lane_tells_how_its_trial_stands() -> None:
    def work(job: int, lane: int) -> int:
        for n in range(3):
            InLane().now(f"job {job} at {n}")
        return job

    told: list[str] = []
    assert [(job, result) for job, result, _ in in_lanes([1, 2], work, 1, told.append)] == [
        (1, 1),
        (2, 2),
    ]
    assert told == [f"job {job} at {n}" for job in (1, 2) for n in range(3)]
