# SPDX-License-Identifier: MIT
"""Published figures beside ours, and what is said of each. Pure.

A published table that has a `[page]` in its TOML is compared with runs `of` that workload:

    [page]
    of = "rpc"                            the workload
    title = "Table 1"
    keys = ["way", "completion"]          columns that say what a row is
    figures = { lat0_us = "latency, us" } its figures, by column, in words; others are no cells
    within = { lat0_us = 1.0 }            percent (see RULE), where it is not WITHIN
                                          (`rate/x`: rate, which we have in another way, too)
    once = { lat0_us = { kind = "A" } }   where a figure is printed that the rows repeat

    [[because]]                           the first that fits a cell is said of it
    columns = ["lat0_us"]                 none: all figures
    where = { way = "2-way" }             values of that row's columns; none: all rows
    side = "less"                         only where ours is less, or more, than the published one
    differs = "a sentence"                or missing = "a sentence", where nothing was measured

What is printed in words is a cell, too, which differs from any figure. A reason stands nowhere
else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from vmkb.accounting.digits import fixed, like
from vmkb.accounting.measures import Group, Measure, measured
from vmkb.accounting.published import Published, names, published
from vmkb.accounting.tables.table import Cell, Row, Section, Table, TableError, header, word

#: What the names of the tables begin with.
PUBLISHED = "published-"
WITHIN = 5.0
RULE = (
    "As published: ours, rounded to the published decimals, is the published figure, or lies"
    " within so many per cent of it as stand below each table. A published range (10 to 45) or"
    " bound (< 15) is met by what lies in it. (IN): an input of our run, not a result."
    " Bound: a formula, not a measurement. -: nothing was measured."
)
AS_PUBLISHED = "as published"
_WORDS = {"differs": "differs", "missing": "not measured"}
_KEYS = {"of", "title", "keys", "figures", "within", "once"}
_SAID = {"columns", "where", "side", *_WORDS}
_NUMBER = r"(-?\d+(?:\.\d+)?)"


class Ours(NamedTuple):
    """A figure of ours in the published unit, with its source letters, `(IN)` for an input; what a
    formula gives beside it. below: nothing was seen but that it is less than this, the step of its
    source."""

    value: float
    source: str
    bound: float | None = None
    below: bool = False

    @property
    def less(self) -> str:
        """The sign in front of it."""
        return "< " if self.below else ""


#: Of a published row and one of its columns; None where nothing was measured.
Lookup = Callable[[Mapping[str, str], str], Ours | None]


def of_workload(name: str) -> list[Published]:
    """The published tables that runs of the workload NAME are compared with, by their names."""
    return [theirs for theirs in map(published, names()) if theirs.page.get("of") == name]


def compare(
    theirs: Published, lookup: Lookup, whole: bool = False, strict: bool = False
) -> Table | None:
    """Each figure of THEIRS beside ours, with their ratio and a verdict; None without a cell.

    A cell of which nothing was measured is left out, unless the WHOLE table is wanted. STRICT: a
    cell that is not as published and has no reason is a TableError.
    """
    told = theirs.page
    if unknown := set(told) - _KEYS | {k for said in theirs.because for k in set(said) - _SAID}:
        raise TableError(f"{theirs.name}.toml: the page has no key {', '.join(sorted(unknown))}")
    within = dict.fromkeys(told["figures"], WITHIN) | told.get("within", {})
    keys, figures, once = told["keys"], told["figures"], told.get("once", {})
    cells = [
        (row, column, ours)
        for row in theirs.rows
        for column in figures
        if row[_printed(column)]
        and _like(row, once.get(column, {}))
        and ((ours := lookup(row, column)) is not None or whole)
    ]
    bounds = any(ours is not None and ours.bound is not None for _, _, ours in cells)
    several = len(figures) > 1
    reasons: dict[str, int] = {}
    rows = []
    for row, column, ours in cells:
        verdict, why = said(theirs, row, column, ours, within[column], strict)
        if why:
            verdict += f" ({reasons.setdefault(f'{verdict} {why}', len(reasons) + 1)})"
        printed = row[_printed(column)]
        shown = [word(row[k]) for k in keys[1:]]
        shown += [word(figures[column])] if several else []
        shown += [_published(printed), _ours(printed, ours), _ratio(printed, ours)]
        shown += [_bound(printed, ours)] if bounds else []
        rows.append(Row(row[keys[0]], (*shown, word(verdict))))
    if not rows:
        return None
    first, *heads = (k.replace("_", " ") for k in keys)
    only = "" if several else next(iter(figures.values()))
    heads += ["figure"] if several else []
    heads += [f"published {only}".strip(), "ours", "ratio", *(["bound"] if bounds else []), "said"]
    notes = (
        f"{theirs.source} (vmkb show published {theirs.name}). As published:"
        f" {_limits(figures, within)}.",
        *(f"({number}) {text}." for text, number in reasons.items()),
    )
    body = Section("body", tuple(rows))
    title = told["title"] if whole else f"{told['title']}: published beside ours"
    return Table(f"{PUBLISHED}{theirs.name}", title, (header(first, heads), body), notes,
                 keys=len(keys) - 1 + several)  # fmt: skip


def verdicts(table: Table) -> list[str]:
    """The verdict of each cell in a table of `compare`, without the reason."""
    texts = (row.cells[-1].text for section in table.body for row in section.rows)
    return [text.partition(" (")[0].removesuffix(" because") for text in texts]


def _limits(figures: Mapping[str, str], within: Mapping[str, float]) -> str:
    """`within 5 %; ratio: Rate within 0.5 %`."""
    named: dict[float, list[str]] = {}
    for column, limit in within.items():
        named.setdefault(limit, []).append(figures[column])
    usual = max(named, key=lambda limit: len(named[limit]) + (limit == WITHIN) / 2)
    others = (f"; {', '.join(named[x])} within {x:g} %" for x in named if x != usual)
    return f"within {usual:g} %{''.join(others)}"


def said(
    theirs: Published, row: Mapping[str, str], column: str, ours: Ours | None,
    within: float = WITHIN, strict: bool = True,
) -> tuple[str, str]:  # fmt: skip
    """The verdict on one cell, and the reason. Without a reason a verdict alone, or a TableError
    if that is STRICT."""
    printed = row[_printed(column)]
    if (
        ours is not None
        and not ours.below
        and _figured(printed)
        and agrees(printed, ours.value, within)
    ):
        return AS_PUBLISHED, ""
    need = "missing" if ours is None else "differs"
    for entry in theirs.because:
        if need in entry and _fits(entry, row, column, ours):
            return f"{_WORDS[need]} because", str(entry[need]).rstrip(".")
    if not strict:
        return _WORDS[need], ""
    what = "nothing was measured" if ours is None else f"ours is {ours.value:.4g}"
    raise TableError(
        f"{theirs.name}, {', '.join(row[k] for k in theirs.page['keys'])}, {column}: published"
        f" {printed}, {what}, and no [[because]] with '{need}' of its TOML fits"
    )


def _fits(entry: Mapping[str, Any], row: Mapping[str, str], column: str, ours: Ours | None) -> bool:
    if column not in entry.get("columns", [column]) or not _like(row, entry.get("where", {})):
        return False
    if "side" not in entry or ours is None:
        return True
    low, high = _range(row[_printed(column)])
    return ours.value < low if entry["side"] == "less" else ours.value > high


def _like(row: Mapping[str, str], where: Mapping[str, str]) -> bool:
    return all(row[k] == where[k] for k in where)


def agrees(printed: str, value: float, within: float) -> bool:
    """Whether VALUE is as PRINTED: equal when rounded alike, or WITHIN so many per cent; in the
    range `a to b`; beyond the bound `< a` or `> a`."""
    low, high = _range(printed)
    if low <= float(fixed(value, _places(printed))) <= high:
        return True
    return low == high and abs(value - low) <= within / 100 * abs(low)


def _plain(printed: str) -> str:
    return printed.replace(",", "")


def _range(printed: str) -> tuple[float, float]:
    text = _plain(printed)
    if match := re.fullmatch(f"{_NUMBER}", text):
        return float(match[1]), float(match[1])
    if match := re.fullmatch(f"{_NUMBER}(?: to |-){_NUMBER}", text):
        return float(match[1]), float(match[2])
    if match := re.fullmatch(f"([<>]) ?{_NUMBER}", text):
        return (-math.inf, float(match[2])) if match[1] == "<" else (float(match[2]), math.inf)
    raise TableError(f"{printed!r} is no figure: give 1.5, '1 to 2', '< 3' or '> 3'")


def _printed(column: str) -> str:
    """The published table's column of a page's."""
    return column.partition("/")[0]


def _figured(printed: str) -> bool:
    """Whether a figure is PRINTED, and not words."""
    return re.search(r"\d", printed) is not None


def _places(printed: str) -> int:
    numbers = re.findall(_NUMBER, _plain(printed))
    return max((len(x.partition(".")[2]) for x in numbers), default=0)


def _published(printed: str) -> Cell:
    number = re.fullmatch(_NUMBER, _plain(printed))
    return Cell(printed, float(number[1]) if number else None, source="(PB)")


def _ours(printed: str, ours: Ours | None) -> Cell:
    if ours is None:
        return word("-")
    text = f"{ours.less}{like(ours.value, _places(printed))} {ours.source}"
    return Cell(text, ours.value, source=ours.source)


def _bound(printed: str, ours: Ours | None) -> Cell:
    if ours is None or ours.bound is None:
        return word("-")
    return Cell(like(ours.bound, _places(printed)), ours.bound)


def _ratio(printed: str, ours: Ours | None) -> Cell:
    if ours is None or not _figured(printed):
        return word("-")
    low, high = _range(printed)
    if low != high or not low:
        return word("-")
    text = f"{ours.less}{like(ours.value / low, 2)}"
    return Cell(text, ours.value / low, "ratio", ours.source)


def mean_under(
    groups: Mapping[Any, Group], key: Callable[[Mapping[str, str], str], Any],
    measure: Callable[[Mapping[str, str], str], Measure],
) -> Lookup:  # fmt: skip
    """The figure of a row and column: the mean of its MEASURE over the trials of GROUPS that have
    its KEY."""
    return lambda row, column: ours_of(groups.get(key(row, column), ()), measure(row, column))


def ours_of(group: Group, measure: Measure, source: str = "", unit: str = "") -> Ours | None:
    """The mean of MEASURE over the trials of GROUP, in UNIT and with the letters SOURCE, or its
    own; None without trials, or where the first of them does not have it."""
    if not group or measure(group[0]) is None:
        return None
    e, _, letters = measured(group, measure, unit, source)
    return Ours(e.step, letters, below=True) if e.below_step else Ours(e.value, letters)
