# SPDX-License-Identifier: MIT
"""Measures: numbers of a trial, and how they are printed. Pure.

A measure makes a figure of a trial, or of what it cost. The figure knows its unit, what it is per
and its sources; a measure's cells, the unit in their column's head and the letters follow from
that. How many digits a number has is decided here alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import median
from typing import Any, NamedTuple

from vmkb.accounting.costs import SYSTEM, TrialCost
from vmkb.accounting.counter import BUILD, layout_error
from vmkb.accounting.records import Record, Source, Unit, Value
from vmkb.accounting.stats import Estimate, mean_estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Cell, TableError, interval_cell, known
from vmkb.accounting.units import Figure, add_figures

#: One number of a trial or its cost, with what is known of it; None where it has none.
Measure = Callable[[Any], Figure | None]
#: Trials, or costs of trials, that are alike.
Group = Sequence[Any]
#: The label that all parts together are printed under.
TOTAL = "Total"
#: That of the machines without CP's work for them.
VIRTUAL = "Virtual"


def throughput(cost: TrialCost) -> Figure | None:
    """Throughput in KB/s, or events a second."""
    return cost.rate


def total_cpu(cost: TrialCost) -> Figure | None:
    """CPU of all parts together for each KB or event."""
    return cost.total


def virtual_cpu(cost: TrialCost) -> Figure | None:
    """CPU of the machine alone for a command, where its Ready message tells it."""
    (part, *_) = cost.parts or (None,)
    if cost.source is not Source.RM or part is None or part.virtual is None:
        return None
    value = part.virtual
    return Figure(value.value, value.unit, (value.source,), value.tick, per=cost.per)


def part_cpu(label: str) -> Measure:
    """CPU of one part, or of all with the label Total, for each KB or event."""

    def measure(cost: TrialCost) -> Figure | None:
        if label == TOTAL:
            return cost.total
        return next((p.per_kb for p in cost.parts if p.label == label), None)

    return measure


def instructions_of(label: str, virtual: bool = False) -> Measure:
    """Instructions for each KB or event of one part, or of all with the label Total; VIRTUAL: in
    the machines."""

    def measure(cost: TrialCost) -> Figure | None:
        parts = [p for p in cost.parts if label in (p.label, TOTAL)]
        counts = [p.virtual_instructions if virtual else p.instructions for p in parts]
        return _each(cost, counts, layout_error(cost.trial.meta))

    return measure


def moved_by(label: str) -> Measure:
    """Bytes moved for each KB or event by one part, or by all with the label Total."""

    def measure(cost: TrialCost) -> Figure | None:
        parts = [p for p in cost.parts if label in (p.label, TOTAL) and p.machine != SYSTEM]
        return _each(cost, [p.moved for p in parts], 0.0)

    return measure


def _each(cost: TrialCost, counts: Sequence[Any], systematic: float) -> Figure | None:
    """The sum of COUNTS for each KB or event; None if one is unknown."""
    if not counts or any(c is None for c in counts) or not cost.data or cost.data.value <= 0:
        return None
    many = cost.data.to(Unit.KB).value
    return add_figures([
        Figure(c.value / many, c.unit, (Source.IC,), c.tick / many, systematic, cost.per)
        for c in counts
    ])  # fmt: skip


def trial_of(item: Trial | TrialCost) -> Trial:
    """The trial that ITEM is, or whose cost it is."""
    return item if isinstance(item, Trial) else item.trial


def param(item: Trial | TrialCost, name: str) -> str:
    """A parameter of a trial, or nothing."""
    return trial_of(item).params.get(name, "")


def records(item: Trial | TrialCost, kind: str, **words: str) -> list[Record]:
    """The trial's records of a KIND that have these WORDS."""
    mine = (r for r in trial_of(item).records if r.kind == kind)
    return [r for r in mine if all(r.word(k) == v for k, v in words.items())]


def record(item: Trial | TrialCost, kind: str, **words: str) -> Record | None:
    """The first of them."""
    return next(iter(records(item, kind, **words)), None)


def of_value(value: Value | None) -> Figure | None:
    """A number that was read, as it is."""
    return value and Figure(value.value, value.unit, (value.source,), value.tick)


def field(kind: str, name: str, unit: Unit | None = None, **words: str) -> Measure:
    """A field of the trial's first record of a KIND that has these WORDS, in UNIT if not its
    own."""

    def measure(item: Trial | TrialCost) -> Figure | None:
        kept = record(item, kind, **words)
        if kept is None or name not in kept.fields:
            return None
        value = kept.value(name)
        return of_value(value.to(unit) if unit else value)

    return measure


def elapsed(item: Trial | TrialCost) -> Figure | None:
    """Seconds that the work took, by who did it."""
    took = trial_of(item).elapsed
    return of_value(took and took.to(Unit.S))


def over(top: Measure, below: Callable[[Any], float | None], unit: Unit, per: str = "") -> Measure:
    """TOP divided by what is known better than it, such as seconds or characters: in UNIT, for each
    of PER."""

    def measure(item: Any) -> Figure | None:
        figure, by = top(item), below(item)
        if figure is None or not by:
            return None
        return Figure(
            figure.value / by, unit, figure.sources, figure.tick / by, figure.systematic, per
        )

    return measure


# What is known of a measure over trials


class Measured(NamedTuple):
    """The mean of a measure over trials, its unit and its source letters."""

    estimate: Estimate
    unit: str
    source: str


def has(group: Group, measure: Measure) -> bool:
    """True if every trial of GROUP has the number."""
    return bool(group) and all(measure(x) is not None for x in group)


def figures(group: Group, measure: Measure) -> list[Figure]:
    """The figures of all trials of GROUP; TableError if one has none, or another unit."""
    made: list[Figure] = []
    for item in group:
        figure = measure(item)
        if figure is None:
            raise TableError(f"trial {trial_of(item).id} has no number for this table")
        made.append(figure.to(made[0].quantity) if made else figure)
    return made


def estimate(each: Sequence[Figure], builds: Sequence[str] = ()) -> Estimate:
    """The mean of the trials' figures with its interval; BUILDS: what each trial ran on."""
    return _estimate(tuple(each), tuple(builds))


@lru_cache(maxsize=1024)
def _estimate(each: tuple[Figure, ...], builds: tuple[str, ...]) -> Estimate:
    """The same, cached: several tables print a mean, and each of them its interval too."""
    return mean_estimate(
        [f.value for f in each],
        tick=max(f.tick for f in each),
        bounds=[f.bounds for f in each],
        step=median([f.step for f in each]),
        builds=builds,
    )


def measured(group: Group, measure: Measure, unit: str = "", source: str = "") -> Measured:
    """The mean of MEASURE over GROUP. UNIT: in which it is wanted, if not its own; UnitError for
    one of another quantity. SOURCE: instead of its letters, such as (IN)."""
    each = figures(group, measure)
    made = [f.to(unit) for f in each] if unit else each
    counted = Source.IC in made[0].sources
    builds = [param(x, BUILD) or "1" for x in group] if counted else ()
    return Measured(estimate(made, builds), made[0].quantity, source or made[0].letters)


def estimated(group: Group, measure: Measure) -> Estimate:
    """The mean of a measure over GROUP with its interval."""
    return measured(group, measure).estimate


def value(measure: Measure, unit: str = "", source: str = "") -> Callable[[Group], Cell | None]:
    """The cell with the mean of a measure; UNIT and SOURCE as for `measured`."""

    def cell(group: Group) -> Cell | None:
        return known(*measured(group, measure, unit, source)) if has(group, measure) else None

    return cell


def interval(measure: Measure, unit: str = "", source: str = "") -> Callable[[Group], Cell | None]:
    """The interval of that mean."""

    def cell(group: Group) -> Cell | None:
        if not has(group, measure):
            return None
        return interval_cell(*measured(group, measure, unit, source))

    return cell
