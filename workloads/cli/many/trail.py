# SPDX-License-Identifier: MIT
"""vmkb trail: the cost of a kilobyte commit by commit."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vmkb.workloads.cli.run import RESULTS, checksum_option
from vmkb.workloads.command.failures import Refused, kept, stopped
from vmkb.workloads.command.output import say
from vmkb.workloads.command.stopping import STOPPED, stop_in_order

if TYPE_CHECKING:
    from vmkb.workloads.base.settings import Checksum
    from vmkb.workloads.sweeping.trail import Trail

TABLE = "trail.csv"
STEP = 0.002
"""A change of the cost that the page marks, if --bisect gives no other; a part of the cost."""
HEAD = ("commit", "date", "cpu_us_per_kb", "change_percent", "tcpip_us_per_kb", "subject", "why",
        "text_bytes", "data_bytes", "bss_bytes", "releases")  # fmt: skip


@click.command("trail")
@click.argument("kind", type=click.Choice(["lwip", "freertos", "smoltcp", "vmkb", "linux"]))
@click.argument("repository", type=click.Path(path_type=Path))
@click.argument("commits", metavar="A..B")
@click.option("--case", default="G2M_B", show_default=True, help="Case of the ftp workload.")
@click.option("--bisect", default="", metavar="PERCENT",
              help="Measure only what it takes to find the commits that change the cost by more"
              " than this: 0.5%.")  # fmt: skip
@checksum_option
@click.option("--workers", type=click.IntRange(1, 64), default=None,
              help="Trials side by side; default: one for each processor.")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path),
              help="Folder for the results; default: results/trail-STAMP. Commits that it has are"
              " not measured again.")  # fmt: skip
def command(
    kind: str, repository: Path, commits: str, case: str, bisect: str, checksum: Checksum | None,
    workers: int | None, out: Path | None,
) -> None:  # fmt: skip
    """Measure each commit of lwIP, FreeRTOS-Plus-TCP, smoltcp, VM/KB or Linux from A to B that
    changes a linked file, and print a table by commit. The folder site in the results folder has
    pages with plots and steps, and a feed: it can be published as it is.

    For example: vmkb trail lwip ../lwip STABLE-2_2_0_RELEASE..master --bisect 0.5%

    Exit codes: 0 good, 2 usage, 3 guest or emulator failed, 130 stopped. A commit that does not
    build or fails has no cost, and the table says why.
    """
    from vmkb.errors import UsageError
    from vmkb.guests.base import driver
    from vmkb.guests.release.build import CKSM
    from vmkb.guests.release.kinds import FREERTOS, LWIP, SMOLTCP, VMKB
    from vmkb.hercules.emulator.boot import find_guest
    from vmkb.workloads.base.settings import locked
    from vmkb.workloads.command.shut_off import shut_off
    from vmkb.workloads.sweeping.commits import Stacks
    from vmkb.workloads.sweeping.kernels import Kernels
    from vmkb.workloads.sweeping.trail import Subject, Trail

    first, dots, last = commits.partition("..")
    if not (first and dots and last) or last.startswith("."):
        raise Refused(f"{commits} is no range of commits; give A..B.")
    threshold = _part(bisect)
    stop_in_order()
    folder = out or Path(RESULTS) / f"trail-{datetime.now():%Y%m%d-%H%M%S}"
    again = f"the same command with --out {folder} goes on."
    guest = find_guest("vmkb")
    driver(guest).build()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with locked(folder), kept(again, folder):
            tell = lambda said: say(said, err=True)  # noqa: E731
            kinds = {"lwip": LWIP, "freertos": FREERTOS, "smoltcp": SMOLTCP, "vmkb": VMKB}
            of: Subject
            if kind in kinds:
                of = Stacks(kinds[kind], guest, checksum or CKSM)
            elif checksum:
                raise UsageError("--checksum is for a TCP/IP stack, not for Linux.")
            else:
                of = Kernels(guest)
            trail = Trail(of, repository, first, last, case, folder, tell, workers or 0)
            shut_off()
            if threshold is None:
                trail.measure(trail.commits)
            else:
                trail.steps(threshold)
            _write(trail, threshold or STEP, folder)
    except UsageError as error:
        raise Refused(str(error)) from error
    except KeyboardInterrupt:
        say(stopped(again, folder), err=True)
        raise SystemExit(STOPPED) from None


def _part(percent: str) -> float | None:
    """PERCENT, such as 0.5%, as a part of one; None if there is none."""
    if not percent:
        return None
    try:
        value = float(percent.removesuffix("%"))
    except ValueError:
        value = 0.0
    if not 0 < value < 100:
        raise Refused(f"--bisect {percent}: give a percentage above 0, such as 0.5%.")
    return value / 100


def _write(trail: Trail, threshold: float, folder: Path) -> None:
    """Print the table of what is known, and write it to FOLDER, with a page that marks the steps
    beyond THRESHOLD."""
    from vmkb.accounting.shown import csv_cell
    from vmkb.accounting.tables.trail import changes, sentence
    from vmkb.workloads.sweeping.site import write

    points = trail.points()
    rows = []
    for point, value, same, _ in changes(points):
        known = [f"{v:.3f}" if v is not None else "" for v in (point.total, point.part)]
        change = "" if value is None else "=" if same else f"{100 * value:+.2f}"
        rows.append(
            (point.commit, point.date, known[0], change, known[1], point.subject, point.why,
             *(point.sizes or ("", "", "")), " ".join(point.tags))
        )  # fmt: skip
    with (folder / TABLE).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEAD, *((*row[:5], *map(csv_cell, row[5:])) for row in rows)])
    say("Commit      Date        CPU/KB   Change %  Subject")
    say("----------------------------------------------------------------------------")
    for name, date, total, change, _, subject, why, *_ in rows:
        if change != "=":
            said = f"{subject[:52]}" if not why else f"no cost: {why[:120]}"
            say(f"{name[:10]}  {date}  {total:>6}   {change:>8}  {said}")
    equal = sum(row[3] == "=" for row in rows)
    say(f"usec per KB, all machines. Left out: {equal} that give the program of the one before.")
    page = write(trail, threshold, folder)
    said = sentence(points, trail.case, threshold, trail.sized)
    say(f"{said} The site: {page}; all commits: {folder / TABLE}")
