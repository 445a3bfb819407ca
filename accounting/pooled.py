# SPDX-License-Identifier: MIT
"""Counts of several workers beside each other, though one was busier than another. Pure.

Some of what is counted goes with time, whatever a trial does. While CP waits, timers tick and
clocks are looked at. While it does not, the host may keep the emulator from its CPU: then slices
end and devices interrupt where they would not have. So a trial on a busy worker has more of both,
and each trial's counts are brought to the shortest wait and the shortest rest of its case, by
what they grow for each second more, which the trials themselves tell: least squares over all of
them, the levels of cases, releases and workers taken out. A growth that is not shown, to two
standard errors, is none.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from accounting.records import Source, Unit, Value
from accounting.solve import solved
from accounting.stats import median

if TYPE_CHECKING:
    from accounting.costs import PartCost, TrialCost

ERRORS = 2.0
"""Standard errors to either side of a growth."""
APART = 3.0
"""Standard errors to either side of how far workers are apart."""
NARROW = 1e-9
"""Square seconds: trials that are no further apart do not tell what a second does."""
TINY = 1e-300
SWEEPS = 50
"""Times that levels are taken out in turn: after some, what is left no longer changes."""
AGREE = 0.001
"""Workers whose counts are shown to be further apart than this part are not pooled."""
WORKER = "worker"
"""Trials name the worker that ran them in this parameter."""


Seconds = tuple[float, ...]
"""What a trial took: waited and not waited, or both together where the wait is not told."""


@dataclass(frozen=True, slots=True)
class Growth:
    """What a count grows for each second of each kind, unit/s, 0 where that is not shown; their
    covariances."""

    rates: tuple[float, ...] = ()
    spread: tuple[tuple[float, ...], ...] = ()

    @property
    def shown(self) -> bool:
        """Whether it is known to grow."""
        return any(self.rates)

    def of(self, late: Seconds) -> float:
        """What a trial has more that took LATE longer."""
        return sum(r * s for r, s in zip(self.rates, late, strict=False))

    def error(self, late: Seconds) -> float:
        """Two standard errors of that."""
        pairs = zip(self.spread, late, strict=False)
        square = sum(s * t * c for row, s in pairs for c, t in zip(row, late, strict=True))
        return ERRORS * math.sqrt(max(0.0, square))


_NONE = Growth()


def growth(points: Sequence[tuple[str, str, Seconds, float]]) -> Growth:
    """By least squares, from points (kind, worker, seconds, count): each kind has a level of its
    own, and so has each worker, since one that counts otherwise is not to be taken for one that
    takes longer. Of the kinds of seconds the one that shows least goes, until all that are left
    are shown. Nothing is where the points do not tell."""
    keys = [[p[0] for p in points], [p[1] for p in points]]
    columns = [_without_levels(x, keys) for x in zip(*(p[2] for p in points), strict=True)]
    counts = _without_levels([p[3] for p in points], keys)
    free = len(points) - len(set(keys[0])) - len(set(keys[1])) + 1
    these = [k for k, column in enumerate(columns) if _product(column, column) > NARROW]
    while these and free > len(these):
        rates, spread = _fitted([columns[k] for k in these], counts, free)
        least = min(range(len(these)), key=lambda i: rates[i] / math.sqrt(spread[i][i] or TINY))
        if rates[least] > ERRORS * math.sqrt(spread[least][least]):
            return _placed(these, rates, spread, len(columns))
        del these[least]
    return _NONE


def _fitted(
    columns: Sequence[Sequence[float]], counts: Sequence[float], free: int
) -> tuple[list[float], list[list[float]]]:
    """Rates of COLUMNS, and their covariances. FREE: points less their levels."""
    normal = [[_product(x, y) for y in columns] for x in columns]
    inverse = [
        solved([[*row, float(n == k)] for n, row in enumerate(normal)]) for k in range(len(normal))
    ]
    with_counts = [_product(x, counts) for x in columns]
    rates = [_product(row, with_counts) for row in inverse]
    left = sum(
        (y - sum(r * x for r, x in zip(rates, xs, strict=True))) ** 2
        for y, *xs in zip(counts, *columns, strict=True)
    )
    variance = left / (free - len(columns))
    return rates, [[variance * i for i in row] for row in inverse]


def _placed(
    these: Sequence[int], rates: Sequence[float], spread: Sequence[Sequence[float]], size: int
) -> Growth:
    """Rates of the columns THESE of SIZE; those of the others are 0."""
    at = {k: i for i, k in enumerate(these)}
    return Growth(
        tuple(rates[at[k]] if k in at else 0.0 for k in range(size)),
        tuple(
            tuple(spread[at[k]][at[m]] if k in at and m in at else 0.0 for m in range(size))
            for k in range(size)
        ),
    )


def _product(xs: Sequence[float], ys: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(xs, ys, strict=True))


def _without_levels(values: Sequence[float], keys: Sequence[Sequence[str]]) -> list[float]:
    """VALUES less the level of each key, which are told apart by taking away one after the other's
    until nothing is left of them."""
    left = list(values)
    for _ in range(SWEEPS):
        for names in keys:
            groups: dict[str, list[float]] = defaultdict(list)
            for name, x in zip(names, left, strict=True):
                groups[name].append(x)
            levels = {name: sum(mine) / len(mine) for name, mine in groups.items()}
            left = [x - levels[name] for name, x in zip(names, left, strict=True)]
    return left


def _seconds(cost: TrialCost, apart: bool) -> Seconds:
    assert cost.span is not None
    span = cost.span.to(Unit.S).value
    if not apart or cost.wait is None:
        return (span,)
    wait = min(cost.wait.to(Unit.S).value, span)
    return wait, span - wait


_READ: dict[str, Callable[[PartCost], Value | None]] = {
    "cpu": lambda p: p.cpu,
    "virtual": lambda p: p.virtual,
    "instructions": lambda p: p.instructions,
    "virtual_instructions": lambda p: p.virtual_instructions,
}


def brought(found: Sequence[TrialCost]) -> list[TrialCost]:
    """FOUND, each trial's counts as of the shortest trial of its case, and a note that says so.
    Trials of which it is not known how long they took stay, as do times."""
    timed = [c for c in found if c.usable and c.span is not None and _counted(c)]
    apart = all(c.wait is not None for c in timed)
    least: dict[str, Seconds] = {}
    for cost in timed:
        case, took = cost.trial.case, _seconds(cost, apart)
        least[case] = tuple(map(min, took, least.get(case, took)))
    growths: dict[tuple[str, str], Growth] = {}
    for label in dict.fromkeys(p.label for c in timed for p in c.parts):
        for name, read in _READ.items():
            points = [
                (
                    f"{c.trial.case} {c.trial.release}",
                    c.trial.params.get(WORKER, ""),
                    _seconds(c, apart),
                    value.value,
                )
                for c in timed
                for p in c.parts
                if p.label == label and (value := read(p)) is not None
            ]
            growths[label, name] = growth(points)
    said = _said(growths, timed)
    these = {id(c) for c in timed}
    made = []
    for cost in found:
        if id(cost) in these:
            took, shortest = _seconds(cost, apart), least[cost.trial.case]
            late = tuple(s - t for s, t in zip(took, shortest, strict=True))
            parts = tuple(_part(p, growths, late) for p in cost.parts)
            cost = replace(cost, parts=parts, notes=(*cost.notes, said))
        made.append(cost)
    return made


def _counted(cost: TrialCost) -> bool:
    return all(p.cpu is not None and p.cpu.source is Source.IC for p in cost.parts)


def _part(part: PartCost, growths: dict[tuple[str, str], Growth], late: Seconds) -> PartCost:
    """PART without what it had because it took LATE longer than the shortest."""
    changed: dict[str, Value] = {}
    for name, read in _READ.items():
        value, known = read(part), growths[part.label, name]
        if value is not None and known.shown:
            changed[name] = value._replace(value=max(0.0, value.value - known.of(late)))
    made = replace(part, **changed)  # type: ignore[arg-type]
    was, now = part.cpu, changed.get("cpu")
    if part.per_kb is None or was is None or now is None or now.value <= 0:
        return made
    figure, error = part.per_kb, growths[part.label, "cpu"].error(late) / now.value
    per_kb = figure._replace(
        value=figure.value * now.value / was.value, systematic=figure.systematic + error
    )
    return replace(made, per_kb=per_kb)


_KINDS = {1: ("",), 2: (" waited", " not waited")}


def _said(growths: dict[tuple[str, str], Growth], timed: Sequence[TrialCost]) -> str:
    shown = [
        f"{label} {rate:.0f} +/- {ERRORS * math.sqrt(known.spread[k][k]):.0f} a second"
        + _KINDS[len(known.rates)][k]
        for (label, name), known in growths.items()
        if name == "instructions"
        for k, rate in enumerate(known.rates)
        if rate
    ]
    how = f"least squares over {len(timed)} trials, two standard errors"
    if not shown:
        return f"no count is shown to go with the seconds that a trial took ({how})"
    return (
        "counts are as of the shortest trial of each case: what goes with time is left out, as"
        f" times are; instructions: {', '.join(shown)} ({how})"
    )


def disagree(found: Sequence[TrialCost]) -> list[str]:
    """A sentence for each worker whose Totals are shown to be further from those of the others
    than AGREE, the medians of a case and release being 1."""
    usable = [c for c in found if c.usable and c.total_us_kb > 0]
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for cost in usable:
        groups[cost.trial.case, cost.trial.release].append(cost.total_us_kb)
    middles = {key: median(mine) for key, mine in groups.items()}
    parts: dict[str, list[float]] = defaultdict(list)
    for cost in usable:
        middle = middles[cost.trial.case, cost.trial.release]
        parts[cost.trial.params.get(WORKER, "")].append(cost.total_us_kb / middle - 1)
    said = []
    for worker, mine in parts.items():
        others = [x for name, theirs in parts.items() if name != worker for x in theirs]
        if len(mine) < 2 or len(others) < 2:
            continue
        far = sum(mine) / len(mine) - sum(others) / len(others)
        error = APART * math.sqrt(_variance(mine) / len(mine) + _variance(others) / len(others))
        if abs(far) - error > AGREE:
            said.append(
                f"worker {worker} counts {100 * far:+.2f} % from the others"
                f" (+/- {100 * error:.2f} %); {100 * AGREE:g} % is the limit"
            )
    return said


def _variance(xs: Sequence[float]) -> float:
    middle = sum(xs) / len(xs)
    return sum((x - middle) ** 2 for x in xs) / (len(xs) - 1)
