# SPDX-License-Identifier: MIT
"""An analysis as the text of a format, and as files."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.report import data, markup, terminal
from vmkb.accounting.store.bounded import TOO_LITTLE
from vmkb.accounting.tables.table import TableError

#: Formats that are text; parquet is a file.
FORMATS = ("terminal", "markdown", "csv", "json", "latex", "html", "benchfmt")
FILES = {
    "terminal": "report.txt", "markdown": "report.md", "csv": "report.csv", "json": "report.json",
    "latex": "report.tex", "html": "report.html", "benchfmt": "report.bench",
    "parquet": "report.parquet",
}  # fmt: skip


def render(
    found: Analysis, form: str, *, width: int = 100, title: str = "vmkb report",
    links: Sequence[tuple[str, str]] = (),
) -> str:  # fmt: skip
    """FOUND in the text format FORM; benchfmt prints the trials behind it. LINKS are for html."""
    tables, sentence, doubts = found.tables, found.sentence, found.doubts
    if form == "terminal":
        told = "".join(f"NOT TRUSTED: {doubt}\n" for doubt in doubts)
        return f"{sentence}\n\n{terminal.text(tables, width)}{told}"
    if form == "markdown":
        return f"{sentence}\n\n{markup.markdown(tables, doubts)}"
    if form == "latex":
        return markup.latex(tables, doubts)
    if form == "csv":
        return data.as_csv(tables)
    if form == "json":
        return data.as_json(found)
    if form == "benchfmt":
        return data.benchfmt(found.costs)
    if form == "html":
        from vmkb.accounting.report.html import html

        return html(found, title, links)
    raise TableError(f"there is no format {form!r}; there are {', '.join(FORMATS)} and parquet")


def unwritten(made: Sequence[Path]) -> list[str]:
    """Notes on what is missing among the files that write_all has MADE."""
    if FILES["parquet"] in {path.name for path in made}:
        return []
    return [f"{FILES['parquet']} was not written: {TOO_LITTLE}"]


def write_all(found: Analysis, folder: Path, title: str) -> list[Path]:
    """Every format into FOLDER; the paths. Parquet is left out where memory is too little."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for form, name in FILES.items():
        path = folder / name
        if form == "parquet":
            with contextlib.suppress(MemoryError):
                data.write_parquet(found.tables, path)
                made.append(path)
        else:
            path.write_text(render(found, form, title=title), "utf-8")
            made.append(path)
    return made
