# SPDX-License-Identifier: MIT
"""Listings: tables that are data. A row for each thing told of, a column for each thing told.

A column is a name and what makes its cell from a row. A row is whatever the caller chooses, mostly
a group: the trials of one case under one release, or what they cost. A dash stands where a trial
lacks the number. The head is the column's name with the unit and the source letters of its cells.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from statistics import median
from typing import TypeVar

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.digits import decimals, fixed
from vmkb.accounting.measures import TOTAL, Group, Measure, interval, param, trial_of, value
from vmkb.accounting.stats import Estimate, mean_estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import (
    STEP_NOTE,
    Cell,
    Plot,
    Row,
    Section,
    Table,
    header,
    known,
    lettered,
    printed,
    word,
)

Of = TypeVar("Of", Trial, TrialCost)
Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)
R = TypeVar("R")
G = TypeVar("G", bound=Group)

#: A cell, or the words in it; None is a dash.
Shown = Cell | str | None
Columns = Sequence[tuple[str, Callable[[R], Shown]]]
SAME_NOTE = "~: the interval of the ratio covers 1."


def listing(
    name: str,
    title: str,
    rows: Iterable[R],
    columns: Columns[R],
    notes: Sequence[str] = (),
    *,
    by: Callable[[R], object] = lambda row: None,
    keys: int = 1,
    plots: Sequence[Plot] = (),
    lettering: bool = True,
    once: bool = False,
) -> Table | None:
    """The table NAME with ROWS below COLUMNS, the first of which is a row's label. Rows that are
    alike by BY are a section. A note says what marks mean. Without LETTERING rows say their units
    and sources; ONCE: the one unit of all stands in the title. None without rows."""
    (label, named), *others = columns
    body = tuple(
        Section(
            "body",
            tuple(Row(shown(named(r)).text, tuple(shown(c(r)) for _, c in others)) for r in mine),
        )
        for _, mine in groupby(rows, by)
    )
    if not body:
        return None
    head = header(label, (text for text, _ in others))
    said = (*notes, *marks(r for section in body for r in section.rows))
    made = Table(name, title, (head, *body), tuple(dict.fromkeys(said)), tuple(plots), keys)
    return lettered(made, once) if lettering else made


def marks(rows: Iterable[Row]) -> list[str]:
    """Notes about marks that stand in ROWS."""
    texts = [c.text for r in rows for c in r.cells if c.number]
    coarse = any(t.startswith("<") or " +/- " in t for t in texts)
    alike = any(t.endswith("~") for t in texts)
    return [*([STEP_NOTE] if coarse else []), *([SAME_NOTE] if alike else [])]


def shown(cell: Shown) -> Cell:
    """CELL as one."""
    return cell if isinstance(cell, Cell) else word("-" if cell is None else cell)


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """ITEMS by their KEY, in the order in which keys first appear."""
    made: dict[Key, list[Item]] = {}
    for item in items:
        made.setdefault(key(item), []).append(item)
    return made


def by_case(items: Iterable[Of]) -> dict[tuple[str, str], list[Of]]:
    """ITEMS by case and release, as they ran; cases in the order in which they first did."""
    ordered = sorted(items, key=lambda x: trial_of(x).seq)
    made = grouped(ordered, lambda x: (trial_of(x).case, trial_of(x).release))
    order = list(dict.fromkeys(case for case, _ in made))
    return dict(sorted(made.items(), key=lambda item: order.index(item[0][0])))


def printed_as(text: str, unit: str) -> Shown:
    """A published figure as it was printed; nothing is a dash."""
    return Cell(text, float(text), unit, "(PB)") if text else None


def against(ours: float, theirs: float | str, source: str) -> Shown:
    """OURS as part of the published figure."""
    if not theirs or not float(theirs):
        return None
    return printed(ours / float(theirs), "ratio", source)


def middle(xs: Sequence[float], unit: str, source: str) -> Shown:
    """The median of XS, from the least to the most of them."""
    if not xs:
        return None
    cell = printed(median(xs), unit, source)
    return Cell(cell.text, cell.value, unit, source, min(xs), max(xs), len(xs))


def mean(xs: Sequence[float], unit: str, source: str) -> Shown:
    """The mean of XS with the digits that are known."""
    return known(mean_estimate(xs), unit, source) if xs else None


def span(xs: Sequence[float], unit: str, source: str) -> Shown:
    """The least and the most of XS."""
    if not xs:
        return None
    places = decimals(max(xs, key=abs))
    text = f"{fixed(min(xs), places)}..{fixed(max(xs), places)}"
    return Cell(text, None, unit, source, min(xs), max(xs), len(xs))


def named(name: str) -> Callable[[Group], Shown]:
    """A parameter of the trials."""
    return lambda group: param(group[0], name)


def case(group: Group) -> str:
    """The case of the trials."""
    return trial_of(group[0]).case


def release(group: Group) -> str:
    """Their release."""
    return trial_of(group[0]).release


def number(group: Group) -> str:
    """How many they are."""
    return str(len(group))


def parted(groups: Iterable[G]) -> list[tuple[G, str]]:
    """A row for each part of the costs in GROUPS, and for all of them together."""
    return [(g, label) for g in groups for label in (*(p.label for p in g[0].parts), TOTAL)]


def with_interval(head: str, measure: Measure) -> Columns[Group]:
    """The columns of a measure's mean and of its interval."""
    return [(head, value(measure)), ("Interval", interval(measure))]


def series(
    points: Iterable[tuple[str, str | float, Estimate]],
) -> tuple[tuple[str, tuple[tuple[str | float, float, float, float], ...]], ...]:
    """POINTS (name of a series, place, estimate) as the series of a plot."""
    return tuple(
        (name, tuple((x, e.value, e.lo, e.hi) for _, x, e in mine))
        for name, mine in grouped(points, itemgetter(0)).items()
    )
