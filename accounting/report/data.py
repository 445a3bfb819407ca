# SPDX-License-Identifier: MIT
"""Tables as data: CSV, JSON and Parquet (one line per number), and benchfmt for benchstat."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.analysis.rule import Change
from vmkb.accounting.costs import TrialCost
from vmkb.accounting.shown import csv_cell, json_plain, plain
from vmkb.accounting.store.bounded import database
from vmkb.accounting.tables.table import Row, Table
from vmkb.accounting.units import Figure

#: Columns of the long form; docs/reference/results.md describes them.
COLUMNS = {
    "table_name": "VARCHAR", "section": "VARCHAR", "row_name": "VARCHAR", "keys": "VARCHAR",
    "column_name": "VARCHAR", "text": "VARCHAR", "value": "DOUBLE", "unit": "VARCHAR",
    "source": "VARCHAR", "lo": "DOUBLE", "hi": "DOUBLE", "n": "INTEGER",
}  # fmt: skip


def long_rows(tables: Sequence[Table]) -> list[dict[str, Any]]:
    """Every number of TABLES as a row: where it stands, its text and what is behind it."""
    return [
        {
            "table_name": table.name, "section": section.kind, "row_name": row.label,
            "keys": " / ".join(c.text for c in row.cells[: table.keys]),
            "column_name": table.columns[k], "text": cell.text, "value": cell.value,
            "unit": cell.unit, "source": cell.source, "lo": cell.lo, "hi": cell.hi, "n": cell.n,
        }
        for table in tables for section, row, k, cell in table.numbers()
    ]  # fmt: skip


def as_csv(tables: Sequence[Table]) -> str:
    """The long form as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(COLUMNS), lineterminator="\n")
    writer.writeheader()
    for row in long_rows(tables):
        writer.writerow({name: csv_cell(cell) for name, cell in row.items()})
    return out.getvalue()


def as_json(found: Analysis) -> str:
    """The answer and the tables as they stand: title, head, sections of rows of cells, notes."""
    whole = {
        "answer": found.sentence,
        "changes": [_change(change) for ruling in found.rulings for change in ruling.changes],
        "doubts": list(found.doubts),
        "tables": [_table(table) for table in found.tables],
    }
    return json_plain(json.dumps(whole, indent=1, ensure_ascii=False)) + "\n"


def _table(table: Table) -> dict[str, Any]:
    def row(r: Row) -> dict[str, Any]:
        return {"label": r.label, "cells": [_cell(c) for c in r.cells]}

    return {
        "name": table.name, "title": table.title, "head": [list(r.texts) for r in table.head],
        "sections": [{"kind": s.kind, "rows": [row(r) for r in s.rows]} for s in table.body],
        "notes": list(table.notes),
    }  # fmt: skip


def _change(change: Change) -> dict[str, Any]:
    """A case's Total under a release beside the base: ratio, ends that hold for all cases."""
    known = change.known
    assert known.base is not None
    return {
        "case": known.column.case, "release": known.column.release, "base": known.base.release,
        "ratio": change.ratio.value, "lo": change.lo, "hi": change.hi, "verdict": change.verdict,
    }  # fmt: skip


def _cell(cell: Any) -> dict[str, Any]:
    if not cell.number:
        return {"text": cell.text}
    got = {"text": cell.text, "value": cell.value, "unit": cell.unit, "source": cell.source}
    if cell.lo is not None:
        got |= {"lo": cell.lo, "hi": cell.hi, "n": cell.n}
    return got


def write_parquet(tables: Sequence[Table], path: Path) -> None:
    """The long form as a Parquet file, through DuckDB."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as lines:
        for row in long_rows(tables):
            lines.write(json.dumps(row) + "\n")
        lines.flush()
        with database() as db:
            db.execute(
                "CREATE TABLE t AS SELECT * FROM"
                " read_json($file, format='newline_delimited', columns=$columns)",
                {"file": lines.name, "columns": COLUMNS},
            )
            quoted = str(path).replace("'", "''")
            db.execute(f"COPY t TO '{quoted}' (FORMAT parquet)")


_NAME = re.compile(r"[^A-Za-z0-9_.+-]+")


def _name(text: str) -> str:
    return _NAME.sub("_", text.strip()) or "_"


def benchfmt(costs: Sequence[TrialCost]) -> str:
    """Each trial's numbers for benchstat; release is a key: `benchstat -col release` compares."""
    out = [*_units(costs)]
    shown: dict[str, str] = {}
    for cost in costs:
        if not cost.usable:
            continue
        t = cost.trial
        keys = {_name(k).lower(): v for k, v in t.meta.items()}
        keys |= {"release": t.release, "source": str(cost.source)}
        for key, value in keys.items():
            if shown.get(key) != value:
                out.append(f"{key}: {' '.join(plain(value).split())}")
                shown[key] = value
        case = _name(t.case)
        name = f"Benchmark{case[0].upper()}{case[1:]}"
        for part in cost.parts:
            if part.per_kb:
                out.append(f"{name}/part={_name(part.label)} 1 {_number(part.per_kb)}")
        if (total := cost.total) is not None:
            rate = f" {_number(cost.rate)}" if cost.rate else ""
            out.append(f"{name}/part=Total 1 {_number(total)}{rate}")
    return "\n".join(out) + "\n"


def _units(costs: Sequence[TrialCost]) -> list[str]:
    """Which way is better, for each unit of COSTS."""
    found = {_unit(f): "lower" for c in costs if (f := c.total) is not None}
    found |= {_unit(c.rate): "higher" for c in costs if c.rate is not None}
    return [f"Unit {unit} better={better}" for unit, better in found.items()]


def _unit(figure: Figure) -> str:
    return figure.quantity.replace(" ", "-")


def _number(figure: Figure) -> str:
    return f"{figure.value!r} {_unit(figure)}"
