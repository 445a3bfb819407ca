# SPDX-License-Identifier: MIT
"""Tables for a terminal, through rich, in pieces that fit its width.

A table that is too wide is cut between columns, never inside one, and each piece repeats the
row labels; behind the first piece a row of which a piece says nothing is left out. A long one
repeats its head.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from vmkb.accounting.tables.table import Row, Table, packed

#: Rows after which the head is printed again.
PAGE = 40
_PADDING = 3
_ONE_LINE = str.maketrans("\t\n", "  ")


class Output(Console):
    """A console whose reader may go: BrokenPipeError is for the caller, where rich would end the
    program with 1, which says that a measurement is not trusted."""

    def on_broken_pipe(self) -> None:
        """Leave it to who prints."""
        raise BrokenPipeError


def _width(table: Table, column: int) -> int:
    rows = [r for s in table.sections for r in s.rows]
    if column < 0:
        return max(len(r.label) for r in rows) + _PADDING
    return max(len(r.cells[column].text) for r in rows) + _PADDING


def pieces(table: Table, width: int) -> list[list[int]]:
    """Column indices of each piece of a table that is printed WIDTH characters wide."""
    keys = list(range(min(table.keys, len(table.columns))))  # of no rows there are none
    fixed = _width(table, -1) + sum(_width(table, k) for k in keys)
    others = range(table.keys, len(table.columns))
    widths = [_width(table, k) for k in others]
    made = packed(table.columns[table.keys :], widths, width - fixed)
    return [[*keys, *(others[k] for k in piece)] for piece in made] or [keys]


def _chunks(table: Table) -> list[list[tuple[str, list[Row]]]]:
    """Sections cut into stretches of at most PAGE rows, never through a short section."""
    made: list[list[tuple[str, list[Row]]]] = [[]]
    count = 0
    for section in table.body:
        rows = list(section.rows)
        while rows:
            room = PAGE - count
            if room <= 0 or (len(rows) > room and len(rows) <= PAGE):
                made.append([])
                count, room = 0, PAGE
            made[-1].append((section.kind, rows[:room]))
            count += len(rows[:room])
            rows = rows[room:]
    return made


def _says(row: Row, columns: Sequence[int], keys: int) -> bool:
    return any(row.cells[k].text for k in columns if k >= keys)


def _grid(
    table: Table, columns: Sequence[int], chunk: list[tuple[str, list[Row]]], first: bool
) -> Text:
    """The head, a rule and the rows, with a blank line between sections. rich's own tables look
    the same and take 20 times as long."""
    head = [_texts(row, columns) for row in table.head]
    sections = [
        (kind, [_texts(row, columns) for row in rows if first or _says(row, columns, table.keys)])
        for kind, rows in chunk
    ]
    every = [*head, *(texts for _, rows in sections for texts in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*every, strict=True)]
    rule = "\u2500" * (sum(widths) + _PADDING * len(columns))

    def line(texts: Sequence[str]) -> str:
        """A line of the grid: labels and keys are aligned left, other columns right."""
        blanks = [" " * (w - cell_len(text)) for w, text in zip(widths, texts, strict=True)]
        cells = (
            text + blank if k < 0 or k < table.keys else blank + text
            for k, text, blank in zip([-1, *columns], texts, blanks, strict=True)
        )
        return f" {(' ' * _PADDING).join(cells)} \n"

    grid = Text("\n").append("".join(map(line, head)), "bold").append(f" {rule} \n")
    written = [(kind, rows) for kind, rows in sections if rows]
    for number, (kind, rows) in enumerate(written):
        grid.append("\n" if number else "")
        grid.append("".join(map(line, rows)), "cyan" if kind == "ratio" else None)
    return grid


def _texts(row: Row, columns: Sequence[int]) -> list[str]:
    return [
        text.translate(_ONE_LINE) for text in (row.label, *(row.cells[k].text for k in columns))
    ]


def show(tables: Sequence[Table], console: Console) -> None:
    """Print TABLES to CONSOLE with their notes, each note once."""
    told: set[str] = set()
    for table in tables:
        console.print(Text(table.title, style="bold"))
        for number, columns in enumerate(pieces(table, console.width)):
            for chunk in _chunks(table):
                console.print(
                    _grid(table, columns, chunk, number == 0),
                    no_wrap=True,
                    overflow="ignore",
                    crop=False,
                )
        for note in dict.fromkeys(table.notes):
            if note in told:
                continue
            told.add(note)
            console.print(Text("Note: " + note), soft_wrap=False, highlight=False)
        console.print()


def text(tables: Sequence[Table], width: int = 100) -> str:
    """TABLES as plain text WIDTH characters wide."""
    console = Console(width=width, color_system=None, force_terminal=False, record=False)
    with console.capture() as captured:
        show(tables, console)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"
