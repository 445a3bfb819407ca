# SPDX-License-Identifier: MIT
"""What the tables of a comparison print: each line of each column with what is known of it.

One way for every table: costs are put into columns (accounting.tables.group), a line of a column
is an estimate of its trials' figures and one of the ratio to the base, and a table only chooses
which of them it shows and where.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accounting.costs import CP_ITSELF, SYSTEM
from accounting.counter import BUILD, build_note
from accounting.records import Source
from accounting.stats import WIDTH_TARGET, Estimate, StatsError
from accounting.tables.group import (
    TOTAL,
    Column,
    Measure,
    base_of,
    letters_of,
    paired,
    part_us_kb,
    rate_kb_s,
    ratio,
    total_us_kb,
)
from accounting.tables.table import NO_INTERVAL, TableError, fixed, pair_places

#: Half width in percent from which a rate is in doubt, whatever the target for CPU is.
RATE_TARGET = 20.0

RATE = "Rate"


@dataclass(frozen=True)
class Line:
    """One printed line: Rate in KB/s, a part or the Total in us/KB."""

    label: str
    measure: Measure
    unit: str


@dataclass(frozen=True)
class Known:
    """A line of one column. compared: the ratio to `base`, None where none can be made.

    decimals: of the value, shared with the other releases of the case.
    """

    column: Column
    line: Line
    own: Estimate
    base: Column | None
    compared: Estimate | None
    source: str
    decimals: int = 0

    @property
    def of_cp(self) -> bool:
        """True for CP's own work for nobody. How much that is depends on how late the host is."""
        parts = (p for t in self.column.trials for p in t.parts)
        return any(p.label == self.line.label and p.machine == CP_ITSELF for p in parts)

    @property
    def is_base(self) -> bool:
        """True in the column that the others of its case are compared with."""
        return self.base is self.column


def lines_of(found: Sequence[Column]) -> list[Line]:
    """Rate, parts and Total: those that some column has, in printed order."""
    labels = list(dict.fromkeys(x for c in found for x in c.labels))
    system = {
        p.label for c in found for t in c.trials for p in t.parts if p.machine == SYSTEM
    }  # the whole system is no part
    made = [Line(RATE, rate_kb_s, "KB/s")]
    made += [Line(x, part_us_kb(x), "us/KB") for x in labels if x not in system]
    made.append(Line(TOTAL, total_us_kb, "us/KB"))
    return [x for x in made if any(c.has(x.measure) for c in found)]


def known_lines(found: Sequence[Column], base: str = "") -> dict[tuple[int, str], Known]:
    """Every line that a column has, by the column's place in FOUND and the line's label."""
    lines = lines_of(found)
    made: dict[tuple[int, str], Known] = {}
    for line in lines:
        cpu = line.unit == "us/KB"
        sources = {
            table: letters_of(
                [c for c in found if c.table == table and (cpu or c.has(line.measure))],
                line.measure,
            )
            for table in dict.fromkeys(c.table for c in found)
        }
        for k, column in enumerate(found):
            if not column.has(line.measure):
                continue
            below = base_of(column, found, base)
            compared = None
            if below is not None and below is not column and _like(line, below, column):
                compared = _compared(below, column, line)
            own = column.estimate(line.measure)
            made[k, line.label] = Known(column, line, own, below, compared, sources[column.table])
    return _with_decimals(found, made)


def _like(line: Line, base: Column, new: Column) -> bool:
    """False for Totals of other parts, which are no two measurements of one thing."""
    return line.label != TOTAL or set(base.labels) == set(new.labels)


def _compared(base: Column, new: Column, line: Line) -> Estimate | None:
    if not base.has(line.measure):
        return None
    try:
        return ratio(base, new, line.measure, line.label)
    except (StatsError, TableError):
        return None


def _with_decimals(
    found: Sequence[Column], made: dict[tuple[int, str], Known]
) -> dict[tuple[int, str], Known]:
    """One number of decimals for a line in all releases of a case."""
    groups: dict[tuple[str, str, str], list[tuple[int, str]]] = {}
    for k, label in made:
        groups.setdefault((found[k].table, found[k].case, label), []).append((k, label))
    done = {}
    for keys in groups.values():
        places = pair_places(made[k].own for k in keys)
        for key in keys:
            old = made[key]
            done[key] = Known(old.column, old.line, old.own, old.base, old.compared, old.source,
                              places)  # fmt: skip
    return {key: done[key] for key in made}


def misses(found: Iterable[Known], target: float = WIDTH_TARGET) -> list[str]:
    """A sentence for each column with figures that make its result one not to be trusted.

    Every figure beyond TARGET percent is marked where it stands; these are those that put what a
    kilobyte costs in doubt. A part is judged by what it does to the Total: what is not known of a
    part that is a fiftieth may be fifty times as much. A rate is the host's affair, which other
    work on it moves: it is in doubt from RATE_TARGET on.
    """
    found = list(found)
    totals = {
        (k.column.head, k.column.release): k.own.value for k in found if k.line.label == TOTAL
    }
    rates = max(target, RATE_TARGET)
    wide: dict[tuple[str, str], dict[str, str]] = {}
    for k in found:
        head = (k.column.head, k.column.release)
        limit, share, said = target, 1.0, f"{target:g} %"
        if k.line.label == RATE:
            limit, said = rates, f"{rates:g} % for rates"
        elif totals.get(head, 0) > 0:
            share = min(1.0, abs(k.own.value) / totals[head])
        for what, e in ((k.line.label, k.own), (f"ratio of {k.line.label}", k.compared)):
            if e is not None and e.too_wide(limit / share if share else math.inf):
                wide.setdefault(head, {})[f"{what} +/- {_percent(e)}"] = said
    return [
        f"{head} {release}: wider than the target of {' and '.join(dict.fromkeys(which.values()))}:"
        f" {', '.join(which)}: run more"
        " trials or more bytes per trial, or accept it: report and compare take --accept"
        for (head, release), which in wide.items()
    ]


def _percent(e: Estimate) -> str:
    half = e.half_width_percent
    return f"{fixed(half, 1)} %" if half < 1e6 else "without limit"


def _of_builds(ratios: Sequence[Known]) -> list[str]:
    """What the builds do to ratios of counts."""
    counted = [k for k in ratios if Source.IC in k.column.figures(k.line.measure)[0].sources]
    found = dict.fromkeys(
        build_note(c.trial.meta, len({t.trial.params.get(BUILD, "1") for t in k.column.trials}))
        for k in counted
        for c in k.column.trials[:1]
    )
    return [f"{note[:1].upper()}{note[1:]}." for note in found if note]


def how_sure(found: Sequence[Known]) -> list[str]:
    """Notes: what ~ means, which ratios are not of pairs, where there is no interval and why."""
    notes = []
    ratios = [k for k in found if k.compared is not None]
    if any(k.compared.has_interval and k.compared.covers(1) for k in ratios if k.compared):
        notes.append("~: the interval of the ratio covers 1.")
    apart = dict.fromkeys(
        f"{k.column.head} {k.column.release}".strip()
        for k in ratios
        if k.base is not None and k.own.n > 1 and not paired(k.base, k.column)
    )
    if apart:
        notes.append(
            "Not interleaved with the base, so the ratio is of the two medians and what changed on"
            f" the host is in it: {', '.join(apart)}."
        )
    unlike = dict.fromkeys(
        f"{k.column.head} {k.column.release}".strip()
        for k in found
        if k.base is not None and not _like(k.line, k.base, k.column)
    )
    if unlike:
        notes.append(f"Total has other parts than the base's, so there is no ratio of them:"
                     f" {', '.join(unlike)}.")  # fmt: skip
    notes += _of_builds(ratios)
    few = sorted({len(k.column.trials) for k in found if len(k.column.trials) < 5})
    if few:
        numbers = " or ".join(map(str, few))
        notes.append(
            f"{numbers} trial{'' if few == [1] else 's'} of a case: {NO_INTERVAL}; 5 give one of"
            " 93.75 %, 6 one of 96.87 %."
        )
    return notes
