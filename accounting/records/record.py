# SPDX-License-Identifier: MIT
"""The items of a text: records, the text between them, and lines that are no whole record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vmkb.accounting.records.value import Value
from vmkb.errors import VmkbError


class Where(NamedTuple):
    """File name ('-' for standard input), 1-based line, 1-based column."""

    file: str = "-"
    line: int = 1
    col: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"


#: What a field can hold: a measured number, a word, or rows of words (QUERY NAMES).
Field = Value | str | tuple[tuple[str, ...], ...]


class Record(NamedTuple):
    """One record of some family, with the text that it was read from.

    ``stamp`` is the clock prefix of the line ("15:29:50" of an operator console log), if
    any; ``origin`` the userid in front of it (secondary-user consoles print "TCPIP   : ").
    ``trial`` is set by whoever runs trials; ``notes`` are sentences about doubtful content.
    """

    kind: str
    fields: Mapping[str, Field]
    raw: str
    where: Where
    stamp: str = ""
    origin: str = ""
    trial: str = ""
    notes: tuple[str, ...] = ()

    def value(self, name: str) -> Value:
        """The measured field NAME; KeyError if the line did not print it or it is a word."""
        field = self.fields[name]
        if not isinstance(field, Value):
            raise KeyError(f"{name} of a {self.kind} record at {self.where} is not a number")
        return field

    def word(self, name: str, default: str = "") -> str:
        """The field NAME as text; DEFAULT if the line did not print it."""
        field = self.fields.get(name)
        return field if isinstance(field, str) else default


class Text(NamedTuple):
    """A stretch of input that is no record: kept whole, line ends included."""

    raw: str
    where: Where


class ParseError(VmkbError, ValueError):
    """A line that begins as a record and does not go on as one.

    Attributes: file, line, column (1-based, of the first character that does not fit),
    expected (what the grammar would have taken there), found (the text there),
    family (grammar name) and raw (the whole text, so that nothing is lost).
    """

    def __init__(
        self,
        file: str,
        line: int,
        column: int,
        expected: str,
        found: str,
        family: str = "",
        raw: str = "",
    ) -> None:
        self.file, self.line, self.column = file, line, column
        self.expected, self.found = expected, found
        self.family, self.raw = family, raw
        super().__init__(file, line, column, expected, found, family, raw)

    def __str__(self) -> str:
        found = repr(self.found[:40]) if self.found else "the end of the line"
        what = f"{self.family} record: " if self.family else ""
        where = f"{self.file}:{self.line}:{self.column}"
        return f"{where}: {what}expected {self.expected}, found {found}"


#: A scanned item, in input order.
Item = Record | Text | ParseError
