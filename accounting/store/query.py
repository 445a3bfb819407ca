# SPDX-License-Identifier: MIT
"""Questions to stored results in SQL, through DuckDB.

Tables: runs (run, key, value), trials (one line each), "values" (every number read, with unit,
source, tick and raw text), costs (what each part of each trial cost, from the finest source that
the trial has: IC, else QT, AC, HT or PB), costs_by_source (the same from every source). In both,
step is how far us_per_kb may be off because of the source's steps.
The results file itself is never opened by DuckDB, so a question cannot change it, and a torn
line or an older schema number is dealt with by accounting.store first.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from vmkb import given
from vmkb.accounting.costs import TrialCost, costs
from vmkb.accounting.input.archive import files, write_csv
from vmkb.accounting.models import chosen_model
from vmkb.accounting.records import Source, Value
from vmkb.accounting.shown import plain
from vmkb.accounting.store import Results, Trial
from vmkb.accounting.store.bounded import QueryError, ask, database, quoted

_COSTS = {
    "trial": "VARCHAR", "case_id": "VARCHAR", "release": "VARCHAR", "machine": "VARCHAR",
    "label": "VARCHAR", "cpu_us": "DOUBLE", "virtual_us": "DOUBLE", "us_per_kb": "DOUBLE",
    "step": "DOUBLE", "instructions": "DOUBLE", "bytes": "DOUBLE", "elapsed_us": "DOUBLE",
    "rate_kb_s": "DOUBLE", "method": "VARCHAR", "source": "VARCHAR",
}  # fmt: skip
#: The finest source first.
_METHODS = (Source.IC, Source.QT, Source.AC, Source.HT, Source.PB)
#: Of each field of a record.
FIELD_COLUMNS = {
    "field": "VARCHAR", "value": "DOUBLE", "unit": "VARCHAR", "source": "VARCHAR", "tick": "DOUBLE",
}  # fmt: skip
_FIELD = ", ".join(f"{name} {kind}" for name, kind in FIELD_COLUMNS.items())
#: Columns of the rows that each table is made of.
SCHEMA = {
    "runs": {"run": "VARCHAR", "key": "VARCHAR", "value": "VARCHAR"},
    "trials": {
        "trial": "VARCHAR", "run": "VARCHAR", "case_id": "VARCHAR", "release": "VARCHAR",
        "table_title": "VARCHAR", "mode": "VARCHAR", "run_id": "VARCHAR", "pair": "INTEGER",
        "seq": "INTEGER", "status": "VARCHAR", "why": "VARCHAR",
    },
    "values": {
        "trial": "VARCHAR", "kind": "VARCHAR", "machine": "VARCHAR", "file": "VARCHAR",
        "line": "INTEGER", "raw": "VARCHAR", "fields": f"STRUCT({_FIELD})[]",
    },
    "costs": _COSTS,
    "costs_by_source": _COSTS,
}  # fmt: skip


#: What a table shows of its rows, where that is not just these: a line for each field of a record.
_SHOWN = {
    "values": "trial, kind, machine, f.field AS field, f.value AS value, f.unit AS unit,"
    " f.source AS source, f.tick AS tick, file, line, raw FROM (SELECT *, unnest(fields) AS f",
}


def _trial(t: Trial) -> dict[str, Any]:
    return {
        "trial": t.id, "run": t.run, "case_id": t.case, "release": t.release,
        "table_title": t.table, "mode": t.mode, "run_id": t.run_id, "pair": t.pair, "seq": t.seq,
        "status": t.status or "unfinished", "why": t.why,
    }  # fmt: skip


def _values(t: Trial) -> list[dict[str, Any]]:
    return [
        {
            "trial": t.id, "kind": r.kind, "machine": r.word("userid") or r.origin,
            "file": r.where.file, "line": r.where.line, "raw": r.raw,
            "fields": [
                {"field": n, "value": v[0], "unit": v[1], "source": v[2], "tick": v[3]}
                for n, v in r.fields.items()
                if isinstance(v, Value)
            ],
        }
        for r in t.records
    ]  # fmt: skip


def _costs(t: Trial) -> Iterator[list[dict[str, Any]]]:
    """The costs of T's parts, from each source that it has, the finest first."""
    chosen = chosen_model([t], "")
    for method in _METHODS:
        if method is Source.IC and chosen is None:
            continue
        (cost,) = costs([t], method, chosen)
        if cost.usable:
            yield _rows(cost)


def _rows(cost: TrialCost) -> list[dict[str, Any]]:
    t = cost.trial
    return [
        {
            "trial": t.id, "case_id": t.case, "release": t.release, "machine": p.machine,
            "label": p.label, "cpu_us": p.cpu.value if p.cpu else None,
            "virtual_us": p.virtual.value if p.virtual else None,
            "us_per_kb": p.per_kb.value if p.per_kb else None,
            "step": p.per_kb.step if p.per_kb else None,
            "instructions": p.instructions.value if p.instructions else None,
            "bytes": cost.data.value if cost.data else None,
            "elapsed_us": cost.elapsed.value if cost.elapsed else None,
            "rate_kb_s": cost.rate.value if cost.rate else None,
            "method": str(cost.source),
            "source": p.per_kb.letters if p.per_kb else "",
        }
        for p in cost.parts
    ]  # fmt: skip


def _runs(results: Results) -> Iterator[dict[str, Any]]:
    metas = {t.run: t.meta for t in (*results.trials, *results.unfinished)}
    return (
        {"run": run, "key": k, "value": str(v)}
        for run, m in metas.items()
        for k, v in {**m, "at": results.begun.get(run, "")}.items()
    )


#: How the rows of each table are made, one by one: none is made that a question does not name.
_MAKE: dict[str, Callable[[Results], Iterable[dict[str, Any]]]] = {
    "runs": _runs,
    "trials": lambda r: (_trial(t) for t in (*r.trials, *r.unfinished)),
    "values": lambda r: (row for t in (*r.trials, *r.unfinished) for row in _values(t)),
    "costs": lambda r: (row for t in r.trials for row in next(_costs(t), ())),
    "costs_by_source": lambda r: (row for t in r.trials for rows in _costs(t) for row in rows),
}


def rows_of(results: Results, table: str) -> Iterable[dict[str, Any]]:
    """The rows of TABLE, one of SCHEMA."""
    return _MAKE[table](results)


def write_rows(found: Iterable[Results], tables: Iterable[str], folder: Path) -> None:
    """Write the rows of TABLES to FOLDER, a file of JSON lines each; one of FOUND is looked at at a
    time."""
    encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
    with ExitStack() as stack:
        files = {
            name: stack.enter_context((folder / f"{name}.json").open("w", encoding="utf-8"))
            for name in tables
        }
        for results in found:
            for name, file in files.items():
                file.writelines(encode(row) + "\n" for row in rows_of(results, name))


def select_rows(table: str, folder: Path) -> str:
    """SQL for TABLE as questions see it, from the file that write_rows wrote to FOLDER."""
    columns = ", ".join(f"'{c}': '{kind}'" for c, kind in SCHEMA[table].items())
    shown = _SHOWN.get(table, "*")
    file = quoted(folder / f"{table}.json")
    return (
        f"SELECT {shown} FROM read_json({file}, format='newline_delimited',"
        f" columns={{{columns}}}, maximum_object_size=16777216){')' * shown.count('(SELECT')}"
    )


def query(found: Results | Iterable[Results], sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of SQL's answer over the results FOUND. QueryError with DuckDB's words
    if it is not SQL.

    The question can read nothing but these tables, and write nothing.
    """
    every = (found,) if isinstance(found, Results) else found
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        named = [name for name in SCHEMA if name in sql.lower()]  # nobody looks at the others
        write_rows(every, named, here)
        for name in SCHEMA:
            (here / f"{name}.json").touch()
        views = [f'CREATE VIEW "{name}" AS {select_rows(name, here)}' for name in SCHEMA]
        return ask(views, sql, readable=[here])


#: Columns of what vmkb parse writes as CSV (accounting.listing.CSV_HEAD); value is text, because a
#: field may be a word.
RECORDS = {
    "file": "VARCHAR", "line": "BIGINT", "column": "BIGINT", "kind": "VARCHAR", "stamp": "VARCHAR",
    "origin": "VARCHAR", "field": "VARCHAR", "value": "VARCHAR", "unit": "VARCHAR",
    "source": "VARCHAR", "tick": "DOUBLE",
}  # fmt: skip


def _select_csv(rows: Path) -> str:
    """SQL for the records in ROWS, which vmkb parse wrote."""
    columns = ", ".join(f"'{c}': '{kind}'" for c, kind in RECORDS.items())
    return (
        f"SELECT * FROM read_csv({quoted(rows)}, header=true, columns={{{columns}}},"
        " max_line_size=16777216)"
    )


def csv_to_parquet(rows: Path, parquet: Path) -> None:
    """The CSV that vmkb parse writes as a Parquet file. QueryError if it cannot be written."""
    import duckdb

    with database() as db:
        try:
            db.execute(f"COPY ({_select_csv(rows)}) TO {quoted(parquet)} (FORMAT parquet)")
        except duckdb.Error as error:
            raise QueryError(str(error)) from error


def query_records(path: Path, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """SQL's answer over the table `records` of a file that vmkb parse wrote, CSV or Parquet."""
    try:
        given.opened(path).close()
        path = path.resolve()
    except OSError as error:
        raise QueryError(f"{path} cannot be read: {error.strerror}") from None
    parquet = f"SELECT * FROM read_parquet({quoted(path)})"
    select = parquet if path.suffix == ".parquet" else _select_csv(path)
    return ask([f"CREATE VIEW records AS {select}"], sql, readable=[path])


@contextmanager
def log_rows(path: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """A CSV file with the records of the log or the folder of logs at PATH, for a while, and notes
    on what could not be read. QueryError if there is nothing to read."""
    if not files(path):
        raise QueryError(f"{path} holds neither results nor logs")
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "records.csv"
        malformed, notes = write_csv(path, rows)
        if malformed:
            notes = (*notes, f"{malformed} malformed records: vmkb parse says where")
        yield rows, tuple(notes)


def _cell(cell: Any) -> str:
    text = "-" if cell is None else str(cell)
    return plain(text.replace("\n", "\\n").replace("\t", "\\t"))


def aligned(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """An answer as plain text in columns."""
    names, shown = [_cell(n) for n in names], [[_cell(x) for x in row] for row in rows]
    widths = [max(len(x) for x in column) for column in zip(names, *shown, strict=True)]
    lines = ["  ".join(n.ljust(w) for n, w in zip(names, widths, strict=True)).rstrip()]
    lines.append("  ".join("-" * w for w in widths))
    lines += ["  ".join(x.ljust(w) for x, w in zip(r, widths, strict=True)).rstrip() for r in shown]
    return "\n".join(lines) + "\n"
