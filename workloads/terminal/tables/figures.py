# SPDX-License-Identifier: MIT
"""Trials on a node in groups, and the measures that other workloads do not have. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from vmkb.accounting.costs import TrialCost, costs, counted_cpu
from vmkb.accounting.intervals import between, samples
from vmkb.accounting.measures import Group, Measure, has, param
from vmkb.accounting.models import Model
from vmkb.accounting.records import Source, Unit
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import Shown, grouped
from vmkb.accounting.tables.table import TableError
from vmkb.accounting.tables.table import printed as cell
from vmkb.accounting.units import Figure
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.terminal.tables.clock import spread

#: What the modes of a node are called; `interrupt` is what CP did in interruptions, for anybody.
MODES = ("busy", "user", "kernel", "interrupt")


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


def seconds(cost: TrialCost) -> float:
    """How long the terminals were at it."""
    assert cost.trial.elapsed is not None
    return cost.trial.elapsed.to(Unit.S).value


def kilobytes(cost: TrialCost) -> float:
    """KB that the terminals showed."""
    return cost.data.to(Unit.KB).value if cost.data else 0.0


def instructions(cost: TrialCost) -> Figure | None:
    """Those of all parts."""
    counts = [p.instructions for p in cost.parts]
    there = [c for c in counts if c is not None]
    if len(there) != len(counts):
        return None
    return Figure(sum(c.value for c in there), Unit.INSTR, (Source.IC,), sum(c.tick for c in there))


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


def groups(found: Iterable[TrialCost], *kinds: str) -> dict[tuple[str, ...], list[TrialCost]]:
    """Trials of KINDS by release, path, node and number of terminals."""
    mine = (c for c in found if param(c, "kind") in kinds)
    names = ("path", "node", "terminals")
    return grouped(mine, lambda c: (c.trial.release, *(param(c, n) for n in names)))


def path(group: Group) -> str:
    """The path of the trials."""
    return param(group[0], "path")


def node(group: Group) -> str:
    """The node that they are on."""
    return param(group[0], "node")


def total(group: Group, measure: Measure) -> Shown:
    """The sum of a count over all trials."""
    known = [measure(c) for c in group] if has(group, measure) else []
    return cell(sum(f.value for f in known if f is not None), "count", "(WI)")
