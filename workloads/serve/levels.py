# SPDX-License-Identifier: MIT
"""To which numbers of events systems' trials are brought. Pure.

Systems are beside each other at equally many events; how many is free. The further a case is from
its own, the more its prices' errors are in it, and the price of a kind that hardly varies in one
system may be known much worse there than in the other, in which it does. So it is between what the
systems had themselves, nearer to the one whose prices are known worse: where the squares of all
systems' errors, as parts of what the case costs them, have the least sum. For this choice prices
may be below nothing: one that is held there would seem to be known.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from accounting.stats import median
from workloads.serve.levelled import Case, Observed, by_case, uncertain

_Known = tuple[Mapping[str, Case], Mapping[str, list[list[float]]]]
"""Of one system: each case's means, and the covariances of its prices."""
_ROUNDS = 1000
_ALIKE = 1e-9


def where_known(
    systems: Sequence[Sequence[Observed]], own: Mapping[str, Collection[int]]
) -> dict[str, list[float]]:
    """How many events of each kind each case is brought to, of trials of several SYSTEMS: between
    the systems' medians, where all are known best. Kinds that are a case's OWN are left out of
    that: the median of all trials."""
    found: dict[str, list[list[Observed]]] = {}
    for trials in systems:
        for case in dict.fromkeys(t.case for t in trials):
            found.setdefault(case, []).append([t for t in trials if t.case == case])
    known = [(by_case(trials), uncertain(trials)) for trials in systems if trials]
    made = {}
    for case, each in found.items():
        medians = [[median(kind) for kind in _kinds(mine)] for mine in each]
        start = [median(kind) for kind in _kinds([t for mine in each for t in mine])]
        square, towards = _wrong(case, known, len(start), own.get(case, ()))
        ends = [(min(kind), max(kind)) for kind in zip(*medians, strict=True)]
        made[case] = _least(square, towards, start, ends)
    return made


def _kinds(trials: Sequence[Observed]) -> list[tuple[float, ...]]:
    return list(zip(*(t.events for t in trials), strict=True))


def _wrong(
    case: str, known: Sequence[_Known], kinds: int, own: Collection[int]
) -> tuple[list[list[float]], list[float]]:
    """The sum of the squares, as a matrix and what it has at the systems' own means."""
    square = [[0.0] * kinds for _ in range(kinds)]
    towards = [0.0] * kinds
    free = [k for k in range(kinds) if k not in own]
    for cases, errors in known:
        if case in errors:
            mean, scale = cases[case].events, cases[case].work ** 2
            for j in free:
                for k in free:
                    part = errors[case][j][k] / scale
                    square[j][k] += part
                    towards[j] += part * mean[k]
    return square, towards


def _least(
    square: Sequence[Sequence[float]], towards: Sequence[float], start: Sequence[float],
    ends: Sequence[tuple[float, float]],
) -> list[float]:  # fmt: skip
    """Where the sum is least between the ENDS: one kind after the other, until none changes."""
    at = [min(max(one, lo), hi) for one, (lo, hi) in zip(start, ends, strict=True)]
    for _ in range(_ROUNDS):
        before = list(at)
        for k, row in enumerate(square):
            if row[k] > 0:
                rest = math.fsum(
                    a * b for n, (a, b) in enumerate(zip(row, at, strict=True)) if n != k
                )
                at[k] = min(max((towards[k] - rest) / row[k], ends[k][0]), ends[k][1])
        if all(abs(a - b) <= _ALIKE * max(1.0, abs(b)) for a, b in zip(at, before, strict=True)):
            break
    return at
