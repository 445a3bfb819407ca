# SPDX-License-Identifier: MIT
"""vmkb published: the figures of a published document, each with ours beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say

if TYPE_CHECKING:
    from vmkb.accounting.compare import Lookup


@click.command("published")
@click.argument("directories", metavar="DIRECTORY...", nargs=-1, required=True)
@click.option(
    "--strict",
    is_flag=True,
    help="End with 2 where a figure is not as published and no reason is known.",
)
def command(directories: tuple[str, ...], strict: bool) -> None:
    """Print a page with each published figure, ours, their ratio, and why they differ.

    The page is that of the first DIRECTORY's workload. Further results may add figures to it. Exit
    codes: 0 printed, 2 usage, 3 a trial failed or is not to be trusted.
    """
    from vmkb.accounting.report.published import page
    from vmkb.accounting.store import StoreError
    from vmkb.accounting.tables.table import TableError
    from vmkb.workloads.base.report import analysed
    from vmkb.workloads.cli.compare import load

    lookups: dict[str, Lookup] = {}
    about, doubts, name = [], [], ""
    for directory in directories:
        try:
            loaded = load(directory)
            found = analysed(loaded.trials, None, loaded.unfinished)
        except (StoreError, TableError) as error:
            raise Refused(f"{directory}: {error}") from None
        spec = found.specification
        name = name or spec.name
        assert found.given is not None  # there are trials
        for table, lookup in spec.cells(found.given).items():
            lookups[table] = _either(lookups[table], lookup) if table in lookups else lookup
        about.append(_about(found.trials[0].meta))
        doubts += [f"Not to be trusted: {doubt}." for doubt in found.doubts]
    try:
        text = page(name, lookups, [*about, *doubts], strict)
    except TableError as error:
        raise Refused(str(error)) from None
    say(text, nl=False)
    raise SystemExit(3 if doubts else 0)


def _either(first: Lookup, then: Lookup) -> Lookup:
    """The figure that FIRST has, else that of THEN."""
    return lambda row, column: first(row, column) or then(row, column)


def _about(meta: Mapping[str, str]) -> str:
    """How a run was made, in one sentence."""
    said = [f"{k} {meta[k]}" for k in ("model", "wire", "clock", "counter") if meta.get(k)]
    return (
        f"From `vmkb run {meta.get('workload', '')} --{meta.get('size', 'quick')}`:"
        f" {meta.get('trials', '?')} trials, {', '.join(said)},"
        f" {meta.get('emulator', '')} {meta.get('emulator_version', '')}."
    )
