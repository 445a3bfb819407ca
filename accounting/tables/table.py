# SPDX-License-Identifier: MIT
"""A table: every printed cell as text, with the number, unit and source behind it.

The text is made once, here, so that every format prints the same digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from vmkb.accounting.digits import bare, fixed, places, ratio_places, step_places, upward
from vmkb.accounting.shown import plain
from vmkb.accounting.stats import Estimate
from vmkb.errors import VmkbError


class TableError(VmkbError, ValueError):
    """A table that cannot be made from what there is; the sentence says what is missing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. value, lo, hi in `unit`; source as letters, empty for headings and words."""

    text: str
    value: float | None = None
    unit: str = ""
    source: str = ""
    lo: float | None = None
    hi: float | None = None
    n: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", plain(self.text))

    @property
    def number(self) -> bool:
        """True if a number is behind the text."""
        return self.value is not None


@dataclass(frozen=True, slots=True)
class Row:
    """A label and its cells, one for each column of the table. link: a page of the same folder
    that tells more."""

    label: str
    cells: tuple[Cell, ...]
    link: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", plain(self.label))

    @property
    def texts(self) -> tuple[str, ...]:
        """The label and the texts of the cells."""
        return self.label, *(c.text for c in self.cells)


@dataclass(frozen=True, slots=True)
class Section:
    """Rows between two rules. kind: head, absolute, ratio, body."""

    kind: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture of the HTML page: named series of points (x, value, lo, hi).

    kind: intervals (x is a word), bars (x is a word), lines (x is a number), history and trail
    (x is a number). reference: a value worth a line, such as a ratio of 1. names: of a trail's
    commits, each with its date first; x is the place of one. marks: names of some of these places.
    """

    kind: str
    title: str
    unit: str
    series: tuple[tuple[str, tuple[tuple[str | float, float, float, float], ...]], ...]
    reference: float | None = None
    x_title: str = ""
    names: tuple[str, ...] = ()
    marks: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        for name in ("title", "unit", "x_title"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        object.__setattr__(self, "names", tuple(map(plain, self.names)))
        object.__setattr__(self, "marks", tuple((n, plain(name)) for n, name in self.marks))
        shown = (
            (plain(name), tuple((plain(x) if isinstance(x, str) else x, *p) for x, *p in points))
            for name, points in self.series
        )
        object.__setattr__(self, "series", tuple(shown))


@dataclass(frozen=True, slots=True)
class Table:
    """A table. sections[0] of kind head holds header rows.

    keys: how many leading columns say what a row is, besides its label; a table that is printed
    in several pieces repeats them.
    """

    name: str
    title: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()
    keys: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", plain(self.title))
        object.__setattr__(self, "notes", tuple(map(plain, self.notes)))

    @property
    def head(self) -> tuple[Row, ...]:
        """The header rows."""
        return tuple(r for s in self.sections if s.kind == "head" for r in s.rows)

    @property
    def body(self) -> tuple[Section, ...]:
        """All sections but the header."""
        return tuple(s for s in self.sections if s.kind != "head")

    @property
    def columns(self) -> tuple[str, ...]:
        """The column heads of the first header row."""
        return tuple(c.text for c in self.head[0].cells)

    def numbers(self) -> Iterator[tuple[Section, Row, int, Cell]]:
        """Every cell with a number, with its section, row and column index."""
        for section in self.body:
            for row in section.rows:
                for k, cell in enumerate(row.cells):
                    if cell.number:
                        yield section, row, k, cell


#: Units that a head does not say: its name does.
UNSAID = ("", "count", "ratio")


def header(first: str, heads: Iterable[str]) -> Section:
    """The section with the heads of the labels, FIRST, and of the columns."""
    return Section("head", (Row(first, tuple(map(word, heads))),))


def without_empty(table: Table) -> Table:
    """TABLE without the columns in which no row has anything; as it is if none has."""
    rows = [r for s in table.sections if s.kind != "head" for r in s.rows]
    kept = [n for n, cells in enumerate(zip(*(r.cells for r in rows), strict=True))
            if any(cell.text not in ("", "-") for cell in cells)]  # fmt: skip
    if not kept:
        return table
    return replace(table, sections=tuple(
        replace(s, rows=tuple(replace(r, cells=tuple(r.cells[n] for n in kept)) for r in s.rows))
        for s in table.sections
    ))  # fmt: skip


def in_words(unit: str) -> str:
    """UNIT as a head has it: `us/KB`, but `instructions per KB` and `a second`."""
    top, _, per = unit.partition("/")
    if unit == "/s":
        return "a second"
    return unit if top != "instr" else f"instructions per {per}" if per else "instructions"


def lettered(table: Table, once: bool = False) -> Table:
    """TABLE with units and source letters, for tables whose rows do not carry them. A column whose
    numbers have one unit or one source gets it in its head; of several, each number its own.
    ONCE: a unit that all columns have stands in the title instead."""
    rows = [r for s in table.body for r in s.rows]
    heads = list(table.head[0].cells)
    units, sources = {}, {}
    for k in range(len(heads)):
        cells = [r.cells[k] for r in rows if r.cells[k].number]
        units[k] = {c.unit for c in cells if c.unit not in UNSAID}
        sources[k] = {c.source for c in cells} - {""}
    told = [found for found in units.values() if found]
    one = once and all(found == told[0] and len(found) == 1 for found in told)
    for k, head in enumerate(heads):
        (unit,) = units[k] if len(units[k]) == 1 and not one else ("",)
        (letters,) = sources[k] if len(sources[k]) == 1 else ("",)
        text = " ".join(x for x in (head.text, in_words(unit), letters) if x)
        heads[k] = replace(head, text=text if head.text else f"{text[:1].upper()}{text[1:]}")

    def marked(row: Row) -> Row:
        cells = [
            replace(c, text=" ".join([
                c.text,
                *([c.unit] if len(units[k]) > 1 and c.unit not in UNSAID else []),
                *([c.source] if len(sources[k]) > 1 and c.source else []),
            ]))
            if c.number else c
            for k, c in enumerate(row.cells)
        ]  # fmt: skip
        return replace(row, cells=tuple(cells))

    body = (Section(s.kind, tuple(map(marked, s.rows))) for s in table.body)
    first = Section("head", (Row(table.head[0].label, tuple(heads)), *table.head[1:]))
    title = f"{table.title}, {in_words(min(told[0]))}" if one else table.title
    return replace(table, title=title, sections=(first, *body))


def word(text: str) -> Cell:
    """A cell without a number."""
    return Cell(text)


def printed(x: float, unit: str, source: str = "") -> Cell:
    """A number of which nothing says how well it is known."""
    return Cell(bare(x), float(x), unit, source)


NO_INTERVAL = "no interval"
EXACT = "exact"


def packed(heads: Sequence[str], widths: Sequence[int], room: int) -> list[list[int]]:
    """Indices of the columns under HEADS in each piece of a table that has ROOM for so many
    characters. Those that `_bound` holds together are parted only if no piece has room for them."""
    made: list[list[int]] = []
    left = 0
    for columns in _bound(heads):
        whole = sum(widths[k] for k in columns)
        for part in [columns] if whole <= room else [[k] for k in columns]:
            need = sum(widths[k] for k in part)
            if not made or left < need:
                made.append([])
                left = room
            made[-1] += part
            left -= need
    return made


def _bound(heads: Sequence[str]) -> list[list[int]]:
    """Indices of the columns under HEADS, those together that are not to be parted: a head that
    stands more than once (Interval) says only behind its neighbour what it is of."""
    made: list[list[int]] = []
    for k, head in enumerate(heads):
        again = bool(head) and heads.count(head) > 1
        if again and made and heads.count(heads[made[-1][0]]) == 1:
            made[-1].append(k)
        else:
            made.append([k])
    return made


STEP_NOTE = (
    "+/- and <: all that the steps of the source leave; more bytes a trial or a finer source"
    " (QUERY TIME (FULL) give more digits."
)


def known(e: Estimate, unit: str, source: str, *, decimals: int | None = None) -> Cell:
    """The mean of an estimate with the digits that are known: 6.11, 0.07 +/- 0.07, < 0.07.
    DECIMALS: those of the numbers that it is compared with."""
    if e.below_step:
        text = f"< {upward(e.step)}"
    elif e.coarse:
        at = step_places(e.step)
        text = f"{fixed(e.value, at)} +/- {fixed(e.step, at)}"
    else:
        text = fixed(e.value, places(e, unit) if decimals is None else decimals)
    return Cell(text, e.value, unit, source, e.lo, e.hi, e.n)


def scaled(e: Estimate, scale: float) -> Estimate:
    """The estimate in another unit."""
    if scale == 1.0:
        return e
    return replace(e, value=e.value * scale, lo=e.lo * scale, hi=e.hi * scale, step=e.step * scale)


def ratio_cell(e: Estimate | None, source: str) -> Cell:
    """A ratio: ~ where its interval covers 1, in words where there is no interval."""
    if e is None:
        return word(NO_INTERVAL)
    text = fixed(e.value, ratio_places(e))
    if not e.has_interval:
        if math.isinf(e.hi):
            return word(NO_INTERVAL)
        return Cell(f"{text} {NO_INTERVAL}", e.value, "ratio", source, n=e.n)
    text += "~" if e.covers(1) and not e.exact else ""
    return Cell(text, e.value, "ratio", source, e.lo, e.hi, e.n)


def interval_cell(e: Estimate | None, unit: str, source: str, decimals: int | None = None) -> Cell:
    """The interval as text `lo..hi`, or in words that there is none or that all trials agree."""
    if e is None or not e.has_interval:
        return word(NO_INTERVAL)
    if e.exact and e.lo == e.hi:
        text = EXACT
    else:
        usual = ratio_places(e) if unit == "ratio" else places(e, unit)
        at = usual if decimals is None else decimals
        text = f"{fixed(e.lo, at)}..{fixed(e.hi, at)}"
    return Cell(text, None, unit, source, e.lo, e.hi, e.n)
