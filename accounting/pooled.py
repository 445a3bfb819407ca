# SPDX-License-Identifier: MIT
"""Counts of several workers beside each other, though one was busier than another. Pure.

Some of what is counted goes with time, whatever a trial does: timers that tick, devices and clocks
that are looked at. A trial that takes longer because its worker is busy has more of it. So each
trial's counts are brought to the time of the shortest trial of its case, by what they grow for
each second more, which the trials themselves tell: least squares over all of them, the levels of
cases, releases and workers taken out. A growth that is not shown, to two standard errors, is none.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from accounting.records import Source, Unit, Value
from accounting.stats import median

if TYPE_CHECKING:
    from accounting.costs import PartCost, TrialCost

ERRORS = 2.0
"""Standard errors to either side of a growth."""
APART = 3.0
"""Standard errors to either side of how far workers are apart."""
SWEEPS = 50
"""Times that levels are taken out in turn: after some, what is left no longer changes."""
AGREE = 0.001
"""Workers whose counts are shown to be further apart than this part are not pooled."""
WORKER = "worker"
"""Trials name the worker that ran them in this parameter."""


@dataclass(frozen=True, slots=True)
class Growth:
    """What a count grows for each second, and two standard errors of that; unit/s."""

    rate: float
    error: float

    @property
    def shown(self) -> bool:
        """Whether it is known to grow."""
        return self.rate > self.error


_NONE = Growth(0.0, math.inf)


def growth(points: Sequence[tuple[str, str, float, float]]) -> Growth:
    """By least squares, from points (kind, worker, seconds, count): each kind has a level of its
    own, and so has each worker, since one that counts otherwise is not to be taken for one that
    takes longer. Not shown where the points do not tell."""
    keys = [[p[0] for p in points], [p[1] for p in points]]
    seconds = _without_levels([p[2] for p in points], keys)
    counts = _without_levels([p[3] for p in points], keys)
    free = len(points) - len(set(keys[0])) - len(set(keys[1]))
    width = sum(x * x for x in seconds)
    if free < 1 or width <= 1e-9:
        return _NONE
    rate = sum(x * y for x, y in zip(seconds, counts, strict=True)) / width
    left = sum((y - rate * x) ** 2 for x, y in zip(seconds, counts, strict=True))
    return Growth(rate, ERRORS * math.sqrt(left / free / width))


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


def _seconds(cost: TrialCost) -> float:
    assert cost.span is not None
    return cost.span.to(Unit.S).value


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
    least: dict[str, float] = {}
    for cost in timed:
        case = cost.trial.case
        least[case] = min(_seconds(cost), least.get(case, math.inf))
    growths: dict[tuple[str, str], Growth] = {}
    for label in dict.fromkeys(p.label for c in timed for p in c.parts):
        for name, read in _READ.items():
            points = [
                (
                    f"{c.trial.case} {c.trial.release}",
                    c.trial.params.get(WORKER, ""),
                    _seconds(c),
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
            late = _seconds(cost) - least[cost.trial.case]
            parts = tuple(_part(p, growths, late) for p in cost.parts)
            cost = replace(cost, parts=parts, notes=(*cost.notes, said))
        made.append(cost)
    return made


def _counted(cost: TrialCost) -> bool:
    return all(p.cpu is not None and p.cpu.source is Source.IC for p in cost.parts)


def _part(part: PartCost, growths: dict[tuple[str, str], Growth], late: float) -> PartCost:
    """PART without what it had because it took LATE seconds longer than the shortest."""
    changed: dict[str, Value] = {}
    for name, read in _READ.items():
        value, known = read(part), growths[part.label, name]
        if value is not None and known.shown:
            changed[name] = value._replace(value=max(0.0, value.value - known.rate * late))
    made = replace(part, **changed)  # type: ignore[arg-type]
    was, now = part.cpu, changed.get("cpu")
    if part.per_kb is None or was is None or now is None or now.value <= 0:
        return made
    figure, error = part.per_kb, growths[part.label, "cpu"].error * late / now.value
    per_kb = figure._replace(
        value=figure.value * now.value / was.value, systematic=figure.systematic + error
    )
    return replace(made, per_kb=per_kb)


def _said(growths: dict[tuple[str, str], Growth], timed: Sequence[TrialCost]) -> str:
    shown = [
        f"{label} {known.rate:.0f} +/- {known.error:.0f}"
        for (label, name), known in growths.items()
        if name == "instructions" and known.shown
    ]
    how = f"least squares over {len(timed)} trials, two standard errors"
    if not shown:
        return f"no count is shown to go with the seconds that a trial took ({how})"
    return (
        "counts are as of the shortest trial of each case: what goes with time is left out, as"
        f" times are; instructions a second: {', '.join(shown)} ({how})"
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
