# SPDX-License-Identifier: MIT
"""The wide table: us/KB with as many digits as the interval supports, one line per part.

Every trial counts; one that lies far from the others is named, never dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.digits import fixed
from vmkb.accounting.measures import TOTAL, Measure, instructions_of, moved_by, value
from vmkb.accounting.stats import Estimate
from vmkb.accounting.tables.group import configuration, left_out, said
from vmkb.accounting.tables.lines import RATE, Comparison, Known, how_sure
from vmkb.accounting.tables.listing import Columns, Shown, listing, series
from vmkb.accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    TableError,
    in_words,
    interval_cell,
    known,
    printed,
    ratio_cell,
)

INTERVAL = "95 % interval"
#: Decimals beyond those of the table that may tell an outlier from the mean.
MORE = 6


def wide_table(costs: Sequence[TrialCost], comparison: Comparison, note: str = "") -> Table:
    """The wide table of all trials. COMPARISON: of COSTS."""
    # The rate is last here: what a kilobyte costs is what the table is for.
    rows = [
        k
        for c in comparison.columns
        for k in sorted(comparison.of(c), key=lambda k: k.line.label == RATE)
    ]
    if not rows:
        why = left_out(costs)
        raise TableError(why[0] if why else "there are no finished trials to print")
    totals, per = [k for k in rows if k.line.label == TOTAL], rows[0].column.per
    dots = series((k.column.release, k.column.case, k.own) for k in totals)
    points = series(
        (k.column.release, k.column.case, k.compared)
        for k in totals
        if k.compared is not None and k.compared.has_interval
    )
    plots = [Plot("bars", f"Total CPU per {per}", f"us/{per}", dots)]
    if points:
        plots.insert(0, Plot("intervals", f"Total CPU/{per}, ratio to base", "ratio", points, 1.0))
    where = configuration(costs)
    notes = [
        *([note] if note else []), *([f"Configuration: {where}."] if where else []),
        *how_sure(comparison), *(x for k in rows for x in _outliers(k)),
        *said(costs),
    ]  # fmt: skip
    made = listing("wide", f"CPU per {per}, every trial counted", rows, _columns(per), notes,
                   by=lambda k: (k.column.table, k.column.case), keys=2, plots=plots,
                   lettering=False)  # fmt: skip
    assert made is not None
    return _without_empty(made)


def _without_empty(table: Table) -> Table:
    """TABLE without the columns in which no row says anything."""
    rows = [r for s in table.body for r in s.rows]
    kept = [k for k in range(len(table.columns)) if any(r.cells[k].text != "-" for r in rows)]
    return replace(table, sections=tuple(
        Section(s.kind, tuple(Row(r.label, tuple(r.cells[k] for k in kept)) for r in s.rows))
        for s in table.sections
    ))  # fmt: skip


def _columns(per: str) -> Columns[Known]:
    return [
        ("Case", lambda k: k.column.case),
        ("Release", lambda k: k.column.release),
        ("Part", lambda k: k.line.label),
        ("Mean of", lambda k: f"{k.unit} {k.source}"),
        ("Mean", lambda k: known(k.own, k.unit, k.source, decimals=k.decimals)),
        (INTERVAL, lambda k: interval_cell(k.own, k.unit, k.source, k.decimals)),
        ("Half width %", lambda k: _half(k.own, k.source)),
        ("Ratio", _ratio),
        (f"{INTERVAL} of ratio", _within),
        (f"{in_words(f'instr/{per}')} (IC)", lambda k: _count(k, instructions_of(k.line.label))),
        (f"moved B/{per} (IC)", lambda k: _count(k, moved_by(k.line.label))),
        ("n", lambda k: str(k.own.n)),
        ("Outliers", lambda k: " ".join(f"#{i + 1}" for i in k.own.outliers) or None),
    ]


def _ratio(k: Known) -> Shown:
    if k.is_base:
        return Cell("1.000", 1.0, "ratio", k.source)
    return None if k.base is None else ratio_cell(k.compared, k.source)


def _within(k: Known) -> Shown:
    if k.is_base or k.compared is None:
        return None
    return interval_cell(k.compared, "ratio", k.source)


def _count(k: Known, measure: Measure) -> Shown:
    """A count for each KB or event; a dash where there is none."""
    return None if k.line.label == RATE else value(measure)(k.column.trials)


def _half(e: Estimate, source: str) -> Shown:
    """Half the interval, or of what the steps leave, in percent of the mean."""
    if e.n < 2 and e.lo == e.hi or e.half_width_percent > 1e6:
        return None
    return printed(e.half_width_percent, "%", source)


def _outliers(k: Known) -> list[str]:
    """A sentence for each trial far from the others, with the digits that tell it from the mean."""
    values, told = k.column.values(k.line.measure), []
    for i in k.own.outliers:
        texts = next((t for places in range(k.decimals, k.decimals + MORE)
                      if len(set(t := (fixed(values[i], places), fixed(k.own.value, places)))) > 1),
                     None)  # fmt: skip
        if texts is not None:
            told.append(
                f"{k.column.case} {k.column.release} {k.line.label}: trial {i + 1}"
                f" ({k.column.trials[i].trial.id}) with {texts[0]} lies far from the others, mean"
                f" {texts[1]}, and is counted."
            )
    return told
