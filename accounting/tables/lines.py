# SPDX-License-Identifier: MIT
"""The lines of a comparison: each line of each column with what is known of it.

One way for every table: costs are put into columns (accounting.tables.group), a line of a column
is an estimate of its trials' figures and one of the ratio to the base, and a table only chooses
which of them it shows and where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vmkb.accounting.costs import SYSTEM, TrialCost
from vmkb.accounting.digits import pair_places
from vmkb.accounting.measures import (
    TOTAL,
    VIRTUAL,
    Measure,
    measured,
    part_cpu,
    throughput,
    total_cpu,
    virtual_cpu,
)
from vmkb.accounting.records import Source
from vmkb.accounting.stats import Estimate, Luck, StatsError
from vmkb.accounting.tables.group import Column, base_of, columns, letters_of, paired, ratio
from vmkb.accounting.tables.table import NO_INTERVAL, TableError, scaled
from vmkb.accounting.units import factor

RATE = "Rate"

#: What builds do, by case and row.
Lucks = Mapping[str, Mapping[str, Luck]]
#: Key of a column, label of a line.
Key = tuple[tuple[str, str, str], str]


@dataclass(frozen=True)
class Line:
    """One printed line: Rate, a part or the Total."""

    label: str
    measure: Measure


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
    unit: str = ""

    @property
    def is_base(self) -> bool:
        """True in the column that the others of its case are compared with."""
        return self.base is self.column

    @property
    def of_command(self) -> bool:
        """Whether it is of a command, by its Ready message."""
        return self.column.trials[0].source is Source.RM

    @property
    def printed(self) -> tuple[Estimate, str]:
        """Its value in the unit of sentences and of the answer's table, and that unit: a Ready
        message is in seconds, all else in microseconds."""
        unit = f"s/{self.column.per}" if self.of_command else self.unit
        return scaled(self.own, factor(self.unit, unit)), unit


@dataclass(frozen=True)
class Comparison:
    """Columns of costs, and what is known of each of their lines."""

    columns: tuple[Column, ...]
    lines: Mapping[Key, Known]

    def known(self, column: Column, label: str) -> Known | None:
        """The line LABEL of COLUMN, if it has it."""
        return self.lines.get((column.key, label))

    def of(self, column: Column) -> list[Known]:
        """The lines of COLUMN in printed order."""
        return [k for (key, _), k in self.lines.items() if key == column.key]

    def table(self, title: str) -> Comparison:
        """Those of the table TITLE."""
        mine = tuple(c for c in self.columns if c.table == title)
        keys = {c.key for c in mine}
        return Comparison(mine, {k: v for k, v in self.lines.items() if k[0] in keys})


def compared(
    costs: Sequence[TrialCost], base: str = "", luck: Lucks | None = None, built: bool = False
) -> Comparison:
    """COSTS in columns, each beside release BASE (or the first). LUCK: what builds do; BUILT:
    releases are programs that we built, so that one build of each is no interval by itself."""
    found = columns(costs)
    lucks = luck or {}
    made: dict[Key, Known] = {}
    for line in lines_of(found):
        cpu = line.label != RATE
        sources = {
            table: letters_of(
                [c for c in found if c.table == table and (cpu or c.has(line.measure))],
                line.measure,
            )
            for table in dict.fromkeys(c.table for c in found)
        }
        for column in found:
            if not column.has(line.measure):
                continue
            below = base_of(column, found, base)
            ratio_to = None
            if below is not None and below is not column and _like(line, below, column):
                known_luck = lucks.get(column.case, {}).get(line.label)
                ratio_to = _ratio(below, column, line, known_luck, built)
            own, unit, _ = measured(column.trials, line.measure)
            made[column.key, line.label] = Known(
                column, line, own, below, ratio_to, sources[column.table], unit=unit
            )
    return Comparison(tuple(found), _with_decimals(made))


def lines_of(found: Sequence[Column]) -> list[Line]:
    """Rate, parts, Virtual and Total: those that some column has, in printed order."""
    labels = list(dict.fromkeys(x for c in found for x in c.labels))
    system = {
        p.label for c in found for t in c.trials for p in t.parts if p.machine == SYSTEM
    }  # the whole system is no part
    made = [Line(RATE, throughput)]
    made += [Line(x, part_cpu(x)) for x in labels if x not in system and x != TOTAL]
    made += [Line(VIRTUAL, virtual_cpu), Line(TOTAL, total_cpu)]
    return [x for x in made if any(c.has(x.measure) for c in found)]


def _like(line: Line, base: Column, new: Column) -> bool:
    """False for Totals of other parts, which are no two measurements of one thing."""
    return line.label != TOTAL or set(base.labels) == set(new.labels)


def _ratio(
    base: Column, new: Column, line: Line, luck: Luck | None, built: bool
) -> Estimate | None:
    if not base.has(line.measure):
        return None
    try:
        found = ratio(base, new, line.measure, luck)
    except (StatsError, TableError):
        return None
    one = found.builds == 1 and luck is None and not found.same_program
    if built and one and Source.IC in base.figures(line.measure)[0].sources:
        return replace(found, freedom=0.0, lo=found.low, hi=found.high)
    return found


def _with_decimals(made: Mapping[Key, Known]) -> dict[Key, Known]:
    """One number of decimals for a line in all releases of a case."""
    groups: dict[tuple[str, str, str], list[Key]] = {}
    for key in made:
        (table, case, _), label = key
        groups.setdefault((table, case, label), []).append(key)
    done = {}
    for keys in groups.values():
        places = pair_places(made[key].own for key in keys)
        for key in keys:
            done[key] = replace(made[key], decimals=places)
    return {key: done[key] for key in made}


def how_sure(found: Comparison) -> list[str]:
    """Notes: what ~ means, which ratios are not of pairs, where there is no interval and why."""
    notes = []
    every = list(found.lines.values())
    ratios = [k for k in every if k.compared is not None]
    if any(k.compared.has_interval and k.compared.covers(1) for k in ratios if k.compared):
        notes.append("~: the interval of the ratio covers 1.")
    apart = dict.fromkeys(
        f"{k.column.head} {k.column.release}".strip()
        for k in ratios
        if k.base is not None and k.own.n > 1 and not paired(k.base, k.column)
    )
    if apart:
        notes.append(
            f"Measured apart from the base, so the ratio is of two means: {', '.join(apart)}."
        )
    unlike = dict.fromkeys(
        f"{k.column.head} {k.column.release}".strip()
        for k in every
        if k.base is not None and not _like(k.line, k.base, k.column)
    )
    if unlike:
        notes.append(f"Total has other parts than the base's, so there is no ratio of them:"
                     f" {', '.join(unlike)}.")  # fmt: skip
    if any(len(c.trials) == 1 for c in found.columns):
        notes.append(f"One trial of a case has {NO_INTERVAL}.")
    return notes
