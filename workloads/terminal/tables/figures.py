# SPDX-License-Identifier: MIT
"""Trials on a node in groups, and what the tables of this workload ask of each. Pure.

Costs, estimates, intervals and cells are those of every workload (accounting.costs,
accounting.tables); here are only the measures that other workloads do not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accounting.costs import TrialCost, costs, counted_cpu
from accounting.intervals import between, samples
from accounting.models import Model
from accounting.records import Record, Source, Unit, Value
from accounting.stats import Estimate
from accounting.store import Trial
from accounting.tables.group import Measure
from accounting.tables.group import estimate as estimate_of
from accounting.tables.table import Cell, TableError, known, word
from accounting.units import Figure
from workloads.base.accounts import SYSTEM
from workloads.terminal.tables.clock import spread

Group = Sequence[TrialCost]
#: What the modes of a node are called; `interrupt` is what CP did in interruptions, for anybody.
MODES = ("busy", "user", "kernel", "interrupt")


#: Decimals of what is no cost.
MOST = {"%": 3, "/s": 1, "KB/s": 3, "B": 1, "ms": 2, "count": 1, "ratio": 4, "instr": 0}


def all_costs(trials: Iterable[Trial], model: Model) -> list[TrialCost]:
    """Costs from the counts of every trial that came to its end, in the order in which they ran,
    with what nodes do by the clock spread over those of one terminal;
    TableError if the samples of one do not give them."""
    counted = sorted((t for t in trials if t.counts), key=lambda t: t.seq)
    made = costs(counted, Source.IC, model)
    for cost in made:
        if not cost.usable:
            raise TableError(cost.missing[0])
    return spread(made, model)


def param(cost: TrialCost, name: str) -> str:
    """A parameter of the trial."""
    return cost.trial.params.get(name, "")


def record(cost: TrialCost, kind: str) -> Record | None:
    """The trial's one record of a kind."""
    return next((r for r in cost.trial.records if r.kind == kind), None)


def seconds(cost: TrialCost) -> float:
    """How long the terminals were at it."""
    assert cost.trial.elapsed is not None
    return cost.trial.elapsed.to(Unit.S).value


def kilobytes(cost: TrialCost) -> float:
    """What the terminals showed."""
    return cost.data.to(Unit.KB).value if cost.data else 0.0


def instructions(cost: TrialCost) -> Figure:
    """Those of all parts."""
    counts = [p.instructions for p in cost.parts]
    if any(c is None for c in counts):
        raise TableError(f"trial {cost.trial.id} has no instruction counts")
    there = [c for c in counts if c is not None]
    return Figure(sum(c.value for c in there), Unit.INSTR, (Source.IC,), sum(c.tick for c in there))


def over(top: Figure, below: float, unit: Unit) -> Figure:
    """TOP divided by a number that is known better than it, such as seconds or characters."""
    return Figure(top.value / below, unit, top.sources, top.tick / below, top.systematic)


def mode(name: str, model: Model) -> Measure:
    """Percent of one engine: busy, user (in the machines), kernel (in CP), interrupt."""

    def measure(cost: TrialCost) -> Figure:
        cpu = [(p.cpu, p.virtual) for p in cost.parts]
        there = [(c, v) for c, v in cpu if c is not None and v is not None]
        if len(there) != len(cpu):
            raise TableError(f"trial {cost.trial.id} has no CPU in the machines")
        system = [i for i in between(samples(cost.trial.records)) if i.machine == SYSTEM]
        interrupt = counted_cpu(system, model, "intr")
        if interrupt is None:
            raise TableError(f"trial {cost.trial.id}: CP did not say what it did in interruptions")
        total, virtual = sum(c.value for c, _ in there), sum(v.value for _, v in there)
        us = {
            "busy": total,
            "user": virtual,
            # Interruptions for the meter are in the one and not in the other.
            "kernel": max(0.0, total - virtual - interrupt.value),
            "interrupt": interrupt.value,
        }[name]
        open_ = sum(c.tick for c, _ in there) if name != "interrupt" else interrupt.tick
        whole = 1e4 * seconds(cost)
        clock = cost.trial.elapsed.source if cost.trial.elapsed else there[0][0].source
        sources = tuple(dict.fromkeys((there[0][0].source, clock)))
        systematic = max((p.systematic for p in cost.parts), default=0.0)
        return Figure(us / whole, Unit.PERCENT, sources, open_ / whole, systematic)

    return measure


def groups(found: Iterable[TrialCost], kinds: Sequence[str]) -> dict[tuple[str, ...], Group]:
    """Trials of KINDS by release, path, node and number of terminals."""
    made: dict[tuple[str, ...], list[TrialCost]] = {}
    for cost in found:
        if param(cost, "kind") in kinds:
            key = (cost.trial.release, *(param(cost, n) for n in ("path", "node", "terminals")))
            made.setdefault(key, []).append(cost)
    return dict(made)


def estimate(group: Group, measure: Measure) -> Estimate:
    """Median of a measure over trials, with its interval; TableError if a trial lacks it."""
    found = [measure(c) for c in group]
    if any(f is None for f in found):
        raise TableError(f"trials of {param(group[0], 'path')} lack a number for this table")
    return estimate_of([f for f in found if f is not None])


def cell(group: Group, measure: Measure, unit: str, scale: float = 1.0) -> Cell:
    """The median of a measure over trials, with the digits that are known."""
    found = measure(group[0])
    letters = found.letters if found else ""
    return known(estimate(group, measure), unit, letters, scale=scale, most=MOST.get(unit, 6))


def recorded(group: Group, kind: str, name: str) -> list[Figure]:
    """A field of the record KIND of every trial of a group; empty if one lacks it."""
    found = [record(c, kind) for c in group]
    if not found or any(r is None or name not in r.fields for r in found):
        return []
    return [_figure(r.value(name)) for r in found if r is not None]


def _figure(value: Value) -> Figure:
    return Figure(value.value, value.unit, (value.source,), value.tick)


def middle(values: Sequence[Figure], unit: str, scale: float = 1.0) -> Cell:
    """The median of some figures, or a dash."""
    if not values:
        return word("-")
    most = MOST.get(unit, 6)
    return known(estimate_of(values), unit, values[0].letters, scale=scale, most=most)
