# SPDX-License-Identifier: MIT
"""The release table in the layout of the z/VM reports.

Columns are runs; absolute values above, ratios to the base release below. Measured figures have the
digits that are known, and the ratio is that of the trials. Somebody's printed figures keep their
decimals: Total is the sum of the printed parts and a ratio that of the printed values, which
reproduces every cell of the published tables (tests/accounting/test_published.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.digits import fixed, step_places
from vmkb.accounting.measures import TOTAL, throughput
from vmkb.accounting.records import Source
from vmkb.accounting.tables.group import Column, base_of, configuration, left_out, letters_of, said
from vmkb.accounting.tables.lines import RATE, Comparison, Known, how_sure, lines_of
from vmkb.accounting.tables.listing import marks
from vmkb.accounting.tables.table import (
    Cell,
    Row,
    Section,
    Table,
    TableError,
    known,
    ratio_cell,
    scaled,
    word,
)
from vmkb.accounting.units import KB, factor

#: From this Total on, in us/KB, a table is in milliseconds.
MSEC_FROM = 100.0


def release_tables(
    costs: Sequence[TrialCost],
    comparison: Comparison,
    *,
    base: str = "",
    note: str = "",
) -> list[Table]:
    """One release table for each table title among the trials, in order. COMPARISON: of
    COSTS."""
    columns = list(comparison.columns)
    if not columns:
        why = left_out(costs)
        raise TableError(why[0] if why else "there are no finished trials to print")
    made, per = [], columns[0].per
    for k, title in enumerate(dict.fromkeys(c.table for c in columns), start=1):
        every = comparison.table(title)
        mine = list(every.columns)
        theirs = [c for c in costs if c.trial.table == title]
        if all(c.source is Source.PB for c in theirs):
            absolute, ratios = _as_printed(mine, base)
            notes = ["Printed figures: a ratio is that of the printed values."]
        else:
            absolute, ratios = _measured(mine, every, per)
            notes = [*marks([*absolute, *ratios]), *how_sure(every)]
        where = configuration(theirs)
        notes = [note, where and f"Configuration: {where}.", *notes, *said(theirs)]
        sections = [Section("head", _head(mine, per)), Section("absolute", tuple(absolute))]
        if len({c.release for c in mine}) > 1:
            sections.append(Section("ratio", tuple(ratios)))
        made.append(
            Table(
                f"release-{k}", title or "Release table", tuple(sections),
                tuple(dict.fromkeys(n for n in notes if n)),
            )
        )  # fmt: skip
    return made


def _head(columns: list[Column], per: str) -> tuple[Row, ...]:
    head = [Row("Run Id", tuple(word(c.head) for c in columns))]
    if len({c.mode for c in columns}) > 1:
        head.append(Row("Mode", tuple(word(c.mode) for c in columns)))
    systems = any("title" in t.trial.params for c in columns for t in c.trials)
    what = "System" if systems else "TCP/IP Release" if per == KB else "Release"
    head.append(Row(what, tuple(word(c.release) for c in columns)))
    return tuple(head)


def in_msec(lines: Sequence[Known]) -> bool:
    """Whether CPU/KB of these lines is printed in milliseconds: hundredths of seconds, and costs
    that are no small part of one.
    """
    totals = [k.own for k in lines if k.line.label == TOTAL]
    return (
        any(e.coarse for e in totals)
        or min((e.value for e in totals), default=math.inf) >= MSEC_FROM
    )


def _measured(columns: list[Column], every: Comparison, per: str) -> tuple[list[Row], list[Row]]:
    msec = in_msec(list(every.lines.values()))
    unit = f"{'ms' if msec else 'us'}/{per}"
    absolute, ratios = [], []
    said_unit = " (msec)" if msec else " (usec)"
    for line in lines_of(columns):
        mine = [every.known(c, line.label) for c in columns]
        first = next(k for k in mine if k)
        speed = line.label == RATE
        name = f"{line.label} CPU/{per}{said_unit} {first.source}"
        if speed:
            name = f"Rate ({first.unit}ec) {first.source}"
        wanted = first.unit if speed else unit
        absolute.append(Row(name, tuple(_absolute(k, wanted) for k in mine)))
        label = name if speed else f"{line.label} CPU/{per} {first.source}"
        ratios.append(Row(label, tuple(map(_ratio, mine))))
        if not speed:
            said_unit = ""
    return absolute, ratios


def _absolute(k: Known | None, unit: str) -> Cell:
    if k is None:
        return word("-")
    by = factor(k.unit, unit)
    return known(scaled(k.own, by), unit, k.source, decimals=k.decimals - round(math.log10(by)))


def _ratio(k: Known | None) -> Cell:
    if k is None or k.base is None:
        return word("-")
    if k.is_base:
        return Cell("1.000", 1.0, "ratio", k.source)
    return ratio_cell(k.compared, k.source)


def _as_printed(columns: list[Column], base: str) -> tuple[list[Row], list[Row]]:
    """Rows of printed figures: nothing but their own digits."""
    absolute: list[Row] = []
    sums = [Decimal(0)] * len(columns)
    unit = " (msec)"
    for line in lines_of(columns):
        if line.label == TOTAL:
            continue
        speed = line.measure is throughput
        source = letters_of(columns, line.measure)
        cells = []
        for k, column in enumerate(columns):
            if not column.has(line.measure):
                cells.append(word("-"))
                continue
            (figure, *_) = column.figures(line.measure)
            value, tick = (
                (figure.value, figure.tick) if speed else (figure.value / 1000, figure.tick / 1000)
            )
            text = fixed(value, step_places(tick))
            cells.append(Cell(text, float(text), "KB/s" if speed else "ms/KB", source, n=1))
            if not speed:
                sums[k] += Decimal(text)
        name = f"Rate (KB/sec) {source}" if speed else f"{line.label} CPU/KB{unit} {source}"
        unit = unit if speed else ""
        absolute.append(Row(name, tuple(cells)))
    source = letters_of(columns, lines_of(columns)[-1].measure)
    total = tuple(Cell(f"{x:f}", float(x), "ms/KB", source, n=1) for x in sums)
    absolute.append(Row(f"Total CPU/KB{unit} {source}", total))
    ratios = []
    for row in absolute:
        cells = [_printed_ratio(row, k, columns, base) for k in range(len(columns))]
        ratios.append(Row(row.label.replace(" (msec)", ""), tuple(cells)))
    return absolute, ratios


def _printed_ratio(row: Row, k: int, columns: list[Column], base: str) -> Cell:
    other = base_of(columns[k], columns, base)
    if other is None or not row.cells[k].number:
        return word("-")
    below = row.cells[columns.index(other)]
    if not below.number or Decimal(below.text) == 0:
        return word("-")
    x = Decimal(row.cells[k].text) / Decimal(below.text)
    return Cell(fixed(float(x), 3), float(x), "ratio", row.cells[k].source)
