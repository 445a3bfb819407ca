# SPDX-License-Identifier: MIT
"""The utilization tables: by machine, and by mode (emulation, CP, wait).

100 % is one engine fully busy.  Measured: CPU time over elapsed time, both at the emulator's speed.
Modelled: what the named machine would have shown at the same throughput, and the throughput at
which its engines would be saturated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accounting.costs import SYSTEM, PartCost, TrialCost
from accounting.models import Model
from accounting.stats import decimals, median_estimate
from accounting.tables.group import Column, columns, configuration, left_out, said
from accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    TableError,
    estimated,
    lettered,
    word,
)

HEADS = ("Release", "Machine", "CPU %", "CP's share %", "T/V", "Modelled %", "Saturates at KB/s")
MODES = ("Release", "Mode", "CPU %", "Modelled %")


def _shown(xs: list[float], unit: str, source: str, places: int = 1) -> Cell:
    e = median_estimate(xs)
    return estimated(e, max(places, decimals(e, most=2)) if e.n > 1 else places, unit, source)


def _figures(column: Column, label: str, what: Callable[[PartCost, TrialCost], object]) -> list[
    tuple[float, str]
]:
    """Value and letters of a figure of one part in every trial; empty if one lacks it."""
    found = []
    for cost in column.trials:
        part = next((p for p in cost.parts if p.label == label), None)
        figure = what(part, cost) if part else None
        if figure is None:
            return []
        found.append((figure.value, figure.letters))  # type: ignore[attr-defined]
    return found


def _cell(found: list[tuple[float, str]], unit: str, places: int = 1) -> Cell:
    if not found:
        return word("-")
    return _shown([x for x, _ in found], unit, found[0][1], places)


def machine_table(
    costs: Sequence[TrialCost], modelled: Sequence[TrialCost] = (), model: Model | None = None
) -> Table:
    """Utilization by machine. COSTS have CPU and elapsed time as measured; MODELLED the same
    trials through MODEL."""
    found = columns(costs)
    if not found:
        raise TableError((left_out(costs) or ["there are no finished trials to print"])[0])
    other = {(c.table, c.case, c.release): c for c in columns(modelled)}
    sections = []
    bars: dict[str, list[tuple[str | float, float, float, float]]] = {}
    for case in dict.fromkeys((c.table, c.case) for c in found):
        rows = []
        for column in (c for c in found if (c.table, c.case) == case):
            twin = other.get((column.table, column.case, column.release))
            for label in column.labels:
                busy = _figures(column, label, lambda p, c: p.utilization(c.elapsed))
                if busy:
                    e = median_estimate([x for x, _ in busy])
                    bars.setdefault(label, []).append(
                        (f"{column.case} {column.release}", e.value, e.lo, e.hi)
                    )
                virtual = _figures(twin, label, lambda p, c: p.utilization(c.elapsed)) if (
                    twin
                ) else []
                rows.append(
                    Row(
                        column.case,
                        (
                            word(column.release),
                            word(label),
                            _cell(busy, "%"),
                            _cell(_figures(column, label, lambda p, c: p.cp_share), "%"),
                            _cell(_figures(column, label, lambda p, c: p.tv_ratio), "ratio", 2),
                            _cell(virtual, "%"),
                            word("-"),
                        ),
                    )
                )
            rows.append(_all_machines(column, twin))
        sections.append(Section("body", tuple(rows)))
    notes = ["100 % is one engine fully busy."]
    if model and modelled:
        notes.append(
            f"Modelled: at the same throughput on one engine of model {model.key}; saturates:"
            f" where {_engines(found)} engine(s) of it would be fully busy."
        )
    where = configuration(costs)
    made = Table(
        "machines",
        "Utilization by machine",
        (Section("head", (Row("Case", tuple(word(h) for h in HEADS)),)), *sections),
        tuple(x for x in (*notes, where and f"Configuration: {where}.", *said(costs)) if x),
        tuple(left_out(costs)),
        (
            Plot(
                "bars", "CPU by machine", "% of one engine",
                tuple((k, tuple(v)) for k, v in bars.items()),
            ),
        ) if bars else (),
        keys=2,
    )  # fmt: skip
    return lettered(made)


def _engines(found: list[Column]) -> str:
    return ", ".join(str(n) for n in sorted({c.trial.engines for col in found for c in col.trials}))


def busy_sum(cost: TrialCost) -> float | None:
    """Percent of one engine of all machines together; the whole system is not added to them."""
    parts = [p.utilization(cost.elapsed) for p in cost.parts if p.machine != SYSTEM]
    return None if not parts or any(p is None for p in parts) else sum(p.value for p in parts if p)


def saturation(cost: TrialCost) -> float | None:
    """KB/s at which all engines would be busy, if CPU per KB stayed as it is."""
    busy = busy_sum(cost)
    if not busy or cost.rate is None:
        return None
    return cost.rate.value * 100 * cost.trial.engines / busy


def _letters(column: Column) -> str:
    for cost in column.trials:
        for part in cost.parts:
            if figure := part.utilization(cost.elapsed):
                return figure.letters
    return ""


def _all_machines(column: Column, twin: Column | None) -> Row:
    busy = column.values(busy_sum) if column.has(busy_sum) else []
    cells = [word(column.release), word("Total"), word("-"), word("-"), word("-"), word("-"),
             word("-")]  # fmt: skip
    if busy:
        cells[2] = _shown(busy, "%", _letters(column))
    if twin and twin.has(busy_sum):
        cells[5] = _shown(twin.values(busy_sum), "%", _letters(twin))
    limit = twin if twin and twin.has(saturation) else column
    if limit.has(saturation):
        cells[6] = _shown(limit.values(saturation), "KB/s", _letters(limit))
    return Row(column.case, tuple(cells))


def mode_table(costs: Sequence[TrialCost], modelled: Sequence[TrialCost] = ()) -> Table:
    """Utilization by mode: in the machines (VIRTCPU), in CP for them, and wait."""
    found = [c for c in columns(costs) if c.has(lambda t: _mode(t, "CP"))]
    if not found:
        raise TableError("no trial has VIRTCPU, TOTCPU and elapsed time: no utilization by mode")
    other = {(c.table, c.case, c.release): c for c in columns(modelled)}
    sections = []
    for case in dict.fromkeys((c.table, c.case) for c in found):
        rows = []
        for column in (c for c in found if (c.table, c.case) == case):
            twin = other.get((column.table, column.case, column.release))
            for mode in ("Emulation", "CP", "Wait"):
                measure = _measure(mode)
                cells = [word(column.release), word(mode)]
                cells.append(_shown(column.values(measure), "%", _letters(column)))
                has = twin is not None and twin.has(measure)
                cells.append(
                    _shown(twin.values(measure), "%", _letters(twin)) if has and twin else word("-")
                )
                rows.append(Row(column.case, tuple(cells)))
        sections.append(Section("body", tuple(rows)))
    made = Table(
        "modes",
        "Utilization by mode",
        (Section("head", (Row("Case", tuple(word(h) for h in MODES)),)), *sections),
        (
            "Emulation is VIRTCPU of the machines named, CP is TOTCPU less VIRTCPU; CP's work for"
            " nobody is in Wait unless a SYSTEM part reports it.",
        ),
        tuple(left_out(costs)),
        keys=2,
    )
    return lettered(made)


def _measure(mode: str) -> Callable[[TrialCost], float | None]:
    return lambda cost: _mode(cost, mode)


def _mode(cost: TrialCost, mode: str) -> float | None:
    if cost.elapsed is None or cost.elapsed.value <= 0:
        return None
    whole = [p for p in cost.parts if p.machine == SYSTEM] or list(cost.parts)
    if any(p.cpu is None or p.virtual is None for p in whole):
        return None
    virtual = sum(p.virtual.value for p in whole if p.virtual)
    total = sum(p.cpu.value for p in whole if p.cpu)
    share = {"Emulation": virtual, "CP": total - virtual,
             "Wait": cost.trial.engines * cost.elapsed.value - total}[mode]  # fmt: skip
    return 100 * share / cost.elapsed.value
