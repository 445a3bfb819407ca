# SPDX-License-Identifier: MIT
"""The table that the answer rests on: a line for each case, in words first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vmkb.accounting.analysis.answer import case_name, change, ends, release_name
from vmkb.accounting.analysis.rule import Change, Ruling
from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.digits import percent_places, significant
from vmkb.accounting.measures import TOTAL, VIRTUAL
from vmkb.accounting.models import Model
from vmkb.accounting.records import Source
from vmkb.accounting.stats import Estimate
from vmkb.accounting.tables.lines import Comparison, Known
from vmkb.accounting.tables.table import (
    EXACT,
    NO_INTERVAL,
    Cell,
    Plot,
    Row,
    Section,
    Table,
    header,
    known,
    word,
)

NAME = "answer"
INTERVAL = "95 % interval"
#: A line below a command's total.
_VIRTUAL = "  virtual"
#: Room for a release's name over its column.
_ROOM = 9


def verdict_table(
    spec: Specification, found: Comparison, rulings: Sequence[Ruling], model: Model | None
) -> Table | None:
    """Base, new, change, interval and verdict of each case; of one release what each case costs.
    None without costs."""
    rows = _changes(spec, found, rulings) if rulings else _costs(spec, found)
    if not rows:
        return None
    machine = f" of a {model.key}" if model is not None and not model.is_timer else ""
    title = f"CPU per {spec.unit}, microseconds{machine}"
    if found.columns[0].trials[0].source is Source.RM:
        title = "CPU of a command by Ready's T=virtual/total: seconds of CPU, not elapsed"
    heads: tuple[str, ...] = ("CPU", INTERVAL)
    several = len(rulings) > 1
    if rulings:
        new = ("release", "base", "new") if several else (
            _short(spec, rulings[0].base), _short(spec, rulings[0].release)
        )  # fmt: skip
        heads = (*new, "change", INTERVAL, "")
    head = header("", heads)
    plots = (_plot(spec, rulings),) if rulings else ()
    return Table(NAME, title, (head, Section("body", tuple(rows))), plots=plots, keys=int(several))


def _changes(spec: Specification, found: Comparison, rulings: Sequence[Ruling]) -> list[Row]:
    rows = []
    for ruling in rulings:
        shown = {c.known.column.key: c for c in ruling.changes}
        for column in found.columns:
            total = found.known(column, TOTAL)
            if column.release != ruling.release or total is None or total.base is None:
                continue
            names = (word(ruling.release),) if len(rulings) > 1 else ()
            costs = (_cost(found.known(total.base, TOTAL)), _cost(total))
            cells = (*names, *costs, *_verdict(shown.get(column.key), total.source))
            rows.append(Row(case_name(column.case, spec.cases), cells))
            if (part := found.known(column, VIRTUAL)) is not None:
                costs = (_cost(found.known(total.base, VIRTUAL)), _cost(part))
                rows.append(Row(_VIRTUAL, (*names, *costs, *_ratio(part.compared, part.source))))
    return rows


def _costs(spec: Specification, found: Comparison) -> list[Row]:
    return [
        Row(name, (_cost(k), word(_within(k.own))))
        for column in found.columns
        for label, name in ((TOTAL, case_name(column.case, spec.cases)), (VIRTUAL, _VIRTUAL))
        if (k := found.known(column, label)) is not None
    ]


def _cost(k: Known | None) -> Cell:
    """A cost with the digits of a number that stands for itself."""
    if k is None:
        return word("-")
    own, unit = k.printed
    return known(own, unit, k.source, decimals=significant(own))


def _ratio(e: Estimate | None, source: str) -> tuple[Cell, ...]:
    """The change of a part, with its own interval and without a verdict."""
    if e is None or not math.isfinite(e.hi):
        return word("-"), word(NO_INTERVAL), word("")
    sure = e.has_interval
    text = change(e.value, percent_places(50 * (e.hi - e.lo)) if sure else 1)
    value = Cell(text, e.value, "ratio", source, e.lo, e.hi, e.n)
    return value, word(ends(e.lo, e.hi) if sure else NO_INTERVAL), word("")


def _verdict(one: Change | None, source: str) -> tuple[Cell, ...]:
    if one is None:
        return word("-"), word(NO_INTERVAL), word("")
    sure = one.ratio.has_interval
    places = percent_places(50 * (one.hi - one.lo))
    if not sure:
        places = min(1, places)
    within = ends(one.lo, one.hi) if sure else NO_INTERVAL
    if one.ratio.exact and one.lo == one.hi:
        places, within = 2, EXACT
    ratio = one.ratio
    text = change(ratio.value, places) if math.isfinite(one.hi) else "-"
    value = Cell(text, ratio.value, "ratio", source, one.lo, one.hi, ratio.n)
    return value, word(within), word(one.verdict)


def _within(e: Estimate) -> str:
    if e.exact:
        return EXACT
    return f"+/- {e.half_width_percent:.2g} %" if e.has_interval else NO_INTERVAL


def _short(spec: Specification, release: str) -> str:
    """A release's name as the head of a column."""
    name = release_name(release, spec.releases)
    last = name.split()[-1].strip("()") if name.split() else name
    return next((x for x in (name, last) if len(x) <= _ROOM), release)


def _plot(spec: Specification, rulings: Sequence[Ruling]) -> Plot:
    """The changes with their intervals."""
    series = tuple(
        (
            release_name(ruling.release, spec.releases),
            tuple(
                (case_name(c.known.column.case, spec.cases), c.ratio.value, c.lo, c.hi)
                for c in ruling.changes
                if c.ratio.has_interval
            ),
        )
        for ruling in rulings
    )
    base = release_name(rulings[0].base, spec.releases)
    return Plot("intervals", f"CPU per {spec.unit}, ratio to {base}", "ratio", series, 1.0)
