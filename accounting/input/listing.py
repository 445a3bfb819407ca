# SPDX-License-Identifier: MIT
"""Records as lines of text: a listing for the eye, CSV in long form, JSON lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from vmkb.accounting.records import Field, Item, ParseError, Record, Text, Unit, Value
from vmkb.accounting.shown import csv_cell

CSV_HEAD = "file,line,column,kind,stamp,origin,field,value,unit,source,tick"


@dataclass
class Listing:
    """The result of a run over items: output (UTF-8), kinds counted, errors in words."""

    out: bytes = b""
    kinds: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    notes: int = 0
    text: str = ""


def make(items: Iterable[Item], to: str, strict: bool = False) -> Listing:
    """ITEMS in the format TO (FORMATS); STRICT stops at the first error."""
    write = FORMATS[to]
    result = Listing()
    out: list[str] = []
    text: list[str] = []
    kinds: list[str] = []
    for item in items:
        if isinstance(item, Record):
            kinds.append(item[0])
            result.notes += len(item[-1])
            out.append(write(item))
        elif isinstance(item, ParseError):
            result.errors.append(str(item))
            if to == "json":
                out.append(_json_error(item))
            text.append(item.raw + "\n")
            if strict:
                break
        elif isinstance(item, Text):
            text.append(item.raw)
    result.kinds.update(kinds)
    result.out, result.text = "".join(out).encode(), "".join(text)
    return result


def _json_field(value: Field) -> Any:
    if isinstance(value, Value):
        return {
            "value": value.value,
            "unit": value.unit,
            "source": value.source,
            "tick": value.tick,
        }
    return value


def to_json(record: Record) -> str:
    """RECORD as one line of JSON."""
    where = record.where
    whole = {
        "kind": record.kind,
        "file": where.file,
        "line": where.line,
        "column": where.col,
        "stamp": record.stamp,
        "origin": record.origin,
        "fields": {name: _json_field(value) for name, value in record.fields.items()},
        "notes": record.notes,
        "raw": record.raw,
    }
    return json.dumps(whole) + "\n"


def _json_error(error: ParseError) -> str:
    whole = {
        "error": {
            "file": error.file,
            "line": error.line,
            "column": error.column,
            "family": error.family,
            "expected": error.expected,
            "found": error.found,
        },
        "raw": error.raw,
    }
    return json.dumps(whole) + "\n"


#: What CSV must quote: one search costs less than four.
_MARKS = re.compile('[,"\n\r]')


@lru_cache(maxsize=1024)
def _quoted(text: str, cell: Callable[[str], str]) -> str:
    """TEXT as CELL makes it, in quotes if CSV needs them; names and words come again and again."""
    text = cell(text)
    return '"' + text.replace('"', '""') + '"' if _MARKS.search(text) else text


def _asis(text: str) -> str:
    return text


def to_csv(record: Record) -> str:
    """RECORD as CSV rows, one for each field (CSV_HEAD names the columns). A text that a
    spreadsheet would work out has an apostrophe before it."""
    return to_rows(record, csv_cell)


def to_rows(record: Record, cell: Callable[[str], str] = _asis) -> str:
    """The same, each text as CELL makes it: as it is, for programs."""
    kind, fields, _, (file, line, column), stamp, origin, _, _ = record
    head = f"{_quoted(file, cell)},{line},{column},{kind},{stamp},{_quoted(origin, cell)}"
    rows = ""
    for name, value in fields.items():
        if value.__class__ is Value:
            number, unit, source, tick = value
            rows += f"{head},{name},{number},{unit},{source},{tick}\n"
        else:
            words = value if isinstance(value, str) else json.dumps(value)
            rows += f"{head},{name},{_quoted(words, cell)},,,\n"
    return rows


def _shown(value: Field) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, Value):
        return " ".join("/".join(row) for row in value)
    if value.unit is Unit.US:
        seconds = value.value / 1_000_000
        return f"{seconds:.2f}s" if value.tick >= 10_000 else f"{seconds:.6f}s"
    if value.unit is Unit.DAY_S:
        whole = int(value.value)
        return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
    unit = "" if value.unit is Unit.COUNT else value.unit.value
    return f"{value.value}{unit}"


def to_line(record: Record) -> str:
    """RECORD for the eye: line number, kind, fields, and doubts below."""
    fields = "  ".join(f"{n}={_shown(v)}" for n, v in record.fields.items() if v != "")
    origin = f" {record.origin}" if record.origin else ""
    line = f"{record.where.line:>8}  {record.kind:<14}{origin} {fields}\n"
    return line + "".join(f"{'':>10}note: {note}\n" for note in record.notes)


FORMATS: dict[str, Callable[[Record], str]] = {
    "table": to_line, "csv": to_csv, "rows": to_rows, "json": to_json,
}  # fmt: skip
HEADS = {
    "table": f"{'line':>8}  {'kind':<14} fields\n", "csv": CSV_HEAD + "\n",
    "rows": CSV_HEAD + "\n", "json": "",
}  # fmt: skip
