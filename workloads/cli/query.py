# SPDX-License-Identifier: MIT
"""vmkb query: SQL over stored results."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vmkb.errors import VmkbError
from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say

if TYPE_CHECKING:
    from vmkb.accounting.store import Results


def newest(folder: Path = Path("results")) -> Path:
    """The results directory written last under FOLDER."""
    found = sorted(folder.glob("**/results.jsonl"), key=lambda p: p.stat().st_mtime)
    if not found:
        raise Refused(f"there are no results under {folder}/: name a directory with --in")
    return found[-1].parent


@click.command("query")
@click.argument("words", nargs=-1, required=True, metavar="[DIR|FILE] SQL")
@click.option("--in", "where", type=click.Path(exists=True),
              help="Results directory; default: the newest under results/.")  # fmt: skip
@click.option(
    "--to", "form", default="table", show_default=True, type=click.Choice(["table", "csv", "json"])
)
def command(words: tuple[str, ...], where: str | None, form: str) -> None:
    """Answer SQL over stored results, over a FILE that vmkb parse wrote, or over logs.

    Of results (DIR, all that are below it; default: the newest under results/) there are the tables
    runs, trials, "values", costs and costs_by_source. An archive (vmkb archive) has these with a
    column run, and medians(COLUMN), by case and release, for any number of rows. Of a CSV or
    Parquet FILE, and of a log or a folder of logs, plain or packed (.gz .xz .bz2 .zst), there is
    the table records.

    For example: SELECT case_id, release, label, median(us_per_kb) FROM costs GROUP BY ALL
    """
    from vmkb.accounting.shown import csv_cell
    from vmkb.accounting.store import holds_results, read
    from vmkb.accounting.store.dataset.read import query_archive
    from vmkb.accounting.store.dataset.write import is_archive, results_below
    from vmkb.accounting.store.query import aligned, query, query_logs, query_records

    *places, sql = words
    if len(places) + bool(where) > 1:
        raise Refused("give one directory and one question; quote the SQL as one word")
    where = places[0] if places else where
    try:
        path = Path(where) if where else newest()
        notes: tuple[str, ...] = ()
        if path.suffix in (".csv", ".parquet"):
            names, rows = query_records(path, sql)
        elif is_archive(path):
            names, rows = query_archive(path, sql)
        elif folders := [path] if holds_results(path) else results_below(path):
            said: list[str] = []

            def each() -> Iterator[Results]:
                for folder in folders:
                    results = read(folder)
                    said.extend(results.notes)
                    yield results

            names, rows = query(each(), sql)
            notes = tuple(said)
        else:
            names, rows, notes = query_logs(path, sql)
    except VmkbError as error:
        raise Refused(str(error)) from error
    for note in notes:
        say(f"Note: {note}", err=True)
    if form == "csv":
        out = io.StringIO()
        cells = [[csv_cell(cell) for cell in row] for row in (names, *rows)]
        csv.writer(out, lineterminator="\n").writerows(cells)
        say(out.getvalue(), nl=False)
    elif form == "json":
        say(json.dumps([dict(zip(names, r, strict=True)) for r in rows], default=str))
    else:
        say(aligned(names, rows), nl=False)
