# SPDX-License-Identifier: MIT
"""The release table in the layout of the z/VM reports.

Columns are runs; Rate with one decimal, CPU/KB in msec with three; below, ratios to the base
release with three.  Total is the sum of the printed parts and a ratio is the ratio of the printed
values, which reproduces every cell of the published tables (tests/accounting/test_published.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from accounting.costs import SYSTEM, TrialCost
from accounting.stats import WIDTH_TARGET, Estimate, StatsError, median
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
from accounting.tables.table import Cell, Row, Section, Table, TableError, fixed, word

#: What the third decimal of CPU/KB is worth in msec; a coarser clock step is said.
THIRD_DECIMAL_MS = 0.0005


def release_tables(
    costs: Sequence[TrialCost],
    *,
    base: str = "",
    target: float = WIDTH_TARGET,
    note: str = "",
) -> list[Table]:
    """One release table for each table title among the trials, in order."""
    found = columns(costs)
    if not found:
        why = left_out(costs)
        raise TableError(why[0] if why else "there are no finished trials to print")
    titles = list(dict.fromkeys(c.table for c in found))
    made = []
    for k, title in enumerate(titles, start=1):
        mine = [c for c in found if c.table == title]
        theirs = [c for c in costs if c.trial.table == title]
        name = f"release-{k}"
        made.append(_one(name, title or "Release table", mine, theirs, base, target, note))
    return made


def _one(
    name: str,
    title: str,
    found: list[Column],
    costs: Sequence[TrialCost],
    base: str,
    target: float,
    note: str,
) -> Table:
    labels = list(dict.fromkeys(x for c in found for x in c.labels))
    counted = [x for x in labels if not _is_system(found, x)]
    measured: list[tuple[str, Measure, str]] = []
    if all(c.has(rate_kb_s) for c in found):
        source = letters(found, lambda c: c.rate.letters if c.rate else None)
        measured.append((f"Rate (KB/sec) {source}", rate_kb_s, source))
    cpu_source = letters(
        found, lambda c: next((p.per_kb.letters for p in c.parts if p.per_kb), None)
    )
    unit = " (msec)"
    for label in counted:
        measured.append((f"{label} CPU/KB{unit} {cpu_source}", part_us_kb(label), cpu_source))
        unit = ""
    absolute: list[Row] = []
    parts: list[list[Decimal | None]] = []
    for label, measure, source in measured:
        speed = measure is rate_kb_s
        cells = [_absolute(c, measure, speed, source) for c in found]
        absolute.append(Row(label, tuple(cells)))
        if not speed:
            parts.append([Decimal(c.text) if c.number else None for c in cells])
    total_label = f"Total CPU/KB{unit} {cpu_source}"
    sums = [sum((x for x in column if x is not None), Decimal(0)) for column in zip(*parts)]  # noqa: B905
    absolute.append(
        Row(total_label, tuple(Cell(f"{x:.3f}", float(x), "ms/KB", cpu_source) for x in sums))
    )
    measured.append((total_label, total_us_kb, cpu_source))
    ratios, doubts, notes = _ratios(found, absolute, measured, base, target)
    notes = [*_coarse(found), *notes]
    head = [Row("Run Id", tuple(word(c.head) for c in found))]
    if len({c.mode for c in found}) > 1:
        head.append(Row("Mode", tuple(word(c.mode) for c in found)))
    head.append(Row("TCP/IP Release", tuple(word(c.release) for c in found)))
    where = configuration(costs)
    return Table(
        name,
        title,
        (
            Section("head", tuple(head)),
            Section("absolute", tuple(absolute)),
            Section("ratio", tuple(ratios)),
        ),
        tuple(n for n in (note, where and f"Configuration: {where}.", *notes, *said(costs)) if n),
        (*left_out(costs), *doubts),
    )


def _is_system(found: list[Column], label: str) -> bool:
    return any(
        p.machine == SYSTEM for c in found for t in c.trials for p in t.parts if p.label == label
    )


def _absolute(column: Column, measure: Measure, speed: bool, source: str) -> Cell:
    if not column.has(measure):
        return word("-")
    if speed:
        x = median(column.values(measure))
        return Cell(fixed(x, 1), x, "KB/s", source, n=len(column.trials))
    x = median(column.values(measure)) / 1000
    return Cell(fixed(x, 3), x, "ms/KB", source, n=len(column.trials))


def _ratios(
    found: list[Column],
    absolute: list[Row],
    measured: list[tuple[str, Measure, str]],
    base: str,
    target: float,
) -> tuple[list[Row], list[str], list[str]]:
    """Ratio rows from printed values; intervals, doubts and notes from the trials."""
    rows, doubts, notes = [], [], []
    for row, (label, measure, source) in zip(absolute, measured, strict=True):
        cells = []
        for k, column in enumerate(found):
            other = base_of(column, found, base)
            if other is None or not row.cells[k].number:
                cells.append(word("-"))
                continue
            below = Decimal(row.cells[found.index(other)].text)
            if below == 0:
                cells.append(word("-"))
                notes.append(
                    f"{label.strip()}: the base {other.head} prints 0, so there is no ratio; the"
                    " wide layout has more digits"
                )
                continue
            x = Decimal(row.cells[k].text) / below
            estimate = None if column is other else _interval(other, column, measure)
            cells.append(_ratio_cell(x, estimate, source))
            if estimate and measure is total_us_kb and estimate.half_width_percent > target:
                doubts.append(wide_sentence(column, estimate, target))
            if estimate and measure is total_us_kb:
                notes += _trial_notes(other, column, estimate)
        rows.append(Row(label.replace(" (msec)", ""), tuple(cells)))
    if any(c.text.endswith("~") for r in rows for c in r.cells):
        notes.append("~: the interval of the ratio covers 1.")
    return rows, doubts, list(dict.fromkeys(notes))


def _interval(base: Column, new: Column, measure: Measure) -> Estimate | None:
    if min(len(base.trials), len(new.trials)) < 2:
        return None
    try:
        return ratio(base, new, measure)
    except StatsError:
        return None


def _ratio_cell(x: Decimal, e: Estimate | None, source: str) -> Cell:
    text = fixed(float(x), 3)
    if e is None:
        return Cell(text, float(x), "ratio", source)
    mark = "~" if e.covers(1) else ""
    return Cell(text + mark, float(x), "ratio", source, e.lo, e.hi, e.n, e.confidence)


def wide_sentence(column: Column, e: Estimate, target: float) -> str:
    """The loud sentence about an interval that misses its target."""
    return (
        f"{column.head} {column.release}: the interval of Total CPU/KB is +/-"
        f" {e.half_width_percent:.1f} %, wider than the target of {target:g} %: run more trials or"
        " more bytes per trial, or accept it with --accept"
    )


def _trial_notes(base: Column, new: Column, e: Estimate) -> list[str]:
    notes = []
    if not paired(base, new):
        notes.append(
            f"{base.head} and {new.head} were not run interleaved: what changed on the host"
            " between them is in the ratio"
        )
    if e.few:
        notes.append(
            f"{new.head}: {e.n} trials; the range shown has {100 * e.confidence:.0f} %"
            " confidence, five trials would have 94 %"
        )
    return notes


def _coarse(found: list[Column]) -> list[str]:
    """Says where the clock's step is coarser than the third decimal."""
    said_of = []
    for column in found:
        ticks = [p.per_kb.tick / 1000 for c in column.trials for p in c.parts if p.per_kb]
        sizes = [c.data.value / 1024 for c in column.trials if c.data]
        if sizes and ticks and max(ticks) > THIRD_DECIMAL_MS:
            said_of.append(
                f"{column.head}: with {min(sizes):,.0f} KB a run the clock's step is"
                f" {max(ticks):.4f} msec/KB, so the third decimal is not certain; see the wide"
                " layout"
            )
    return said_of
