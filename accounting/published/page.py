# SPDX-License-Identifier: MIT
"""A page for one published document: each of its figures, ours beside, and what is said of it.

A published table that has a `[page]` in its TOML stands on the page `of` that workload:

    [page]
    of = "rpc"                            the page's name
    title = "Table 1"
    keys = ["way", "completion"]          columns that say what a row is
    figures = { lat0_us = "latency, us" } its figures, by column, in words; others are no cells.
                                          "lat0_us@more" is that column once more, beside
                                          another figure of ours
    within = { lat0_us = 1.0 }            percent (see RULE), where it is not WITHIN
    once = { lat0_us = { kind = "A" } }   where a figure is printed that the rows repeat

    [[because]]                           the first that fits a cell is said of it
    columns = ["lat0_us"]                 none: all figures
    where = { way = "2-way" }             values of that row's columns; none: all rows
    side = "less"                         only where ours is less, or more, than the published one
    differs = "a sentence"                or missing = "a sentence", where nothing was measured

What is printed in words is a cell, too, if nothing was measured of it.
A cell that is not as published and that no sentence fits is an error: no page is made. Pure.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vmkb.accounting.published import Published, names, published
from vmkb.accounting.tables.table import TableError, fixed

WITHIN = 5.0
RULE = (
    "**As published**: ours, rounded to the published decimals, is the published figure, or lies"
    " within so many per cent of it as stand above each table. A published range (`10 to 45`) or"
    " bound (`< 15`) is met by what lies in it. **(IN)**: an input of our run, not a result."
    " **Bound**: a formula, not a measurement. **-**: nothing was measured."
)
_WORDS = {"differs": "differs because", "missing": "not measured because"}
_KEYS = {"of", "title", "keys", "figures", "within", "once"}
_SAID = {"columns", "where", "side", *_WORDS}
_NUMBER = r"(-?\d+(?:\.\d+)?)"


class Ours(NamedTuple):
    """A figure of ours in the published unit, with its source letters, `(IN)` for an input; what a
    formula gives beside it."""

    value: float
    source: str
    bound: float | None = None


#: Of a published row and one of its columns; None where nothing was measured.
Lookup = Callable[[Mapping[str, str], str], Ours | None]


class _Cell(NamedTuple):
    row: Mapping[str, str]
    column: str
    printed: str
    ours: Ours | None


def on_page(name: str) -> list[Published]:
    """The published tables that stand on the page NAME, in the order of their names."""
    return [found for found in map(published, names()) if found.page.get("of") == name]


def page(name: str, lookups: Mapping[str, Lookup], about: Sequence[str]) -> str:
    """The page NAME as Markdown: LOOKUPS by published table, sentences ABOUT the runs.

    TableError if there is no such page, or a cell has no sentence.
    """
    tables = on_page(name)
    if not tables:
        raise TableError(f"no published table is on a page {name!r}: its TOML has no [page]")
    counted: Counter[str] = Counter()
    parts: list[str] = []
    for found in tables:
        parts += _section(found, lookups.get(found.name, lambda row, column: None), counted)
    total = (
        f"{sum(counted.values())} cells: {counted['as published']} as published,"
        f" {counted['differs because']} differ, {counted['not measured because']} not measured."
    )
    head = [
        "<!-- SPDX-License-Identifier: MIT -->",
        f"<!-- Made from a run by vmkb published; not to be edited. -->\n# {name}, as published",
        *about, total, RULE,
    ]  # fmt: skip
    return "\n\n".join([*head, *parts]) + "\n"


def _section(found: Published, lookup: Lookup, counted: Counter[str]) -> Iterator[str]:
    told = found.page
    if unknown := set(told) - _KEYS | {k for said in found.because for k in set(said) - _SAID}:
        raise TableError(f"{found.name}.toml: the page has no key {', '.join(sorted(unknown))}")
    within = dict.fromkeys(told["figures"], WITHIN) | told.get("within", {})
    keys, figures, once = told["keys"], told["figures"], told.get("once", {})
    cells = [
        _Cell(row, column, _printed(row, column), lookup(row, column))
        for row in found.rows
        for column in figures
        if _printed(row, column) and _like(row, once.get(column, {}))
    ]
    bounds = any(c.ours and c.ours.bound is not None for c in cells)
    several = len(figures) > 1
    only = "" if several else next(iter(figures.values()))
    heads = [*(k.replace("_", " ") for k in keys), *(["figure"] if several else [])]
    heads += [f"published {only}".strip(), "ours", "ratio"]
    heads += [*(["bound"] if bounds else []), "said"]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    sentences: dict[str, int] = {}
    for cell in cells:
        verdict, why = said(found, cell.row, cell.column, cell.ours, within[cell.column])
        counted[verdict] += 1
        if why:
            verdict += f" ({sentences.setdefault(f'{verdict} {why}', len(sentences) + 1)})"
        shown = [*(cell.row[k] for k in keys), *([figures[cell.column]] if several else [])]
        shown += [cell.printed, _shown(cell), _ratio(cell)]
        if bounds:
            bound = cell.ours.bound if cell.ours else None
            shown.append("-" if bound is None else _digits(bound, _places(cell.printed)))
        lines.append(f"| {' | '.join([*shown, verdict])} |")
    yield f"## {told['title']}"
    limits = _limits(figures, within)
    yield f"{found.source} (`vmkb show published {found.name}`). As published: {limits}."
    yield "\n".join(lines)
    if sentences:
        yield "\n".join(f"{number}. {text}." for text, number in sentences.items())


def _limits(figures: Mapping[str, str], within: Mapping[str, float]) -> str:
    """`within 5 %; ratio: Rate within 0.5 %`."""
    named: dict[float, list[str]] = {}
    for column, limit in within.items():
        named.setdefault(limit, []).append(figures[column])
    usual = max(named, key=lambda limit: len(named[limit]) + (limit == WITHIN) / 2)
    others = (f"; {', '.join(named[x])} within {x:g} %" for x in named if x != usual)
    return f"within {usual:g} %{''.join(others)}"


def said(
    found: Published, row: Mapping[str, str], column: str, ours: Ours | None, within: float = WITHIN
) -> tuple[str, str]:
    """What is said of one cell, and the reason; TableError if there is none."""
    if ours is not None and agrees(_printed(row, column), ours.value, within):
        return "as published", ""
    need = "missing" if ours is None else "differs"
    for entry in found.because:
        if need in entry and _fits(entry, row, column, ours):
            return _WORDS[need], str(entry[need]).rstrip(".")
    what = "nothing was measured" if ours is None else f"ours is {ours.value:.4g}"
    raise TableError(
        f"{found.name}, {', '.join(row[k] for k in found.page['keys'])}, {column}: published"
        f" {_printed(row, column)}, {what}, and no [[because]] with '{need}' of its TOML fits"
    )


def _fits(entry: Mapping[str, Any], row: Mapping[str, str], column: str, ours: Ours | None) -> bool:
    if "side" in entry and ours is not None:
        low, high = _range(_printed(row, column))
        beyond = ours.value < low if entry["side"] == "less" else ours.value > high
        if not beyond:
            return False
    return column in entry.get("columns", [column]) and _like(row, entry.get("where", {}))


def _printed(row: Mapping[str, str], column: str) -> str:
    return row[column.partition("@")[0]]


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
    if found := re.fullmatch(f"{_NUMBER}", text):
        return float(found[1]), float(found[1])
    if found := re.fullmatch(f"{_NUMBER}(?: to |-){_NUMBER}", text):
        return float(found[1]), float(found[2])
    if found := re.fullmatch(f"([<>]) ?{_NUMBER}", text):
        return (-math.inf, float(found[2])) if found[1] == "<" else (float(found[2]), math.inf)
    raise TableError(f"{printed!r} is no figure: give 1.5, '1 to 2', '< 3' or '> 3'")


def _places(printed: str) -> int:
    return max(len(x.partition(".")[2]) for x in re.findall(_NUMBER, _plain(printed)))


def _digits(value: float, places: int) -> str:
    """VALUE with PLACES decimals, or as many as three significant digits need."""
    if value:
        places = max(places, 2 - math.floor(math.log10(abs(value))))
    return fixed(value, places)


def _shown(cell: _Cell) -> str:
    if cell.ours is None:
        return "-"
    return f"{_digits(cell.ours.value, _places(cell.printed))} {cell.ours.source}"


def _ratio(cell: _Cell) -> str:
    if cell.ours is None:
        return "-"
    low, high = _range(cell.printed)
    if low != high or not low:
        return "-"
    return _digits(cell.ours.value / low, 2)
