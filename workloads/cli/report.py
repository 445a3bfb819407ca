# SPDX-License-Identifier: MIT
"""vmkb report: every table of a results directory in every format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from vmkb.workloads.cli.compare import emit, load, make, options
from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.show import said, show


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
    directory: str, out: str | None, form: str, published: bool, whole: bool,
    fail_above: float | None, **given: Any,
) -> None:  # fmt: skip
    """Print the answer that DIRECTORY gives, and write its tables as text, Markdown, CSV, JSON,
    LaTeX, HTML with plots, benchfmt and Parquet. Exit codes: 0 good, 1 a case became dearer than
    --fail-above allows, 2 usage, 3 a trial failed or is not to be trusted.
    """
    from vmkb.accounting.report.formats import FILES, unwritten, write_all
    from vmkb.accounting.store import StoreError
    from vmkb.errors import UsageError
    from vmkb.workloads.base.profile.told import tables

    if form and out:
        raise click.UsageError("--to prints, and --out is for files: give one of them")
    try:
        loaded = load(directory)
    except StoreError as error:
        raise Refused(str(error)) from error
    found, notes = make(loaded, published, **given), loaded.notes
    try:
        if not any(given[name] for name in ("source", "layout", "sweep")):
            found = replace(found, tables=(*found.tables, *tables(Path(directory))))
    except UsageError as error:
        raise Refused(str(error)) from error
    title = f"vmkb report: {Path(directory).name}"
    if form and form != "terminal":
        emit(found, form, None, title)
        raise SystemExit(said(found, notes, fail_above))
    rest = ["By machine, with plots: vmkb report without --to writes them (--all: here)."]
    if not form:
        path = Path(directory)
        folder = Path(out) if out else path if path.is_dir() else path.parent
        notes = [*notes, *unwritten(write_all(found, folder, title))]
        rest = [f"By machine, with plots: {folder / FILES['html']} (--all: here)"]
    asked = whole or form == "terminal" or bool(given["layout"] or given["sweep"])
    raise SystemExit(show(found, notes, rest=rest, whole=asked, fail_above=fail_above))
