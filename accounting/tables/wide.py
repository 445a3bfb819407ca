# SPDX-License-Identifier: MIT
"""The wide table: us/KB with as many digits as the interval supports, one line per part.

Every trial counts; one that lies far from the others is named, never dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from accounting.costs import TrialCost
from accounting.stats import (
    WIDTH_TARGET,
    Estimate,
    StatsError,
    decimals,
    sign_confidence,
)
from accounting.tables.group import (
    Column,
    Measure,
    base_of,
    columns,
    configuration,
    left_out,
    letters,
    paired,
    part_us_kb,
    rate_kb_s,
    ratio,
    said,
    total_us_kb,
)
from accounting.tables.release import wide_sentence
from accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    TableError,
    estimated,
    fixed,
    range_cell,
    word,
)

HEADS = ("Release", "Part", "Median", "95 % interval", "+/- %", "Ratio", "of ratio",
         "instr/KB", "n", "Outliers")  # fmt: skip


def instr_kb(label: str) -> Measure:
    """Instructions per KB of one part."""

    def measure(cost: TrialCost) -> float | None:
        part = next((p for p in cost.parts if p.label == label), None)
        if part is None or part.instructions is None or not cost.data or cost.data.value <= 0:
            return None
        return 1024 * part.instructions.value / cost.data.value

    return measure


def total_instr_kb(cost: TrialCost) -> float | None:
    """Instructions per KB of all parts."""
    found = [instr_kb(p.label)(cost) for p in cost.parts]
    return None if any(x is None for x in found) else sum(x for x in found if x is not None)


def _tick(column: Column, label: str) -> float:
    """The largest clock step of a part in us/KB."""
    ticks = [
        p.per_kb.tick for c in column.trials for p in c.parts if p.label == label and p.per_kb
    ]
    return max(ticks, default=0.0)


def wide_table(
    costs: Sequence[TrialCost],
    *,
    base: str = "",
    target: float = WIDTH_TARGET,
    note: str = "",
    judge: bool = True,
) -> Table:
    """The wide table of all trials. JUDGE: an interval that misses TARGET is a doubt."""
    found = columns(costs)
    if not found:
        why = left_out(costs)
        raise TableError(why[0] if why else "there are no finished trials to print")
    sections: list[Section] = []
    notes, doubts, apart = [], list(left_out(costs)), []
    points: dict[str, list[tuple[str | float, float, float, float]]] = {}
    dots: dict[str, list[tuple[str | float, float, float, float]]] = {}
    for case in dict.fromkeys((c.table, c.case) for c in found):
        rows = []
        for column in (c for c in found if (c.table, c.case) == case):
            below = base_of(column, found, base)
            for label, measure, instructions, tick in _lines(column):
                row, compared, own = _row(column, below, label, measure, instructions, tick)
                rows.append(row)
                if own.outliers:
                    notes.append(_outlier_sentence(column, label, own))
                if measure is not total_us_kb:
                    continue
                dots.setdefault(column.release, []).append(
                    (column.case, own.value, own.lo, own.hi)
                )
                alone = [c for c in found if (c.table, c.case) == case] == [column]
                judged = compared or (own if alone and own.n > 1 else None)
                if compared:
                    points.setdefault(column.release, []).append(
                        (column.case, compared.value, compared.lo, compared.hi)
                    )
                    if below is not None and compared.n > 1 and not paired(below, column):
                        apart.append(f"{column.case} {column.release}")
                if judged and judge and judged.half_width_percent > target:
                    doubts.append(wide_sentence(column, judged, target))
        sections.append(Section("body", tuple(rows)))
    if apart:
        notes.append(
            f"Not interleaved with the base, so the ratio is of the two medians and what changed"
            f" on the host is in it: {', '.join(apart)}."
        )
    fewest = min(len(c.trials) for c in found)
    if fewest == 1:
        notes.append("One trial: there is no interval.")
    elif fewest < 5:
        notes.append(
            f"{fewest} trials: the interval is their whole range and has"
            f" {100 * sign_confidence(fewest, 1):.0f} % confidence, not 95 %."
        )
    if any("~" in c.text for s in sections for r in s.rows for c in r.cells):
        notes.append("~: the interval of the ratio covers 1.")
    plots = [Plot("bars", "Total CPU per KB", "us/KB", _series(dots))]
    if points:
        plots.append(
            Plot("intervals", "Total CPU/KB, ratio to base", "ratio", _series(points), 1.0)
        )
    where = configuration(costs)
    return Table(
        "wide",
        "CPU per KB, every trial counted",
        _without_empty(sections),
        tuple(x for x in (note, where and f"Configuration: {where}.", *notes, *said(costs)) if x),
        tuple(doubts),
        tuple(plots),
        keys=2,
    )


def _without_empty(sections: list[Section]) -> tuple[Section, ...]:
    """Head and body without the columns in which no row says anything."""
    rows = [r for s in sections for r in s.rows]
    kept = [k for k in range(len(HEADS)) if any(r.cells[k].text != "-" for r in rows)]
    heads = [h + " (IC)" if h == "instr/KB" else h for h in HEADS]
    head = Section("head", (Row("Case", tuple(word(heads[k]) for k in kept)),))
    body = (
        Section(s.kind, tuple(Row(r.label, tuple(r.cells[k] for k in kept)) for r in s.rows))
        for s in sections
    )
    return (head, *body)


def _series(
    points: dict[str, list[tuple[str | float, float, float, float]]],
) -> tuple[tuple[str, tuple[tuple[str | float, float, float, float], ...]], ...]:
    return tuple((name, tuple(found)) for name, found in points.items())


def _lines(column: Column) -> list[tuple[str, Measure, Measure | None, float]]:
    """Parts, total and rate of a column: label, measure, instruction measure, clock step."""
    lines: list[tuple[str, Measure, Measure | None, float]] = [
        (label, part_us_kb(label), instr_kb(label), _tick(column, label))
        for label in column.labels
        if column.has(part_us_kb(label))
    ]
    if lines:
        step = sum(x[3] for x in lines)
        lines.append(("Total", total_us_kb, total_instr_kb, step))
    if column.has(rate_kb_s):
        lines.append(("Rate", rate_kb_s, None, 0.0))
    return lines


def _row(
    column: Column,
    below: Column | None,
    label: str,
    measure: Measure,
    instructions: Measure | None,
    tick: float,
) -> tuple[Row, Estimate | None, Estimate]:
    speed = measure is rate_kb_s
    source = letters(
        [column],
        (lambda c: c.rate.letters if c.rate else None)
        if speed
        else (lambda c: next((p.per_kb.letters for p in c.parts if p.per_kb), None)),
    )
    own = column.estimate(measure, tick)
    places = 1 if speed else decimals(own, tick)
    unit = "KB/s" if speed else "us/KB"
    compared: Estimate | None = None
    ratio_cell, interval = word("-"), word("-")
    if below is column:
        ratio_cell = Cell("1.000", 1.0, "ratio", source)
    elif below is not None:
        try:
            compared = ratio(below, column, measure)
        except (StatsError, TableError):
            compared = None
        if compared is not None:
            digits = max(3, decimals(compared, most=5))
            mark = "~" if compared.n > 1 and compared.covers(1) else ""
            ratio_cell = estimated(compared, digits, "ratio", source, mark)
            interval = range_cell(compared, digits, "ratio", source)
    counted = word("-")
    if instructions is not None and column.has(instructions):
        counts = column.estimate(instructions)
        counted = estimated(counts, decimals(counts, most=1), "instr/KB", "(IC)")
    width = own.half_width_percent
    cells = (
        word(column.release),
        word(f"{label} {unit} {source}"),
        estimated(own, places, unit, source),
        range_cell(own, places, unit, source),
        word(f"{width:.2f}" if own.n > 1 else "-"),
        ratio_cell,
        interval,
        counted,
        word(str(own.n)),
        word(" ".join(f"#{i + 1}" for i in own.outliers) or "-"),
    )
    return Row(column.case, cells), compared, own


def _outlier_sentence(column: Column, label: str, e: Estimate) -> str:
    rate = label == "Rate"
    values = column.values(rate_kb_s if rate else
                           total_us_kb if label == "Total" else part_us_kb(label))  # fmt: skip
    which = ", ".join(
        f"trial {i + 1} ({column.trials[i].trial.id}) with {fixed(values[i], 3)}"
        for i in e.outliers
    )
    return (
        f"{column.case} {column.release} {label}: {which} lies far from the median"
        f" {fixed(e.value, 3)} and is counted."
    )
