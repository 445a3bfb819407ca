# SPDX-License-Identifier: MIT
"""vmkb report: every table of a results directory in every format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from workloads.cli.compare import emit, load, make, options
from workloads.failures import Refused
from workloads.show import said, setup, show


@click.command("report")
@click.argument("directory")
@options
@click.option("--out", type=click.Path(file_okay=False),
              help="Folder for the files; default: the results directory.")  # fmt: skip
@click.option("--to", "form", default="",
              type=click.Choice(["", "terminal", "markdown", "csv", "json", "latex", "html",
                                 "benchfmt"]), help="Print one format instead of writing"
              " files.")  # fmt: skip
@click.option("--published/--no-published", default=True,
              help="Add published numbers beside ours where a case has some.")  # fmt: skip
@click.option("--all", "whole", is_flag=True, help="Print every table and note.")
def command(
    directory: str, out: str | None, form: str, published: bool, whole: bool, **given: Any
) -> None:
    """Print the answer that DIRECTORY gives, and write its tables as text, Markdown, CSV, JSON,
    LaTeX, HTML with plots, benchfmt and Parquet. Exit code 1 means that a number is not to be
    trusted.
    """
    from accounting.costs import CostError
    from accounting.models import ModelError
    from accounting.report.build import FILES, unwritten, with_published, write_all
    from accounting.store import StoreError
    from accounting.tables.table import TableError
    from workloads.base.report import comparable, published_table, sentence_of, workload_tables
    from workloads.measuring.report import measured

    try:
        trials, notes, found = load(directory)
    except StoreError as error:
        raise Refused(str(error)) from error
    commands = measured(trials)
    try:
        tables, costs, sentence = commands or (*make(comparable(trials), **given), "")
        if published and not commands:
            tables = with_published(tables, costs, published_table(trials))
        if not commands and not any(given[k] for k in ("source", "layout", "sweep")):
            tables = workload_tables(trials, tables, given["model"])
        sentence = sentence or sentence_of(trials, costs, given["base_release"], given["model"])
    except (CostError, ModelError, StoreError, TableError) as error:
        raise Refused(str(error)) from error
    title = f"vmkb report: {Path(directory).name}"
    doubts = list(dict.fromkeys([*found, *(d for t in tables for d in t.doubts)]))
    if form and form != "terminal":
        emit(tables, costs, form, None, title, sentence)
        raise SystemExit(said(doubts, notes, bool(doubts)))
    rest = "--all prints every table."
    if not form:
        path = Path(directory)
        folder = Path(out) if out else path if path.is_dir() else path.parent
        notes += unwritten(write_all(tables, costs, folder, title, sentence))
        rest = f"Every table, with plots: {folder / FILES['html']} (and .txt .md .csv .json .tex"
        rest += " .bench .parquet); --all prints them."
    asked = whole or form == "terminal" or bool(given["layout"] or given["sweep"])
    raise SystemExit(
        show(tables, sentence, doubts, notes, rest=rest, about=setup(costs), whole=asked)
    )
