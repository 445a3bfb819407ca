# SPDX-License-Identifier: MIT
"""What a table is: every printed cell as text, with the number, unit and source behind it.

The text is made once, here, so that every format prints the same digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from accounting.stats import Estimate


class TableError(ValueError):
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
    confidence: float | None = None

    @property
    def number(self) -> bool:
        """True if a number is behind the text."""
        return self.value is not None


@dataclass(frozen=True, slots=True)
class Row:
    """A label and its cells, one for each column of the table."""

    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Rows between two rules. kind: head, absolute, ratio, body."""

    kind: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """What the HTML page draws: named series of points (x, value, lo, hi).

    kind: intervals (x is a word), bars (x is a word), lines (x is a number). reference: a value
    worth a line, such as a ratio of 1.
    """

    kind: str
    title: str
    unit: str
    series: tuple[tuple[str, tuple[tuple[str | float, float, float, float], ...]], ...]
    reference: float | None = None
    x_title: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table. sections[0] of kind head holds header rows; doubts make the result untrusted.

    keys: how many leading columns say what a row is, besides its label; a table that is printed
    in several pieces repeats them.
    """

    name: str
    title: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()
    keys: int = 0

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


def lettered(table: Table) -> Table:
    """TABLE with source letters behind its numbers, for tables whose rows do not carry them.

    A column from one source gets the letters in its head; in a mixed one every cell has its own.
    """
    rows = [r for s in table.body for r in s.rows]
    heads = list(table.head[0].cells)
    mixed = set()
    for k, head in enumerate(heads):
        found = {r.cells[k].source for r in rows if r.cells[k].number} - {""}
        if len(found) == 1 and not head.text.endswith(")"):
            heads[k] = replace(head, text=f"{head.text} {next(iter(found))}")
        elif len(found) > 1:
            mixed.add(k)

    def marked(row: Row) -> Row:
        cells = (
            replace(c, text=f"{c.text} {c.source}") if k in mixed and c.number else c
            for k, c in enumerate(row.cells)
        )
        return Row(row.label, tuple(cells))

    body = (Section(s.kind, tuple(map(marked, s.rows))) for s in table.body)
    first = Section("head", (Row(table.head[0].label, tuple(heads)), *table.head[1:]))
    return replace(table, sections=(first, *body))


def fixed(x: float, places: int) -> str:
    """X with PLACES decimals, halves away from zero, trailing zeros kept."""
    return str(Decimal(repr(float(x))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def word(text: str) -> Cell:
    """A cell without a number."""
    return Cell(text)


def printed(x: float, places: int, unit: str, source: str = "") -> Cell:
    """A number with PLACES decimals."""
    return Cell(fixed(x, places), float(x), unit, source)


def estimated(e: Estimate, places: int, unit: str, source: str, mark: str = "") -> Cell:
    """The median of an estimate; MARK is printed behind it."""
    return Cell(
        fixed(e.value, places) + mark, e.value, unit, source, e.lo, e.hi, e.n, e.confidence
    )


def range_cell(e: Estimate, places: int, unit: str, source: str) -> Cell:
    """The interval as text `lo..hi`; its value is the half width in percent of the median."""
    text = f"{fixed(e.lo, places)}..{fixed(e.hi, places)}" if e.n > 1 else "-"
    return Cell(text, None, unit, source, e.lo, e.hi, e.n, e.confidence)
