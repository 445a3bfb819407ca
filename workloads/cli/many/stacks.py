# SPDX-License-Identifier: MIT
"""vmkb stacks: TCP/IP stacks beside each other."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vmkb.workloads.cli.run import RESULTS, checksum_option, ip_option
from vmkb.workloads.command.failures import Refused, kept, stopped
from vmkb.workloads.command.output import say
from vmkb.workloads.command.show import show
from vmkb.workloads.command.stopping import STOPPED, stop_in_order

if TYPE_CHECKING:
    from vmkb.workloads.base.settings import Checksum, Ip

GUEST = "vmkb"


@click.command("stacks")
@click.argument("releases", metavar="A,B,..")
@checksum_option
@ip_option
@click.option("--linux", "kernels", default="", metavar="KERNEL,..",
              help="Linux kernels beside them: 6.1, or NAME=PATH[@REF] of your own.")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path),
              help="Folder for the results; default: results/stacks-STAMP.")  # fmt: skip
def command(
    releases: str, checksum: Checksum | None, ip: Ip | None, kernels: str, out: Path | None
) -> None:
    """Measure TCP/IP stacks, releases or NAME=PATH[@REF] of your own, and print what each does as
    TCP says, CPU of files, round trips, connections and lost frames, rates and sizes.

    For example: vmkb stacks 221,ft=../FreeRTOS-Plus-TCP,smol=../smoltcp

    Exit codes: 0 good, 2 usage, 3 guest or emulator failed, 130 stopped.
    """
    from vmkb.accounting.analysis.analyse import of_tables
    from vmkb.accounting.report.formats import unwritten, write_all
    from vmkb.errors import UsageError
    from vmkb.guests.base import driver
    from vmkb.hercules.emulator.boot import find_guest
    from vmkb.workloads.base.progress import progress
    from vmkb.workloads.base.settings import Asked, locked
    from vmkb.workloads.command.shut_off import shut_off
    from vmkb.workloads.sweeping import stacks

    stop_in_order()
    folder = out or Path(RESULTS) / f"stacks-{datetime.now():%Y%m%d-%H%M%S}"
    again = "the same command with another --out begins anew."
    guest = find_guest(GUEST)
    driver(guest).build()
    try:
        if folder.exists():
            raise UsageError(f"{folder} is there already; give another --out.")
        asked = Asked(releases=releases, checksum=checksum, ip=ip)
        runs = stacks.prepared(asked, kernels, guest, folder, lambda said: say(said, err=True))
        with locked(folder):
            try:
                shut_off()
                with kept(again, folder), progress([p.like for r in runs for p in r.left]) as shown:
                    stacks.run(runs, shown)
            except KeyboardInterrupt:
                say(stopped(again, folder), err=True)
                raise SystemExit(STOPPED) from None
            answered = of_tables(stacks.tables(runs), doubts=stacks.doubts(runs))
            made = write_all(answered, folder, f"vmkb stacks: {folder.name}")
    except UsageError as error:
        raise Refused(str(error)) from error
    raise SystemExit(show(answered, unwritten(made), rest=[f"As files: {folder}"], whole=True))
