# SPDX-License-Identifier: MIT
"""vmkb query: SQL over stored results."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from vmkb.errors import VmkbError
from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say

if TYPE_CHECKING:
    from vmkb.accounting.store import Results
    from vmkb.accounting.store.examples import Answer


def newest(folder: Path = Path("results")) -> Path:
    """The results directory written last under FOLDER."""
    found = sorted(folder.glob("**/results.jsonl"), key=lambda p: p.stat().st_mtime)
    if not found:
        raise Refused(f"there are no results under {folder}/: name a directory with --in")
    return found[-1].parent


class Asked(NamedTuple):
    """How questions are answered: by `ask`; over `tables`, each with its columns of words; with
    `notes` that are known once something was asked; and the `examples` of such questions."""

    ask: Callable[[str], Answer]
    tables: dict[str, list[str]]
    notes: list[str]
    examples: Sequence[tuple[str, str]]


@contextmanager
def _asked(path: Path) -> Iterator[Asked]:
    """What answers questions to PATH: results, an archive, logs or a file of vmkb parse."""
    from vmkb.accounting.store import holds_results, read
    from vmkb.accounting.store.dataset.read import query_archive
    from vmkb.accounting.store.dataset.write import is_archive, results_below
    from vmkb.accounting.store.examples import LOGS, RESULTS
    from vmkb.accounting.store.query import RECORDS, SCHEMA, log_rows, query, query_records

    def words(columns: Mapping[str, str]) -> list[str]:
        return [name for name, kind in columns.items() if kind == "VARCHAR"]

    notes: list[str] = []
    records = {"records": words(RECORDS)}
    tables = {name: words(columns) for name, columns in SCHEMA.items()}
    if path.suffix in (".csv", ".parquet"):
        yield Asked(partial(query_records, path), records, notes, LOGS)
    elif is_archive(path):
        yield Asked(partial(query_archive, path), tables, notes, RESULTS)
    elif folders := [path] if holds_results(path) else results_below(path):

        def each() -> Iterator[Results]:
            for folder in folders:
                results = read(folder)
                notes.extend(note for note in results.notes if note not in notes)
                yield results

        yield Asked(lambda sql: query(each(), sql), tables, notes, RESULTS)
    else:
        with log_rows(path) as (rows, said):
            notes += said
            yield Asked(partial(query_records, rows), records, notes, LOGS)


@click.command("query")
@click.argument("words", nargs=-1, metavar="[DIR|FILE] SQL")
@click.option("--in", "where", type=click.Path(exists=True),
              help="Results directory; default: the newest under results/.")  # fmt: skip
@click.option(
    "--to", "form", default="table", show_default=True, type=click.Choice(["table", "csv", "json"])
)
@click.option(
    "--examples", is_flag=True, help="Print ten questions and their answers, without SQL."
)
def command(words: tuple[str, ...], where: str | None, form: str, examples: bool) -> None:
    """Answer SQL over stored results, over a FILE that vmkb parse wrote, or over logs.

    Of results (DIR, all that are below it; default: the newest under results/) there are the tables
    runs, trials, "values", costs and costs_by_source. An archive (vmkb archive) has these with a
    column run, and medians(COLUMN), by case and release, for any number of rows. Of a CSV or
    Parquet FILE, and of a log or a folder of logs, plain or packed (.gz .xz .bz2 .zst), there is
    the table records.

    For example: SELECT case_id, release, label, median(us_per_kb) FROM costs GROUP BY ALL
    """
    from vmkb.accounting.store.examples import why_empty

    places = list(words) if examples else list(words[:-1])
    if not words and not examples:
        raise Refused("give a question in SQL; --examples shows ten with their answers")
    if len(places) + bool(where) > 1:
        raise Refused("give one directory and one question; quote the SQL as one word")
    where = places[0] if places else where
    try:
        with _asked(Path(where) if where else newest()) as asked:
            if examples:
                for title, sql in asked.examples:
                    names, rows = asked.ask(sql)
                    say(f"{title}\n  {sql}\n")
                    _print("table", names, rows or [["nothing"] + [""] * (len(names) - 1)])
                    say("")
            else:
                names, rows = asked.ask(words[-1])
                if not rows:
                    asked.notes.extend(why_empty(words[-1], asked.tables, asked.ask))
                _print(form, names, rows)
            for note in asked.notes:
                say(f"Note: {note}", err=True)
    except VmkbError as error:
        raise Refused(str(error)) from error


def _print(form: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    from vmkb.accounting.shown import csv_cell
    from vmkb.accounting.store.query import aligned

    if form == "csv":
        out = io.StringIO()
        cells = [[csv_cell(cell) for cell in row] for row in (names, *rows)]
        csv.writer(out, lineterminator="\n").writerows(cells)
        say(out.getvalue(), nl=False)
    elif form == "json":
        say(json.dumps([dict(zip(names, r, strict=True)) for r in rows], default=str))
    else:
        say(aligned(names, rows), nl=False)
