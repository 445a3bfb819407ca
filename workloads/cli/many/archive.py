# SPDX-License-Identifier: MIT
"""vmkb archive: many runs and logs as one Parquet dataset."""

from __future__ import annotations

from pathlib import Path

import click

from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say


@click.command("archive")
@click.argument("sources", nargs=-1, required=True, metavar="DIR|FILE...",
                type=click.Path(exists=True, path_type=Path))  # fmt: skip
@click.option("--to", "archive", required=True, metavar="ARCHIVE",
              type=click.Path(file_okay=False, path_type=Path),
              help="Folder of the archive; made if it is missing.")  # fmt: skip
def command(sources: tuple[Path, ...], archive: Path) -> None:
    """Add runs and logs to an archive that vmkb query and vmkb history read.

    Each DIR is a results folder, or has some below it; any other DIR and FILE is taken for logs. A
    run that is there already is taken again only if it has changed. One that cannot be taken is
    told, and the others are taken.
    """
    from vmkb.accounting.shown import plain
    from vmkb.accounting.store.dataset.write import ArchiveError, add

    refused: list[str] = []
    for source in sources:
        try:
            for said in add(source, archive):
                say(said)
        except ArchiveError as error:
            refused += map(plain, str(error).splitlines())
    if refused:
        raise Refused("\n".join(refused))
