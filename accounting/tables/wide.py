# SPDX-License-Identifier: MIT
"""The wide table: us/KB with as many digits as the interval supports, one line per part.

Every trial counts; one that lies far from the others is named, never dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from accounting.costs import TrialCost
from accounting.stats import Estimate, places, ratio_places
from accounting.tables.group import (
    TOTAL,
    Measure,
    configuration,
    instr_kb,
    left_out,
    moved_kb,
    said,
)
from accounting.tables.lines import RATE, Comparison, Known, how_sure
from accounting.tables.release import marks
from accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    TableError,
    fixed,
    interval_cell,
    known,
    ratio_cell,
    word,
)

INTERVAL = "95 % interval"
HEADS = ("Release", "Part", "Mean", INTERVAL, "+/- %", "Ratio", f"{INTERVAL} of ratio",
         "instr/KB", "bytes moved/KB", "n", "Outliers")  # fmt: skip


def wide_table(
    costs: Sequence[TrialCost], comparison: Comparison, note: str = "", per: str = "KB"
) -> Table:
    """The wide table of all trials. COMPARISON: of COSTS, which are of PER."""
    found = comparison.columns
    if not found:
        why = left_out(costs)
        raise TableError(why[0] if why else "there are no finished trials to print")
    sections: list[Section] = []
    notes: list[str] = []
    points: dict[str, list[tuple[str | float, float, float, float]]] = {}
    dots: dict[str, list[tuple[str | float, float, float, float]]] = {}
    for case in dict.fromkeys((c.table, c.case) for c in found):
        rows = []
        for column in found:
            if (column.table, column.case) != case:
                continue
            # The rate is last here: what a kilobyte costs is what the table is for.
            for k in sorted(comparison.of(column), key=lambda k: k.line.label == RATE):
                rows.append(_row(k, per))
                if k.own.outliers:
                    notes.append(_outlier_sentence(k))
                if k.line.label != TOTAL:
                    continue
                own, compared = k.own, k.compared
                dots.setdefault(column.release, []).append((column.case, own.value, own.lo, own.hi))
                if compared is not None and compared.has_interval:
                    points.setdefault(column.release, []).append(
                        (column.case, compared.value, compared.lo, compared.hi)
                    )
        sections.append(Section("body", tuple(rows)))
    plots = [Plot("bars", f"Total CPU per {per}", f"us/{per}", _series(dots))]
    if points:
        title = f"Total CPU/{per}, ratio to base"
        plots.insert(0, Plot("intervals", title, "ratio", _series(points), 1.0))
    where = configuration(costs)
    rows = [r for s in sections for r in s.rows]
    notes = [*marks(rows), *how_sure(comparison), *notes]
    return Table(
        "wide",
        f"CPU per {per}, every trial counted",
        _without_empty(sections, per),
        tuple(x for x in (note, where and f"Configuration: {where}.", *notes, *said(costs)) if x),
        tuple(plots),
        keys=2,
    )


def _without_empty(sections: list[Section], per: str) -> tuple[Section, ...]:
    """Head and body without the columns in which no row says anything."""
    rows = [r for s in sections for r in s.rows]
    kept = [k for k in range(len(HEADS)) if any(r.cells[k].text != "-" for r in rows)]
    heads = [h.replace("/KB", f"/{per} (IC)") for h in HEADS]
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


def _row(k: Known, per: str) -> Row:
    own, source = k.own, k.source
    unit = k.line.unit
    if per != "KB":
        unit = f"{per}s/s" if k.line.label == RATE else f"us/{per}"
    ratio, interval = word("-"), word("-")
    if k.is_base:
        ratio = Cell("1.000", 1.0, "ratio", source)
    elif k.base is not None:
        ratio = ratio_cell(k.compared, source)
        if k.compared is not None:
            interval = interval_cell(k.compared, ratio_places(k.compared), "ratio", source)
    label = k.line.label
    counted, moved = (
        _count(k, measure(label), unit)
        for measure, unit in ((instr_kb, f"instr/{per}"), (moved_kb, f"B/{per}"))
    )
    cells = (
        word(k.column.release),
        word(f"{k.line.label} {unit} {source}"),
        known(own, unit, source, decimals=k.decimals),
        interval_cell(own, k.decimals, unit, source),
        word(_half(own)),
        ratio,
        interval,
        counted,
        moved,
        word(str(own.n)),
        word(" ".join(f"#{i + 1}" for i in own.outliers) or "-"),
    )
    return Row(k.column.case, cells)


def _count(k: Known, measure: Measure, unit: str) -> Cell:
    """What was counted for a KB; a dash for what has no count."""
    if k.line.label == RATE or not k.column.has(measure):
        return word("-")
    e = k.column.estimate(measure)
    return known(e, unit, "(IC)", decimals=places(e, most=1))


def _half(e: Estimate) -> str:
    """Half the interval, or of what the steps leave, in percent of the mean."""
    if e.n < 2 and e.lo == e.hi:
        return "-"
    return "-" if e.half_width_percent > 1e6 else f"{e.half_width_percent:.2f}"


def _outlier_sentence(k: Known) -> str:
    values, e = k.column.values(k.line.measure), k.own
    which = ", ".join(
        f"trial {i + 1} ({k.column.trials[i].trial.id}) with {fixed(values[i], k.decimals)}"
        for i in e.outliers
    )
    return (
        f"{k.column.case} {k.column.release} {k.line.label}: {which} lies far from the others, mean"
        f" {fixed(e.value, k.decimals)}, and is counted."
    )
