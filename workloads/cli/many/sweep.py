# SPDX-License-Identifier: MIT
"""vmkb sweep: a designed experiment, answered by a table of main effects."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import click

from vmkb import given
from vmkb.workloads.command.failures import Refused, kept, stopped
from vmkb.workloads.command.output import say
from vmkb.workloads.command.show import show
from vmkb.workloads.command.stopping import STOPPED, stop_in_order

RESULTS = "results"
DESIGN = "sweep.toml"
GUEST = "vmkb"


@click.command("sweep")
@click.option("--design", "file", type=click.Path(dir_okay=False, path_type=Path),
              help="Factors and levels; default: workloads/sweep.toml.")  # fmt: skip
@click.option("--trials", type=click.IntRange(1, 99), help="Trials of each combination.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path),
              help="Folder for the results; default: results/sweep-STAMP.")  # fmt: skip
@click.option("--resume", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Folder of a sweep that was stopped; its own design holds.")  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(1, 64), help="Run on so many workers on this machine."
)
def command(
    file: Path | None, trials: int | None, out: Path | None, resume: Path | None,
    workers: int | None,
) -> None:  # fmt: skip
    """Measure FTP under every combination of release, file, MTU, buffers and loss.

    Prints by how much each factor moves the CPU of a kilobyte, with its interval; the page in the
    results folder has the plot. Exit codes: 0 good, 2 usage, 3 guest or emulator failed, 130
    stopped.
    """
    from vmkb.accounting.analysis.analyse import of_tables
    from vmkb.accounting.costs import CostError
    from vmkb.accounting.models import ModelError
    from vmkb.accounting.report.formats import unwritten, write_all
    from vmkb.accounting.store import StoreError
    from vmkb.errors import UsageError
    from vmkb.guests.base import driver
    from vmkb.guests.errors import ContentsError
    from vmkb.hercules.emulator.boot import find_guest
    from vmkb.workloads.base.here import Here
    from vmkb.workloads.base.progress import progress
    from vmkb.workloads.base.run import Run
    from vmkb.workloads.base.settings import locked
    from vmkb.workloads.command.shut_off import shut_off
    from vmkb.workloads.sweeping.design import FILE, load
    from vmkb.workloads.sweeping.effects import effect_table, effects, sentence
    from vmkb.workloads.sweeping.lab import PointFtp, settings_of
    from vmkb.workloads.sweeping.readout import doubted, labels, measured

    if resume is not None and (file or trials or out):
        raise Refused("--resume goes on with the design of the sweep; give nothing with it.")
    stop_in_order()
    folder = resume or out or Path(RESULTS) / f"sweep-{datetime.now():%Y%m%d-%H%M%S}"
    try:
        if resume is None and (folder / DESIGN).exists():
            raise UsageError(f"{folder} has a sweep already; --resume {folder} takes it up.")
        source = file or FILE if resume is None else folder / DESIGN
        design = load(source)
        folder.mkdir(parents=True, exist_ok=True)
        if resume is None:
            text = given.text(source)
            if trials:
                text = re.sub(r"^trials *=.*$", f"trials = {trials}", text, flags=re.M)
            (folder / DESIGN).write_text(text, "utf-8")
            design = load(folder / DESIGN)
        guest = find_guest(GUEST)
        driver(guest).build()
        goes_on = f"vmkb sweep --resume {folder} goes on."
        with locked(folder):
            runs = []
            for point in design.points():
                place = point.place(folder)
                place.mkdir(exist_ok=True)
                workload = PointFtp(point)
                runs.append(Run(workload, settings_of(design, workload), guest, place))
            kinds = [p.like for run in runs for p in run.left]
            try:
                if kinds:
                    shut_off()
                with kept(goes_on, folder), progress(kinds) as shown:
                    for run in runs:
                        shown.say(run.folder.name)
                        run.run(shown, Here(workers or 0))
            except KeyboardInterrupt:
                say(stopped(goes_on, folder), err=True)
                raise SystemExit(STOPPED) from None
            found, ran = measured(design, folder)
            made = effects(found, labels(design))
            doubts = doubted(design, folder)
            table = effect_table(made, "(IC/FT)", (f"{len(runs)} labs, {len(ran)} trials.",))
            said = sentence(made)
            answered = of_tables([table] if table else [], said, doubts)
            made_files = write_all(answered, folder, f"vmkb sweep: {folder.name}")
    except (ContentsError, CostError, ModelError, StoreError, UsageError) as error:
        raise Refused(str(error)) from error
    rest = [f"The plot: {folder / 'report.html'}; each lab's run is a folder beside it."]
    raise SystemExit(show(answered, unwritten(made_files), rest=rest))
