# SPDX-License-Identifier: MIT
"""vmkb profile: where the instructions of a run went, for people and for other tools."""

from __future__ import annotations

import sys
from pathlib import Path

import click


class Refused(click.ClickException):
    """A sentence for the user; exit code 2 (usage)."""

    exit_code = 2


@click.command("profile")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Tell where the instructions of the run in FOLDER went, which ran with --profile.

    Prints instructions per KB by layer, and writes for each machine, case and release a file for
    callgrind_annotate and KCachegrind, and for each case and release collapsed stacks for flame
    graphs, into FOLDER/profiles (docs/profile.md).
    """
    from rich.console import Console

    from accounting.costs import CostError, trial_cost
    from accounting.report.terminal import show
    from accounting.store import StoreError, read
    from workloads.errors import UsageError
    from workloads.profile_report import profile_tables, write_files

    try:
        costs = [trial_cost(t) for t in read(folder).trials]
        tables = profile_tables(folder, costs)
        if not tables:
            raise Refused(f"{folder} has no profile: run the workload with --profile.")
        written = write_files(folder, costs)
    except (UsageError, StoreError, CostError) as error:
        raise Refused(str(error)) from None
    show(tables, Console(width=None if sys.stdout.isatty() else 120))
    click.echo(f"{len(written)} files for other tools are in {written[0].parent}", err=True)
