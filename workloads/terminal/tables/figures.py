# SPDX-License-Identifier: MIT
"""Trials on a node in groups, and the measures that other workloads do not have. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from vmkb.accounting.costs import TrialCost, counted_cpu
from vmkb.accounting.intervals import between, samples
from vmkb.accounting.measures import Group, Measure, elapsed, param
from vmkb.accounting.models import Model
from vmkb.accounting.records import Source, Unit
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.group import counted_costs
from vmkb.accounting.tables.listing import Shown, grouped
from vmkb.accounting.tables.table import TableError
from vmkb.accounting.tables.table import printed as cell
from vmkb.accounting.units import Figure, add, complete
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.terminal.content import JOB
from vmkb.workloads.terminal.tables.clock import spread

#: What the modes of a node are called; `interrupt` is what CP did in interruptions, for anybody.
MODES = ("busy", "user", "kernel", "interrupt")


def all_costs(trials: Iterable[Trial], model: Model) -> list[TrialCost]:
    """Costs from the counts of every trial that came to its end, with what nodes do by the clock
    spread over those of one terminal."""
    return spread(counted_costs(trials, model), model)


def seconds(cost: TrialCost) -> float:
    """How long the terminals were at it."""
    took = elapsed(cost)
    assert took is not None
    return took.value


def kilobytes(cost: TrialCost) -> float:
    """KB that the terminals showed."""
    return cost.data.to(Unit.KB).value if cost.data else 0.0


def characters(cost: TrialCost) -> float:
    """Characters that the terminals showed."""
    return 1024 * kilobytes(cost)


def shown(cost: TrialCost) -> Figure:
    """The same as a figure."""
    return Figure(characters(cost), Unit.BYTE, (Source.WI,))


def rate(cost: TrialCost) -> Figure:
    """KB a second that the terminals showed."""
    return Figure(kilobytes(cost) / seconds(cost), Unit.KB_S, (Source.WI,))


def job_share(cost: TrialCost) -> Figure | None:
    """Percent that the job had of all CPU but the meter's, which never idled beside it."""
    every, mine = complete(p.cpu for p in cost.parts), cost.part(JOB).cpu
    if mine is None or not every:
        return None
    whole = add(every).value
    return Figure(100 * mine.value / whole, Unit.PERCENT, (mine.source,), 100 * mine.tick / whole)


def mode(name: str, model: Model) -> Measure:
    """Percent of one engine: busy, user (in the machines), kernel (in CP), interrupt."""

    def measure(cost: TrialCost) -> Figure:
        cpu, virtual = (complete(getattr(p, x) for p in cost.parts) for x in ("cpu", "virtual"))
        if not cpu or not virtual:
            raise TableError(f"trial {cost.trial.id} has no CPU in the machines")
        system = [i for i in between(samples(cost.trial.records)) if i.machine == SYSTEM]
        interrupt = counted_cpu(system, model, "intr")
        if interrupt is None:
            raise TableError(f"trial {cost.trial.id}: CP did not say what it did in interruptions")
        total, user = add(cpu), add(virtual)
        us = {
            "busy": total.value,
            "user": user.value,
            # Interruptions for the meter are in the one and not in the other.
            "kernel": max(0.0, total.value - user.value - interrupt.value),
            "interrupt": interrupt.value,
        }[name]
        open_ = (interrupt if name == "interrupt" else total).tick
        whole = 1e4 * seconds(cost)
        clock = cost.trial.elapsed.source if cost.trial.elapsed else total.source
        sources = tuple(dict.fromkeys((total.source, clock)))
        systematic = max((p.systematic for p in cost.parts), default=0.0)
        return Figure(us / whole, Unit.PERCENT, sources, open_ / whole, systematic)

    return measure


def groups(costs: Iterable[TrialCost], *kinds: str) -> dict[tuple[str, ...], list[TrialCost]]:
    """Trials of KINDS by release, path, node and number of terminals."""
    mine = (c for c in costs if param(c, "kind") in kinds)
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
    every = complete(measure(c) for c in group)
    return cell(sum(f.value for f in every), "count", "(WI)")
