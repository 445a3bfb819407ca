# SPDX-License-Identifier: MIT
"""vmkb table: anybody's table of CPU and amounts, recomputed and checked."""

from __future__ import annotations

import csv
import io
import tomllib
from pathlib import Path

import click

from vmkb import given
from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say
from vmkb.workloads.command.show import EXIT_FAILED

#: Bytes of a table of figures.
TABLE = 64 << 20


def mapping(said: tuple[str, ...]) -> dict[str, str | list[str]]:
    """The content of --map: KEY=COLUMN or KEY=COLUMN:UNIT, or a TOML file of such keys."""
    made: dict[str, str | list[str]] = {}
    for text in said:
        key, equals, value = text.partition("=")
        if equals:
            old = made.get(key, [])
            made[key] = value if not old else [*([old] if isinstance(old, str) else old), value]
            continue
        try:
            made |= tomllib.loads(given.text(text)).get("map", {})
        except OSError as error:
            raise Refused(f"--map {text}: {error.strerror}; or give KEY=COLUMN:UNIT") from None
        except tomllib.TOMLDecodeError as error:
            raise Refused(f"--map {text} is not TOML: {error}") from None
    return made


def read_csv(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file with a head; lines that begin with # are comments."""
    try:
        with io.StringIO(given.text(path, TABLE).removeprefix("\ufeff"), newline="") as f:
            rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
    except (OSError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Refused(f"cannot read {path} as a table: {why}") from None
    if any(None in row or None in row.values() for row in rows):
        raise Refused(f"{path}: a row has more or fewer fields than the head")
    return rows


@click.command("table")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--map", "given", multiple=True, metavar="KEY=COLUMN[:UNIT]|FILE",
              help="case and release: words. cpu, elapsed (us ms s), amount (B KB MB bit Kbit"
              " Mbit), rate, cpu_rate (the same a second), cost (us/KB ms/KB s/Mbit ...), percent"
              " (%). Or a TOML file with these keys under [map].")  # fmt: skip
@click.option("--to", "form", default="terminal", show_default=True,
              type=click.Choice(["terminal", "markdown", "csv", "json", "latex"]))  # fmt: skip
def command(file: Path, given: tuple[str, ...], form: str) -> None:
    """Recompute CPU per KB in anybody's CSV table, and find rows that contradict themselves.

    FILE has a head. A row contradicts itself if what it prints differs from what its other
    numbers give by more than rounding allows; then the exit code is 3.

    For example: vmkb table ftp.csv --map case=host --map cpu=cpu_s:s --map amount=size:MB
    """
    from vmkb.accounting.analysis.analyse import of_tables
    from vmkb.accounting.input.mapped import (
        MappingError,
        contradictions,
        mapped_table,
        read_map,
        read_rows,
    )
    from vmkb.accounting.report.formats import render

    try:
        lines = read_rows(read_csv(file), read_map(mapping(given)))
    except MappingError as error:
        raise Refused(f"{file}: {error}") from None
    found = of_tables([mapped_table(lines, file.name)], doubts=contradictions(lines))
    say(render(found, form), nl=False)
    raise SystemExit(EXIT_FAILED if found.doubts else 0)
