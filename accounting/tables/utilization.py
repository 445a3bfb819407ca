# SPDX-License-Identifier: MIT
"""The utilization tables: by machine, and by mode (emulation, CP, wait).

100 % is one engine fully busy.  Measured: CPU time by the CPU timer over the time between the same
two readings.  Modelled: what the named machine would have shown at the same throughput, and the
throughput at which its engines would be saturated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accounting.costs import SYSTEM, PartCost, TrialCost
from accounting.models import Model
from accounting.records import Unit
from accounting.tables.group import (
    Column,
    Measure,
    columns,
    configuration,
    left_out,
    said,
    total_us_kb,
)
from accounting.tables.release import marks
from accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    TableError,
    known,
    lettered,
    word,
)
from accounting.units import Figure, add, add_figures, cpu_per_kb

HEADS = ("Release", "Machine", "CPU %", "CP's share %", "T/V", "Modelled %", "Saturates at KB/s")
MODES = ("Release", "Mode", "CPU %", "Modelled %")


#: Decimals of what is no cost: a hundredth of a percent is more than anybody plans with.
MOST = {"%": 2, "ratio": 3, "KB/s": 1}


def _of_part(label: str, what: Callable[[PartCost, TrialCost], Figure | None]) -> Measure:
    def measure(cost: TrialCost) -> Figure | None:
        part = next((p for p in cost.parts if p.label == label), None)
        return what(part, cost) if part else None

    return measure


def _busy(part: PartCost, cost: TrialCost) -> Figure | None:
    return part.utilization(cost.span)


def cell(column: Column | None, measure: Measure, unit: str) -> Cell:
    """The median of a measure with the digits that are known, or a dash."""
    if column is None or not column.has(measure):
        return word("-")
    letters = column.figures(measure)[0].letters
    e = column.estimate(measure)
    return known(e, unit, letters, most=MOST.get(unit, 6))


def machine_table(
    costs: Sequence[TrialCost], modelled: Sequence[TrialCost] = (), model: Model | None = None
) -> Table:
    """Utilization by machine. COSTS have the CPU as it was measured, if it was; MODELLED the same
    trials through MODEL.
    """
    rows_of = _twins(costs, modelled)
    if not rows_of:
        raise TableError(
            (left_out([*costs, *modelled]) or ["there are no finished trials to print"])[0]
        )
    sections: dict[tuple[str, str], list[Row]] = {}
    bars: dict[str, list[tuple[str | float, float, float, float]]] = {}
    for column, twin in rows_of:
        either = column or twin
        assert either is not None
        rows = sections.setdefault((either.table, either.case), [])
        for label in either.labels:
            busy = _of_part(label, _busy)
            if either.has(busy):
                e = either.estimate(busy)
                bars.setdefault(label, []).append(
                    (f"{either.case} {either.release}", e.value, e.lo, e.hi)
                )
            share = _of_part(label, lambda p, _: p.cp_share)
            times = _of_part(label, lambda p, _: p.tv_ratio)
            rows.append(
                Row(
                    either.case,
                    (
                        word(either.release),
                        word(label),
                        cell(column, busy, "%"),
                        cell(either, share, "%"),
                        cell(either, times, "ratio"),
                        cell(twin, busy, "%"),
                        word("-"),
                    ),
                )
            )
        limit = twin or either
        cells = (
            word(either.release), word("Total"), cell(column, busy_sum, "%"), word("-"), word("-"),
            cell(twin, busy_sum, "%"), cell(limit, saturation, "KB/s"),
        )  # fmt: skip
        rows.append(Row(either.case, cells))
    everyone = [c for pair in rows_of for c in pair if c is not None]
    notes = ["100 % is one engine fully busy; CPU and time are of the same interval."]
    if model and modelled:
        notes.append(
            f"Modelled: at the same throughput on one engine of model {model.key}; saturates:"
            f" where {_engines(everyone)} engine(s) of it would be fully busy."
        )
    by = "CPU by machine" if columns(costs) else "CPU by machine, modelled"
    both = [*costs, *modelled]
    where = configuration(both)
    head = Section("head", (Row("Case", tuple(word(h) for h in HEADS)),))
    body = (Section("body", tuple(rows)) for rows in sections.values())
    notes += marks([r for rows in sections.values() for r in rows])
    made = Table(
        "machines",
        "Utilization by machine",
        (head, *body),
        tuple(x for x in (*notes, where and f"Configuration: {where}.", *said(both)) if x),
        (
            Plot(
                "bars", by, "% of one engine",
                tuple((k, tuple(v)) for k, v in bars.items()),
            ),
        ) if bars else (),
        keys=2,
    )  # fmt: skip
    return lettered(made)


def _twins(
    costs: Sequence[TrialCost], modelled: Sequence[TrialCost]
) -> list[tuple[Column | None, Column | None]]:
    """Columns as measured beside the same ones as modelled; either may be missing."""
    here = {(c.table, c.case, c.release): c for c in columns(costs)}
    there = {(c.table, c.case, c.release): c for c in columns(modelled)}
    return [(here.get(k), there.get(k)) for k in dict.fromkeys([*here, *there])]


def _engines(found: list[Column]) -> str:
    return ", ".join(str(n) for n in sorted({c.trial.engines for col in found for c in col.trials}))


def busy_sum(cost: TrialCost) -> Figure | None:
    """Percent of one engine of all machines together; the whole system is not added to them."""
    parts = [p.utilization(cost.span) for p in cost.parts if p.machine != SYSTEM]
    there = [p for p in parts if p is not None]
    return add_figures(there) if there and len(there) == len(parts) else None


def saturation(cost: TrialCost) -> Figure | None:
    """KB/s at which all engines would be busy, if CPU per KB stayed as it is: all CPU that the
    clock tells, as utilization is, also for bytes moved at a rate that has no source."""
    total = total_us_kb(cost)
    if total is None or total.value <= 0:
        return None
    used = [p.cpu for p in cost.parts if p.machine != SYSTEM and p.cpu is not None]
    if used and cost.data is not None:
        total = cpu_per_kb(add(used), cost.data)._replace(systematic=total.systematic)
    speed = 1e6 * cost.trial.engines / total.value
    return Figure(
        speed, Unit.KB_S, total.sources, speed * total.tick / total.value, total.systematic
    )


def mode_table(costs: Sequence[TrialCost], modelled: Sequence[TrialCost] = ()) -> Table:
    """Utilization by mode: in the machines (VIRTCPU), in CP for them, and wait."""
    rows_of = [
        (a, b)
        for a, b in _twins(costs, modelled)
        if any(c is not None and c.has(_mode("CP")) for c in (a, b))
    ]
    if not rows_of:
        raise TableError("no trial has VIRTCPU, TOTCPU and elapsed time: no utilization by mode")
    sections: dict[tuple[str, str], list[Row]] = {}
    for column, twin in rows_of:
        either = column or twin
        assert either is not None
        rows = sections.setdefault((either.table, either.case), [])
        for mode in ("Emulation", "CP", "Wait"):
            measure = _mode(mode)
            cells = (
                word(either.release), word(mode), cell(column, measure, "%"),
                cell(twin, measure, "%"),
            )  # fmt: skip
            rows.append(Row(either.case, cells))
    head = Section("head", (Row("Case", tuple(word(h) for h in MODES)),))
    made = Table(
        "modes",
        "Utilization by mode",
        (head, *(Section("body", tuple(rows)) for rows in sections.values())),
        (
            "Emulation is VIRTCPU of the machines named, CP is TOTCPU less VIRTCPU; CP's work for"
            " nobody is in Wait unless a System part reports it.",
        ),
        keys=2,
    )
    return lettered(made)


def _mode(mode: str) -> Measure:
    def measure(cost: TrialCost) -> Figure | None:
        if cost.span is None or cost.span.value <= 0:
            return None
        whole = [p for p in cost.parts if p.machine == SYSTEM] or list(cost.parts)
        used = [(p.cpu, p.virtual) for p in whole]
        cpu = [c for c, v in used if c is not None and v is not None]
        virtual = [v for c, v in used if c is not None and v is not None]
        if not cpu or len(cpu) != len(whole):
            return None
        emulation, total = sum(v.value for v in virtual), sum(c.value for c in cpu)
        open_ = sum(x.tick for x in (*cpu, *virtual))
        span = cost.span.to(Unit.US)
        share = {"Emulation": emulation, "CP": total - emulation,
                 "Wait": cost.trial.engines * span.value - total}[mode]  # fmt: skip
        sources = tuple(dict.fromkeys((cpu[0].source, span.source)))
        return Figure(
            100 * share / span.value, Unit.PERCENT, sources, 100 * open_ / span.value,
            0.0 if mode == "Wait" else max(p.systematic for p in whole),
        )  # fmt: skip

    return measure
