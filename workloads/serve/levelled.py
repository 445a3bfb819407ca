# SPDX-License-Identifier: MIT
"""What an event costs a guest, and what trials would have cost with equally many. Pure.

How many interruptions and switches a transfer has is the host's doing: how fast the wire's process
answers decides how many packets go into a block. What the guest does for one of them is its own.
So what a trial cost is taken as what its case costs and a price for each event more or less than
in other trials of the case, the same price in all cases of one system and direction: least squares,
none below nothing, in which each case weighs as much as what it leaves of its trials allows. A
switch is a piece that is read in a put, and a wait for acknowledgements in a get: these differ
twofold. Where a direction has too few trials for prices of its own, both have the same. A trial is
levelled with prices that the other trials have told, never with its own: what they leave open of it
alone is then in the levelled figures, and widens their interval. What a price is wrong by moves all
trials of a case alike, the further the more events away they are brought: `open_by` tells how far,
and `widened` puts it into the interval.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import mul
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


Fit = Callable[[Sequence[Observed]], list[float]]
Solution = Callable[[Sequence[Sequence[float]]], list[float]]


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
    found, without = _fitted(trials), _without_each(tuple(trials), _fitted)
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
        for trial, each in zip(mine, _without_each(tuple(mine), _fitted), strict=True):
            more = zip(each, trial.events, at[trial.case], strict=True)
            made[id(trial)] = trial.work - math.fsum(p * (had - lv) for p, had, lv in more)
    return [made[id(trial)] for trial in trials]


def open_by(trials: Sequence[Observed], at: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The standard error (jackknife) of what is taken off of each case's mean to bring TRIALS of
    one system to the events of AT, instructions by case: all trials of a case have it in common.
    Empty if they are too few."""
    if not _enough(trials):
        return {}
    known = uncertain(trials, _fitted)
    made = {}
    for case, mine in by_case(trials).items():
        off = [had - level for had, level in zip(mine.events, at[case], strict=True)]
        square = math.fsum(
            off[j] * row[k] * off[k] for j, row in enumerate(known[case]) for k in range(len(off))
        )
        made[case] = math.sqrt(max(0.0, square))
    return made


def unbounded(trials: Sequence[Observed]) -> list[float]:
    """The prices, also below nothing: one that is held at nothing does not say how well it is
    known."""
    return _weighted(trials, _solution)


def uncertain(trials: Sequence[Observed], fit: Fit = unbounded) -> dict[str, list[list[float]]]:
    """By case, how the prices that FIT finds for it in TRIALS of one system are wrong together:
    their covariances (jackknife). Empty if they are too few."""
    if not _enough(trials):
        return {}
    made = {}
    for mine in _priced_alike(trials):
        kinds = list(zip(*_without_each(tuple(mine), fit), strict=True))
        n = len(mine)
        off = [[one - math.fsum(each) / n for one in each] for each in kinds]
        part = (n - 1) / n
        found = [[math.fsum(map(mul, a, b)) * part for b in off] for a in off]
        made.update(dict.fromkeys({t.case for t in mine}, found))
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
def _without_each(trials: tuple[Observed, ...], fit: Fit) -> list[list[float]]:
    """What events cost without each of TRIALS in turn: most of a report's work, and asked for by
    each of its tables."""
    return [fit(_but(trials, n)) for n in range(len(trials))]


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
    """The prices, none below nothing."""
    return _weighted(trials, _positive)


def _weighted(trials: Sequence[Observed], solution: Solution) -> list[float]:
    """The prices: the cases' own costs drop out, since each trial is taken against its case's
    mean. First as if all cases were known to the same part of what they cost; then each case has
    the weight that what this leaves of its trials gives it."""
    cases = by_case(trials)
    alike = {case: same.work**2 for case, same in cases.items()}
    left = _left(cases, _positive(_normal(cases, alike)))
    return solution(_normal(cases, left))


class Case(NamedTuple):
    """The mean of its trials' work and events, and by how much each one's events and work are off
    these."""

    work: float
    events: list[float]
    off: list[tuple[list[float], float]]


def by_case(trials: Sequence[Observed]) -> dict[str, Case]:
    """What TRIALS of one system have in common in each case."""
    of_case: dict[str, list[Observed]] = defaultdict(list)
    for trial in trials:
        of_case[trial.case].append(trial)
    found = {}
    for case, same in of_case.items():
        work = math.fsum(t.work for t in same) / len(same)
        mean = [math.fsum(had) / len(same) for had in zip(*(t.events for t in same), strict=True)]
        found[case] = Case(work, mean, [
            ([had - usual for had, usual in zip(t.events, mean, strict=True)], t.work - work)
            for t in same
        ])  # fmt: skip
    return found


def _left(cases: Mapping[str, Case], each: Sequence[float]) -> dict[str, float]:
    """The variance that the prices EACH leave in the work of each case's trials. So many trials as
    there are prices count as such of all cases together, as each could be fitted by its own."""
    squares = {
        case: math.fsum((w - math.fsum(map(mul, each, e))) ** 2 for e, w in same.off)
        for case, same in cases.items()
    }
    free = sum(len(same.off) - 1 for same in cases.values())
    part = math.fsum(square / cases[case].work ** 2 for case, square in squares.items()) / free
    prior = len(each)
    return {
        case: (square + prior * part * cases[case].work ** 2) / (len(cases[case].off) - 1 + prior)
        for case, square in squares.items()
    }


def _normal(cases: Mapping[str, Case], variances: Mapping[str, float]) -> list[list[float]]:
    """The normal equations, with their right sides, of trials whose work is known to VARIANCES."""
    kinds = len(next(iter(cases.values())).events)
    normal = [[0.0] * (kinds + 1) for _ in range(kinds)]
    for case, same in cases.items():
        weight = 1 / max(variances[case], _LEAST)
        for own, work in same.off:
            for row, mine in zip(normal, own, strict=True):
                for k, other in enumerate((*own, work)):
                    row[k] += weight * mine * other
    return normal


def _solution(normal: Sequence[Sequence[float]]) -> list[float]:
    return solved([list(row) for row in normal])


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
