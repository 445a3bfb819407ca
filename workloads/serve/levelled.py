# SPDX-License-Identifier: MIT
"""What an event costs a guest, and what trials would have cost with equally many. Pure.

How many interruptions and switches a transfer has is the host's doing: how fast the wire's process
answers decides how many packets go into a block. What the guest does for one of them is its own.
So what a trial cost is taken as what its case costs and a price for each event more or less than
in other trials of the case, the same price in all cases of one system and direction: least squares
of relative errors, and none below nothing. A switch is a piece that is read in a put, and a wait
for acknowledgements in a get: these differ twofold. Where a direction has too few trials for prices
of its own, both have the same. A trial is levelled with prices that the other trials have told,
never with its own: what they leave open of it alone is then in the levelled figures, and widens
their interval. What a price is wrong by moves all trials of a case alike, the further the more
events away they are brought: `open_by` tells how far, and `widened` puts it into the interval.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from accounting.solve import solved
from accounting.stats import Estimate

SPARE = 4
"""Trials that there must be beyond the numbers that are fitted: less tells nothing."""
OWN = 3
"""Trials that each direction must have for each number that is fitted, for prices of its own."""
_LEAST = 1e-12


class Observed(NamedTuple):
    """A trial: its case, what it cost in instructions, how many events of each kind it had, and in
    which direction it moved something."""

    case: str
    work: float
    events: tuple[float, ...]
    direction: str = ""


class Price(NamedTuple):
    """Instructions for one event, and the standard error of that (jackknife)."""

    each: float
    error: float


def prices(trials: Sequence[Observed]) -> dict[str, list[Price]]:
    """What one event of each kind costs, from TRIALS of one system, by direction, or of all as one
    (""); nothing if they are too few."""
    if not _enough(trials):
        return {}
    told = {}
    for mine in _priced_alike(trials):
        directions = {t.direction for t in mine}
        told[directions.pop() if len(directions) == 1 else ""] = _told(mine)
    return told


def _told(trials: Sequence[Observed]) -> list[Price]:
    found, without = _fitted(trials), _without_each(tuple(trials))
    return [
        Price(each, _jackknife([one[kind] for one in without])) for kind, each in enumerate(found)
    ]


def levelled(trials: Sequence[Observed], at: Mapping[str, Sequence[float]]) -> list[float] | None:
    """What each of TRIALS of one system would have cost with as many events as AT has for its
    case, in their order; None if they are too few."""
    if not _enough(trials):
        return None
    made: dict[int, float] = {}
    for mine in _priced_alike(trials):
        for trial, each in zip(mine, _without_each(tuple(mine)), strict=True):
            more = zip(each, trial.events, at[trial.case], strict=True)
            made[id(trial)] = trial.work - math.fsum(p * (had - lv) for p, had, lv in more)
    return [made[id(trial)] for trial in trials]


def open_by(trials: Sequence[Observed], at: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The standard error (jackknife) of what is taken off of each case's mean to bring TRIALS of
    one system to the events of AT, instructions by case: all trials of a case have it in common.
    Empty if they are too few."""
    if not _enough(trials):
        return {}
    made = {}
    for mine in _priced_alike(trials):
        without = _without_each(tuple(mine))
        for case in {t.case for t in mine}:
            same = [t.events for t in mine if t.case == case]
            off = [
                math.fsum(had) / len(had) - level
                for had, level in zip(zip(*same, strict=True), at[case], strict=True)
            ]
            taken = [math.fsum(p * k for p, k in zip(each, off, strict=True)) for each in without]
            made[case] = _jackknife(taken)
    return made


def widened(told: Estimate, open_: float) -> Estimate:
    """What TOLD says by how trials differ, with OPEN_ (two standard errors) in it, which all of
    them have in common. Of least squares the two have nothing to do with each other, so they are
    added as such errors are: by their squares."""
    down, up = told.value - told.lo, told.hi - told.value
    return replace(
        told, lo=told.value - math.hypot(down, open_), hi=told.value + math.hypot(up, open_)
    )


@lru_cache
def _without_each(trials: tuple[Observed, ...]) -> list[list[float]]:
    """What events cost without each of TRIALS in turn: most of a report's work, and asked for by
    each of its tables."""
    return [_fitted(_but(trials, n)) for n in range(len(trials))]


def _jackknife(without: Sequence[float]) -> float:
    """The standard error of an estimate, from what it is WITHOUT each of the trials."""
    n = len(without)
    mean = math.fsum(without) / n
    return math.sqrt(math.fsum((one - mean) ** 2 for one in without) * (n - 1) / n)


def _priced_alike(trials: Sequence[Observed]) -> list[list[Observed]]:
    """The trials of each direction, if these are enough in each for prices of its own; else all."""
    apart: dict[str, list[Observed]] = defaultdict(list)
    for trial in trials:
        apart[trial.direction].append(trial)
    enough = all(len(mine) >= OWN * _numbers(mine) for mine in apart.values())
    return list(apart.values()) if enough else [list(trials)]


def _numbers(trials: Sequence[Observed]) -> int:
    """How many are fitted: what each case costs, and each event."""
    return len({t.case for t in trials}) + len(trials[0].events)


def _enough(trials: Sequence[Observed]) -> bool:
    cases: dict[str, int] = defaultdict(int)
    for trial in trials:
        cases[trial.case] += 1
    return (
        len({len(t.events) for t in trials}) == 1
        and min(cases.values()) >= 2
        and len(trials) >= _numbers(trials) + SPARE
    )


def _but(trials: Sequence[Observed], n: int) -> list[Observed]:
    return [*trials[:n], *trials[n + 1 :]]


def _fitted(trials: Sequence[Observed]) -> list[float]:
    """The prices: the cases' own costs drop out, since each trial is taken against its case's
    mean."""
    of_case: dict[str, list[Observed]] = defaultdict(list)
    for trial in trials:
        of_case[trial.case].append(trial)
    kinds = len(trials[0].events)
    normal = [[0.0] * (kinds + 1) for _ in range(kinds)]
    for same in of_case.values():
        n = len(same)
        work = math.fsum(t.work for t in same) / n
        mean = [math.fsum(t.events[k] for t in same) / n for k in range(kinds)]
        weight = 1 / max(work * work, _LEAST)
        for trial in same:
            off = [had - usual for had, usual in zip(trial.events, mean, strict=True)]
            for row, own in zip(normal, off, strict=True):
                for k, other in enumerate(off):
                    row[k] += weight * own * other
                row[kinds] += weight * own * (trial.work - work)
    return _positive(normal)


def _positive(normal: Sequence[Sequence[float]]) -> list[float]:
    """The solution of the equations without those kinds that come out below nothing: no event gives
    instructions back, and one that seems to comes with others that cost less than their price."""
    kept = list(range(len(normal)))
    while kept:
        found = solved([[normal[r][c] for c in (*kept, len(normal))] for r in kept])
        if min(found) >= 0:
            return [found[kept.index(k)] if k in kept else 0.0 for k in range(len(normal))]
        kept.remove(kept[found.index(min(found))])
    return [0.0] * len(normal)
