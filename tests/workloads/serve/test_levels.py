# SPDX-License-Identifier: MIT
"""To which numbers of events systems are brought: sets of trials that were made so that what they
cost is known."""

from __future__ import annotations

import math
import random

import pytest

from accounting.stats import median, median_estimate
from workloads.serve.levelled import Observed, levelled, open_by, widened
from workloads.serve.levels import where_known

CASES = {"small": 16e6, "large": 30e6}
USUAL = {
    "steady": {"small": (700.0, 1850.0), "large": (1500.0, 2900.0)},
    "varied": {"small": (650.0, 1550.0), "large": (1300.0, 2300.0)},
}
EACH = {"steady": (1500.0, 2500.0), "varied": (1600.0, 2200.0)}
SPREAD = {"steady": (0.1, 0.004), "varied": (0.1, 0.1)}
"""By how much the numbers of events differ: the second kind's hardly does in one system."""


def made(system: str, seed: int, trials: int = 15, noise: float = 1.5e5) -> list[Observed]:
    rng = random.Random(f"{system} {seed}")
    found = []
    for case, own in CASES.items():
        for _ in range(trials):
            usual = USUAL[system][case]
            events = tuple(
                n * rng.gauss(1, part) for n, part in zip(usual, SPREAD[system], strict=True)
            )
            work = own + true_more(system, case, events) + rng.gauss(0, noise)
            found.append(Observed(case, work, events))
    return found


def true_more(system: str, case: str, events: tuple[float, ...] | list[float]) -> float:
    """What the case costs more than its own cost at EVENTS."""
    off = zip(EACH[system], events, USUAL[system][case], strict=True)
    return math.fsum(price * (had - usual) for price, had, usual in off)


def halves_and_truth(
    at: dict[str, list[float]], both: dict[str, list[Observed]]
) -> list[tuple[float, bool]]:
    """Of each system and case, half its interval as a part, and whether what is true is in it."""
    found = []
    for system, trials in both.items():
        even, errors = levelled(trials, at), open_by(trials, at)
        assert even is not None
        for case, own in CASES.items():
            mine = [e for t, e in zip(trials, even, strict=True) if t.case == case]
            told = widened(median_estimate(mine), 2 * errors[case])
            right = told.covers(own + true_more(system, case, at[case]))
            found.append((told.half_width_percent, right))
    return found


def medians(both: dict[str, list[Observed]]) -> dict[str, list[float]]:
    """The numbers in the middle of all trials."""
    return {
        case: [
            median([t.events[kind] for mine in both.values() for t in mine if t.case == case])
            for kind in range(2)
        ]
        for case in CASES
    }


def test_intervals_hold_what_is_true_and_are_narrower_than_in_the_middle() -> None:
    """Of 60 sets 85 in 100 intervals and more hold it; the widest of a set is less than half as
    wide as where the systems are brought to the median of all."""
    right, here, middle = [], [], []
    for seed in range(60):
        both = {system: made(system, seed) for system in USUAL}
        found = halves_and_truth(where_known(list(both.values()), {}), both)
        right += [holds for _, holds in found]
        here.append(max(half for half, _ in found))
        middle.append(max(half for half, _ in halves_and_truth(medians(both), both)))
    assert sum(right) / len(right) >= 0.85, sum(right) / len(right)
    assert median(here) < median(middle) / 2, (median(here), median(middle))


@pytest.mark.parametrize("seed", range(5))
def test_a_case_is_brought_to_what_lies_between_the_systems_own(seed: int) -> None:
    both = [made(system, seed) for system in USUAL]
    at = where_known(both, {"small": (0,)})
    for case, level in at.items():
        each = [[median([t.events[k] for t in mine if t.case == case]) for mine in both]
                for k in range(2)]  # fmt: skip
        assert all(min(ends) <= n <= max(ends) for n, ends in zip(level, each, strict=True))
        # the steady one's price of the second kind is hardly known
        assert abs(level[1] - each[1][0]) < 0.3 * abs(each[1][1] - each[1][0])
    assert at["small"][0] == median(
        [t.events[0] for mine in both for t in mine if t.case == "small"]
    )


def test_one_system_is_brought_to_its_own_median() -> None:
    mine = made("varied", 1)
    at = where_known([mine], {})
    assert at.keys() == CASES.keys()
    for case, level in medians({"varied": mine}).items():
        assert at[case] == pytest.approx(level)


def test_too_few_trials_are_brought_to_the_middle_of_all() -> None:
    both = {system: made(system, 1, 2) for system in USUAL}
    at = where_known(list(both.values()), {})
    for case, level in medians(both).items():
        assert at[case] == pytest.approx(level)
