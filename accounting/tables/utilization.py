# SPDX-License-Identifier: MIT
"""The utilization tables: by machine, and by mode (emulation, CP, wait).

100 % is one engine fully busy.  Measured: CPU time by the CPU timer over the time between the same
two readings.  Modelled: what the named machine would have shown at the same throughput, and the
throughput at which its engines would be saturated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from vmkb.accounting.costs import SYSTEM, PartCost, TrialCost
from vmkb.accounting.measures import Measure, total_cpu, value
from vmkb.accounting.models import Model
from vmkb.accounting.records import Unit
from vmkb.accounting.tables.group import Column, columns, configuration, left_out, said
from vmkb.accounting.tables.listing import Columns, Shown, listing, series
from vmkb.accounting.tables.table import Plot, Table, TableError
from vmkb.accounting.units import KB, Figure, add, add_figures, complete, cpu_per_kb

TOTAL = "Total"


class Twins(NamedTuple):
    """A column as MEASURED beside the same one as MODELLED, of which one may be missing, and what
    the row is of."""

    measured: Column | None
    modelled: Column | None
    label: str = ""

    @property
    def either(self) -> Column:
        """One that is there."""
        column = self.measured or self.modelled
        assert column is not None
        return column


HEAD: Columns[Twins] = [("Case", lambda r: r.either.case), ("Release", lambda r: r.either.release)]


def _of_part(label: str, what: Callable[[PartCost, TrialCost], Figure | None]) -> Measure:
    def measure(cost: TrialCost) -> Figure | None:
        part = next((p for p in cost.parts if p.label == label), None)
        return what(part, cost) if part else None

    return measure


def _busy(label: str) -> Measure:
    if label == TOTAL:
        return busy_sum
    return _of_part(label, lambda part, cost: part.utilization(cost.span))


def cell(column: Column | None, measure: Measure) -> Shown:
    """The mean of a measure, or a dash."""
    return value(measure)(column.trials) if column else None


def _table(name: str, title: str, rows: Sequence[Twins], shown: Columns[Twins],
           notes: Sequence[str], plots: Sequence[Plot] = ()) -> Table:  # fmt: skip
    made = listing(name, title, rows, [*HEAD, *shown], notes, keys=2, plots=plots,
                   by=lambda r: (r.either.table, r.either.case))  # fmt: skip
    assert made is not None
    return made


def machine_table(
    costs: Sequence[TrialCost], modelled: Sequence[TrialCost] = (), model: Model | None = None
) -> Table:
    """Utilization by machine. COSTS have the CPU as it was measured, if it was; MODELLED the same
    trials through MODEL.
    """
    both = [*costs, *modelled]
    twins = _twins(costs, modelled)
    if not twins:
        raise TableError((left_out(both) or ["there are no finished trials to print"])[0])
    rows = [x._replace(label=label) for x in twins for label in (*x.either.labels, TOTAL)]
    shown: Columns[Twins] = [
        ("Machine", lambda r: r.label),
        ("CPU", lambda r: cell(r.measured, _busy(r.label))),
        ("CP's share", lambda r: cell(r.either, _of_part(r.label, lambda p, _: p.cp_share))),
        ("T/V", lambda r: cell(r.either, _of_part(r.label, lambda p, _: p.tv_ratio))),
        ("Modelled", lambda r: cell(r.modelled, _busy(r.label))),
        ("Saturates at",
         lambda r: cell(r.modelled or r.either, saturation) if r.label == TOTAL else None),
    ]  # fmt: skip
    notes = ["100 % is one engine fully busy; CPU and time are of the same interval."]
    if model and modelled:
        engines = ", ".join(str(n) for n in sorted({c.trial.engines for c in both if c.usable}))
        notes.append(
            f"Modelled: at the same throughput on one engine of model {model.key}; saturates:"
            f" where {engines} engine(s) of it would be fully busy."
        )
    if where := configuration(both):
        notes.append(f"Configuration: {where}.")
    bars = series(
        (r.label, f"{r.either.case} {r.either.release}", r.either.estimate(_busy(r.label)))
        for r in rows
        if r.label != TOTAL and r.either.has(_busy(r.label))
    )
    by = "CPU by machine" if columns(costs) else "CPU by machine, modelled"
    plots = (Plot("bars", by, "% of one engine", bars),) if bars else ()
    return _table("machines", "Utilization by machine", rows, shown, [*notes, *said(both)], plots)


def _twins(costs: Sequence[TrialCost], modelled: Sequence[TrialCost]) -> list[Twins]:
    here = {c.key: c for c in columns(costs)}
    there = {c.key: c for c in columns(modelled)}
    return [Twins(here.get(k), there.get(k)) for k in dict.fromkeys([*here, *there])]


def busy_sum(cost: TrialCost) -> Figure | None:
    """Percent of one engine of all machines together; the whole system is not added to them."""
    parts = complete(p.utilization(cost.span) for p in cost.parts if p.machine != SYSTEM)
    return add_figures(parts) if parts else None


def saturation(cost: TrialCost) -> Figure | None:
    """The rate at which all engines would be busy, if CPU per KB or event stayed as it is: all CPU
    that the clock tells, as utilization is, also for bytes moved at a rate that has no source."""
    total = total_cpu(cost)
    if total is None or total.value <= 0:
        return None
    used = [p.cpu for p in cost.parts if p.machine != SYSTEM and p.cpu is not None]
    if used and cost.data is not None:
        total = cpu_per_kb(add(used), cost.data)._replace(systematic=total.systematic)
    speed = 1e6 * cost.trial.engines / total.value
    tick = speed * total.tick / total.value
    if cost.per == KB:
        return Figure(speed, Unit.KB_S, total.sources, tick, total.systematic)
    return Figure(speed, Unit.PER_S, total.sources, tick, total.systematic, cost.per)


def mode_table(costs: Sequence[TrialCost], modelled: Sequence[TrialCost] = ()) -> Table:
    """Utilization by mode: in the machines (VIRTCPU), in CP for them, and wait."""
    rows = [
        twins._replace(label=mode)
        for twins in _twins(costs, modelled)
        if any(c is not None and c.has(_mode("CP")) for c in twins[:2])
        for mode in ("Emulation", "CP", "Wait")
    ]
    if not rows:
        raise TableError("no trial has VIRTCPU, TOTCPU and elapsed time: no utilization by mode")
    shown: Columns[Twins] = [
        ("Mode", lambda r: r.label),
        ("CPU", lambda r: cell(r.measured, _mode(r.label))),
        ("Modelled", lambda r: cell(r.modelled, _mode(r.label))),
    ]
    notes = (
        "Emulation is VIRTCPU of the machines named, CP is TOTCPU less VIRTCPU; CP's work for"
        " nobody is in Wait unless a System part reports it.",
    )
    return _table("modes", "Utilization by mode", rows, shown, notes)


def _mode(mode: str) -> Measure:
    def measure(cost: TrialCost) -> Figure | None:
        if cost.span is None or cost.span.value <= 0:
            return None
        whole = [p for p in cost.parts if p.machine == SYSTEM] or list(cost.parts)
        cpu, virtual = (complete(getattr(p, x) for p in whole) for x in ("cpu", "virtual"))
        if not cpu or not virtual:
            return None
        total, own, span = add(cpu), add(virtual), cost.span.to(Unit.US)
        open_ = total.tick + own.tick
        share = {"Emulation": own.value, "CP": total.value - own.value,
                 "Wait": cost.trial.engines * span.value - total.value}[mode]  # fmt: skip
        sources = tuple(dict.fromkeys((total.source, span.source)))
        return Figure(
            100 * share / span.value, Unit.PERCENT, sources, 100 * open_ / span.value,
            0.0 if mode == "Wait" else max(p.systematic for p in whole),
        )  # fmt: skip

    return measure
