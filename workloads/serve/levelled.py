# SPDX-License-Identifier: MIT
"""What an event costs a guest, and what trials would have cost with equally many. Pure.

How many interruptions and switches a transfer has is the host's doing: how fast the wire's process
answers decides how many packets go into a block. What the guest does for one of them is its own.
So what a trial cost is taken as what its case costs and a price for each event more or less than
in other trials of the case, the same price in all cases of one system: least squares of relative
errors, and none below nothing. A trial is levelled with prices that the other trials have told,
never with its own: what the prices leave open is then in the levelled figures, and widens their
interval.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workloads.serve.solve import solved

SPARE = 4
"""Trials that there must be beyond the numbers that are fitted: less tells nothing."""
_LEAST = 1e-12


class Observed(NamedTuple):
    """A trial: its case, what it cost in instructions, and how many events of each kind it had."""

    case: str
    work: float
    events: tuple[float, ...]


class Price(NamedTuple):
    """Instructions for one event, and the standard error of that (jackknife)."""

    each: float
    error: float


def prices(trials: Sequence[Observed]) -> list[Price] | None:
    """What one event of each kind costs, from TRIALS of one system; None if they are too few."""
    if not _enough(trials):
        return None
    found = _fitted(trials)
    without = [_fitted(_but(trials, n)) for n in range(len(trials))]
    made = []
    for kind, each in enumerate(found):
        mean = math.fsum(one[kind] for one in without) / len(without)
        spread = math.fsum((one[kind] - mean) ** 2 for one in without)
        made.append(Price(each, math.sqrt(spread * (len(trials) - 1) / len(trials))))
    return made


def levelled(trials: Sequence[Observed], at: Mapping[str, Sequence[float]]) -> list[float] | None:
    """What each of TRIALS of one system would have cost with as many events as AT has for its
    case, in their order; None if they are too few."""
    if not _enough(trials):
        return None
    made = []
    for n, trial in enumerate(trials):
        each = _fitted(_but(trials, n))
        more = zip(each, trial.events, at[trial.case], strict=True)
        made.append(trial.work - math.fsum(p * (had - level) for p, had, level in more))
    return made


def _enough(trials: Sequence[Observed]) -> bool:
    kinds = {len(t.events) for t in trials}
    cases: dict[str, int] = defaultdict(int)
    for trial in trials:
        cases[trial.case] += 1
    return (
        len(kinds) == 1
        and min(cases.values()) >= 2
        and len(trials) >= len(cases) + kinds.pop() + SPARE
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
