# SPDX-License-Identifier: MIT
"""What a change did to a TCP/IP stack beside its cost: sizes, RAM, functions. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vmkb.accounting.tables.table import Cell, Row, Section, Table, header

SIZES, FUNCTIONS = "sizes", "grown"
"""The names of the tables."""
MOST = 8
"""How many functions that grew, and that shrank, are told."""
LEAST = 0.05
"""Instructions per KB that a function must have changed by to be told."""
ALL = "all functions"
WIDTH = 80
"""Characters of a line that lists functions."""


class Program(NamedTuple):
    """Sizes of a release. text: instructions of the stack's own files; data, bss: of all of the
    program; frame: the largest that a function of the stack takes, deepest is that function; ram:
    heap and pools, each at its own most, or None if the stack does not tell."""

    text: int
    data: int
    bss: int
    frame: int
    deepest: str
    ram: int | None = None


class Growth(NamedTuple):
    """Instructions per KB, new less base, by function; `whole` is of all functions."""

    each: Mapping[str, float]
    whole: float

    @property
    def grew(self) -> list[tuple[str, float]]:
        """The functions that grew most, the largest change first."""
        return self._told(1)

    @property
    def shrank(self) -> list[tuple[str, float]]:
        """The functions that shrank most, the largest change first."""
        return self._told(-1)

    def _told(self, sign: int) -> list[tuple[str, float]]:
        mine = [(name, x) for name, x in self.each.items() if sign * x >= LEAST]
        return sorted(mine, key=lambda one: -abs(one[1]))[:MOST]


def sizes_table(base: Program, new: Program, names: Sequence[str], case: str, of: str) -> Table:
    """Sizes under two releases called NAMES, of a build called OF; RAM is that of CASE."""
    rows = [
        _row("text", base.text, new.text),
        _row("program's data", base.data, new.data),
        _row("program's bss", base.bss, new.bss),
        _frames(base, new),
    ]
    ram = "RAM: only lwIP tells it."
    if base.ram is not None and new.ram is not None:
        rows.append(_row("RAM at most", base.ram, new.ram))
        ram = f"RAM: of the stack's heap and pools, each at its own most, to the end of {case}."
    notes = (
        "text: instructions of the stack's own files, also those that the compiler put into other"
        " functions; constants are not in it. data and bss are those of the whole program with the"
        " stack in it. frame: of a function of the stack; s390x needs 160 bytes of each frame."
        f" Of the first build, compiled with {of}.",
        ram,
    )
    sections = (header("Bytes", (*names, "change")), Section("body", tuple(rows)))
    return Table(SIZES, "Size of the stack, bytes", sections, notes)


def _row(label: str, before: int, after: int) -> Row:
    return Row(label, (_bytes(before), _bytes(after), _bytes(after - before, "+,")))


def _frames(base: Program, new: Program) -> Row:
    cells = _row("", base.frame, new.frame).cells
    if base.deepest == new.deepest:
        return Row(f"largest frame {base.deepest}", cells)
    named = (Cell(f"{c.text} {p.deepest}", c.value, c.unit)
             for c, p in zip(cells, (base, new), strict=False))  # fmt: skip
    return Row("largest frame", (*named, cells[-1]))


def _bytes(number: int, form: str = ",") -> Cell:
    return Cell(format(number, form) if number else "0", number, "B")


def functions_table(growth: Growth, names: Sequence[str], case: str, machines: str) -> Table | None:
    """The functions that grew and shrank in CASE from the first of NAMES to the second, of all that
    MACHINES execute; None if none did."""
    grew, shrank = ([Row(n, (_instructions(x),)) for n, x in told]
                    for told in (growth.grew, growth.shrank))  # fmt: skip
    if not (grew or shrank):
        return None
    whole = [Row(ALL, (_instructions(growth.whole),))]
    sections = [Section("body", tuple(rows)) for rows in (grew, shrank, whole) if rows]
    notes = (
        f"Functions: {names[1]} less {names[0]}, up to {MOST} that grew and {MOST} that shrank, of"
        f" all instructions of {machines}, in one more trial of the first build. The verdict does"
        " not rest on it.",
    )
    title = f"Functions that grew and shrank, instructions per KB ({case})"
    return Table(FUNCTIONS, title, (header("Function", ("change",)), *sections), notes)


def _instructions(x: float) -> Cell:
    return Cell(f"{x:+.1f}" if abs(x) >= LEAST else "0.0", x, "instr/KB", "(IC/FT)")


def in_lines(tables: Sequence[Table]) -> list[str]:
    """Those of TABLES that are of here, a line each for sizes, growth and shrinkage."""
    lines = []
    for table in tables:
        rows = [row for section in table.body for row in section.rows]
        if table.name == SIZES:
            lines.append(_sizes(rows))
        elif table.name == FUNCTIONS:
            lines += [said for sign in (1, -1) if (said := _functions(rows, sign))]
    return lines


def _sizes(rows: Sequence[Row]) -> str:
    changed, same = [], []
    for row in rows:
        before, after, change = (cell.text for cell in row.cells)
        if before == after:
            same.append(f"{row.label} {after}")
        else:
            changed.append(f"{row.label} {before} -> {after} ({change})")
    parts = [", ".join(changed), f"the same: {', '.join(same)}" if same else ""]
    return f"Bytes: {'; '.join(filter(None, parts))}."


def _functions(rows: Sequence[Row], sign: int) -> str:
    found = [row for row in rows if row.label != ALL and sign * (row.cells[0].value or 0) > 0]
    words = [f"{row.label.split()[-1]} {row.cells[0].text}" for row in found]
    text = f"{'Grew' if sign > 0 else 'Shrank'}, instructions per KB: "
    fit = len(words)
    while fit > 1 and len(text) + len(_listed(words, fit)) > WIDTH:
        fit -= 1
    return text + _listed(words, fit) if words else ""


def _listed(words: Sequence[str], fit: int) -> str:
    more = len(words) - fit
    return ", ".join([*words[:fit], *([f"{more} more"] if more else [])])
