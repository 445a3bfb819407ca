# SPDX-License-Identifier: MIT
"""Listings: tables that are data. A row for each thing told of, a column for each thing told.

A column is a head and what makes its cell from a row. A row is whatever the caller chooses, mostly
a group: the trials of one case under one release, or what they cost. The columns here are for such
groups; a dash stands where a trial lacks the number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from statistics import median
from typing import Any, TypeVar

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.counter import BUILD
from vmkb.accounting.records import Record, Source, Unit
from vmkb.accounting.stats import Estimate, places
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.group import estimate
from vmkb.accounting.tables.table import (
    STEP_NOTE,
    Cell,
    Plot,
    Row,
    Section,
    Table,
    TableError,
    fixed,
    header,
    interval_cell,
    known,
    scaled,
    word,
)
from vmkb.accounting.units import Figure

Of = TypeVar("Of", Trial, TrialCost)
Any_ = TypeVar("Any_")
Key = TypeVar("Key", bound=Hashable)
R = TypeVar("R")

#: A cell, or the words in it; None is a dash.
Shown = Cell | str | None
Columns = Sequence[tuple[str, Callable[[R], Shown]]]
Group = Sequence[Any]
SAME_NOTE = "~: the interval of the ratio covers 1."
#: One number of a trial or its cost; None where there is none.
Number = Callable[[Any], Figure | None]


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
) -> Table | None:
    """The table NAME with ROWS below the heads of COLUMNS, the first of which is a row's label.
    Rows that are alike by BY are a section. A note says what marks mean. None without rows."""
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
    return Table(name, title, (head, *body), tuple(dict.fromkeys(said)), tuple(plots), keys)


def marks(rows: Iterable[Row]) -> list[str]:
    """Notes about marks that stand in ROWS."""
    texts = [c.text for r in rows for c in r.cells if c.number]
    coarse = any(t.startswith("<") or " +/- " in t for t in texts)
    alike = any(t.endswith("~") for t in texts)
    return [*([STEP_NOTE] if coarse else []), *([SAME_NOTE] if alike else [])]


def shown(cell: Shown) -> Cell:
    """CELL as one."""
    return cell if isinstance(cell, Cell) else word("-" if cell is None else cell)


def grouped(items: Iterable[Any_], key: Callable[[Any_], Key]) -> dict[Key, list[Any_]]:
    """ITEMS by their KEY, in the order in which keys first appear."""
    made: dict[Key, list[Any_]] = {}
    for item in items:
        made.setdefault(key(item), []).append(item)
    return made


def trial_of(item: Trial | TrialCost) -> Trial:
    """The trial that ITEM is, or whose cost it is."""
    return item if isinstance(item, Trial) else item.trial


def by_case(items: Iterable[Of]) -> dict[tuple[str, str], list[Of]]:
    """ITEMS by case and release, as they ran; cases in the order in which they first did."""
    ordered = sorted(items, key=lambda x: trial_of(x).seq)
    made = grouped(ordered, lambda x: (trial_of(x).case, trial_of(x).release))
    order = list(dict.fromkeys(case for case, _ in made))
    return dict(sorted(made.items(), key=lambda item: order.index(item[0][0])))


def param(item: Trial | TrialCost, name: str) -> str:
    """A parameter of a trial, or nothing."""
    return trial_of(item).params.get(name, "")


def record(item: Trial | TrialCost, kind: str) -> Record | None:
    """The trial's first record of a kind."""
    return next((r for r in trial_of(item).records if r.kind == kind), None)


def field(kind: str, name: str) -> Number:
    """A field of the trial's record of a KIND."""

    def measure(item: Trial | TrialCost) -> Figure | None:
        found = record(item, kind)
        if found is None or name not in found.fields:
            return None
        value = found.value(name)
        return Figure(value.value, value.unit, (value.source,), value.tick)

    return measure


def over(top: Number, below: Callable[[Any], float | None], unit: Unit) -> Number:
    """TOP divided by what is known better than it, such as seconds or characters."""

    def measure(item: Any) -> Figure | None:
        figure, by = top(item), below(item)
        if figure is None or not by:
            return None
        return Figure(figure.value / by, unit, figure.sources, figure.tick / by, figure.systematic)

    return measure


def has(group: Group, measure: Number) -> bool:
    """True if every trial of GROUP has the number."""
    return bool(group) and all(measure(x) is not None for x in group)


def estimated(group: Group, measure: Number) -> Estimate:
    """The mean of a measure over GROUP with its interval; TableError if a trial lacks it."""
    found = [measure(x) for x in group]
    for figure, item in zip(found, group, strict=True):
        if figure is None:
            raise TableError(f"trial {trial_of(item).id} has no number for this table")
    there = [f for f in found if f is not None]
    counted = Source.IC in there[0].sources
    return estimate(there, [param(x, BUILD) or "1" for x in group] if counted else ())


def letters(group: Group, measure: Number) -> str:
    """Source letters of a measure."""
    found = measure(group[0])
    return found.letters if found else ""


def value(
    measure: Number, unit: str, most: int = 6, scale: float = 1.0, source: str = ""
) -> Callable[[Group], Shown]:
    """The mean of a measure with the digits that are known, MOST decimals at most. SCALE: from the
    measure's unit to UNIT; SOURCE: instead of the measure's own letters."""

    def cell(group: Group) -> Shown:
        if not has(group, measure):
            return None
        e = estimated(group, measure)
        return known(e, unit, source or letters(group, measure), scale=scale, most=most)

    return cell


def interval(
    measure: Number, unit: str, most: int = 6, scale: float = 1.0, source: str = ""
) -> Callable[[Group], Shown]:
    """The interval of that mean."""

    def cell(group: Group) -> Shown:
        if not has(group, measure):
            return None
        e = scaled(estimated(group, measure), scale)
        return interval_cell(e, min(places(e), most), unit, source or letters(group, measure))

    return cell


def printed_as(text: str, unit: str) -> Shown:
    """A published figure as it was printed; nothing is a dash."""
    return Cell(text, float(text), unit, "(PB)") if text else None


def against(ours: float, theirs: float | str, source: str, places: int | None = None) -> Shown:
    """OURS as part of the published figure, with two decimals or, of a small one, three."""
    if not theirs or not float(theirs):
        return None
    ratio = ours / float(theirs)
    return Cell(fixed(ratio, places or (2 if ratio >= 0.1 else 3)), ratio, "ratio", source)


def middle(xs: Sequence[float], places: int, unit: str, source: str) -> Shown:
    """The median of XS with so many PLACES, from the least to the most of them."""
    if not xs:
        return None
    return Cell(fixed(median(xs), places), median(xs), unit, source, min(xs), max(xs), len(xs))


def span(xs: Sequence[float], places: int, unit: str, source: str) -> Shown:
    """The least and the most of XS."""
    if not xs:
        return None
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


def ready(*heads: str) -> Columns[Sequence[Shown]]:
    """Columns below HEADS of rows that are cells already."""
    return [(head, itemgetter(k)) for k, head in enumerate(heads)]


def series(
    points: Iterable[tuple[str, str | float, Estimate]],
) -> tuple[tuple[str, tuple[tuple[str | float, float, float, float], ...]], ...]:
    """What a plot draws of POINTS: the name of a series, where, and what is known there."""
    return tuple(
        (name, tuple((x, e.value, e.lo, e.hi) for _, x, e in mine))
        for name, mine in grouped(points, itemgetter(0)).items()
    )
