# SPDX-License-Identifier: MIT
"""vmkb parse: anybody's console logs, monitor output and accounting cards into records.

Needs Python alone: no emulator, no compiler, and no number library for a small file.
"""

from __future__ import annotations

import errno
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

import click

from vmkb.accounting.grammar.families import BY_NAME, family_names
from vmkb.accounting.input.archive import LARGE, listings
from vmkb.accounting.input.listing import HEADS, Listing
from vmkb.accounting.input.reading import ReadingError
from vmkb.workloads.command.failures import TOO_MANY
from vmkb.workloads.command.output import say

_HELP = "Families: " + "; ".join(f"{name} ({BY_NAME[name].about})" for name in family_names()) + "."


@click.command("parse", epilog=_HELP)
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option(
    "--format", "names", multiple=True, metavar="F", type=click.Choice(["auto", *family_names()]),
    help="Read only this family of output (may be repeated). Default: auto, all of them.",
)  # fmt: skip
@click.option(
    "--to", type=click.Choice(["table", "csv", "json", "parquet"]), default="table",
    show_default=True,
    help="A listing, CSV with one row for each field, one JSON object for each record, or the"
    " CSV's rows as a Parquet file (--out).",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="The Parquet file.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Stop at the first malformed record, exit code 1.")
@click.option(
    "--rest", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Write everything that is no record to FILE.",
)  # fmt: skip
@click.option(
    "--jobs", type=click.IntRange(min=1), default=None, metavar="N",
    help=f"Processes for a file over {LARGE >> 20} MB (default: all cores).",
)  # fmt: skip
@click.option(
    "--progress/--no-progress", default=None, help="Default: for large files on a terminal."
)
def command(
    file: str,
    names: tuple[str, ...],
    to: str,
    out: Path | None,
    strict: bool,
    rest: Path | None,
    jobs: int | None,
    progress: bool | None,
) -> None:
    """Read console logs, monitor output or accounting cards; print what they measured.

    FILE may be ASCII or EBCDIC, lines or fixed records, or binary 80-byte cards; '-' is
    standard input.  What is no record is left alone (see --rest); a malformed record is
    reported with file, line, column and what was expected, and reading goes on.
    """
    chosen = () if "auto" in names else tuple(name for name in family_names() if name in names)
    if (to == "parquet") != (out is not None):
        raise click.UsageError("--to parquet and --out FILE go together")
    path = Path(file)
    if path.is_dir():
        raise click.UsageError(
            f"{file} is a folder: give a file in it, or ask all of them:"
            f" vmkb query {file} 'SELECT * FROM records'"
        )
    if file != "-" and not path.exists():
        raise click.UsageError(f"there is no file {file} to read; give a path, or - for a pipe")
    size = path.stat().st_size if path.is_file() else 0
    if progress is None:
        progress = size >= LARGE and sys.stderr.isatty()
    try:
        with _progress(size, progress) as told, _rest_file(rest) as rest_out:
            keep = rest_out is not None
            form = "csv" if out else to
            lists = listings(file, form, chosen, strict, keep, jobs, told)
            with _sink(out) as sink:
                kinds, errors, notes = _print(lists, form, strict, rest_out, sink)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - the reader of the pipe has gone
        return
    except ReadingError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        of_another = error.filename is not None and str(error.filename) != file
        if of_another or error.errno in (*TOO_MANY, errno.ENOSPC, errno.EDQUOT):
            raise  # which says nothing of FILE
        raise click.UsageError(f"cannot read {file}: {error.strerror or error}") from None
    if to == "table" or errors:
        _summary(kinds, errors, notes)
    if errors and strict:
        sys.exit(1)


def _print(
    lists: Iterator[Listing], to: str, strict: bool, rest: TextIO | None, out: BinaryIO
) -> tuple[Counter[str], int, int]:
    kinds: Counter[str] = Counter()
    errors = notes = 0
    out.write(HEADS[to].encode())
    for part in lists:
        out.write(part.out)
        kinds.update(part.kinds)
        notes += part.notes
        for message in part.errors:
            errors += 1
            say(message, err=True)
        if rest is not None:
            rest.write(part.text)
        if strict and part.errors:
            break
    out.flush()
    return kinds, errors, notes


def _summary(kinds: Counter[str], errors: int, notes: int) -> None:
    found = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "no records"
    doubts = f"; {notes} notes" if notes else ""
    bad = f"; {errors} malformed" if errors else ""
    say(f"{found}{doubts}{bad}", err=True)


@contextmanager
def _sink(parquet: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file of CSV rows that becomes PARQUET when all is written."""
    if parquet is None:
        yield sys.stdout.buffer
        return
    import tempfile

    from vmkb.accounting.store.query import csv_to_parquet

    with tempfile.NamedTemporaryFile(suffix=".csv") as rows:
        yield rows  # type: ignore[misc]
        rows.flush()
        csv_to_parquet(Path(rows.name), parquet)


@contextmanager
def _rest_file(rest: Path | None) -> Iterator[TextIO | None]:
    if rest is None:
        yield None
    else:
        with rest.open("w", encoding="latin-1", newline="") as out:
            yield out


@contextmanager
def _progress(size: int, wanted: bool) -> Iterator[Callable[[int], object] | None]:
    """A callback that takes bytes done, drawing on standard error if WANTED."""
    if not wanted:
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=size or None)
        yield lambda done: bar.advance(task, done)


__all__ = ["command"]

if __name__ == "__main__":
    command()
