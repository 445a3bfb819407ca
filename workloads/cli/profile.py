# SPDX-License-Identifier: MIT
"""vmkb profile: where the instructions of a run went, for people and for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from vmkb.errors import VmkbError
from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say
from vmkb.workloads.command.show import EXIT_FAILED


@click.command("profile")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Tell where the instructions of the run in FOLDER went, which ran with --profile.

    Prints instructions per KB by layer, and writes for each machine, case and release a file for
    callgrind_annotate and KCachegrind, and for each case and release collapsed stacks for flame
    graphs, into FOLDER/profiles (docs/guide/profile.md). Exit code 1: a sum is not what was
    counted.
    """
    from vmkb.accounting.costs import trial_cost
    from vmkb.accounting.profile.tables import apart_from_counts
    from vmkb.accounting.store import read
    from vmkb.workloads.base.profile.report import profile_tables, profiles, write_files
    from vmkb.workloads.command.show import show_profile

    try:
        costs = [trial_cost(t) for t in read(folder).trials]
        found = profiles(folder, costs)
        if not found:
            raise Refused(f"{folder} has no profile: run the workload with --profile.")
        tables = profile_tables(folder, found)
        written = write_files(folder, found)
    except VmkbError as error:
        raise Refused(str(error)) from None
    show_profile(tables)
    say(f"{len(written)} files for other tools are in {written[0].parent}", err=True)
    doubts = apart_from_counts(found)
    for doubt in doubts:
        say(f"NOT TRUSTED: {doubt}", err=True)
    raise SystemExit(EXIT_FAILED if doubts else 0)
