# SPDX-License-Identifier: MIT
"""vmkb run: repeats a published measurement on guests and prints its tables."""

from __future__ import annotations

import signal
import sys
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hercules.guest import Guest
    from workloads.ftp.report import Report
    from workloads.ftp.settings import Settings

EXIT_UNTRUSTED = 1
EXIT_STOPPED = 130
RESULTS = "results"
WORKLOADS = ("ftp",)


class Refused(click.ClickException):
    """A sentence for the user; exit code 2 (usage)."""

    exit_code = 2


def settings_of(
    style: str | None, trials: int | None, releases: str, cases: tuple[str, ...], model: str,
    wire: str,
) -> Settings:
    """The options with the workload's own defaults; UsageError for what does not exist."""
    from accounting.models import ModelError
    from accounting.models import model as find_model
    from hercules.wire_profile import ProfileError, profile
    from workloads.errors import UsageError
    from workloads.ftp.plan import choose_cases, choose_releases, load_workload
    from workloads.ftp.settings import Settings

    workload = load_workload()
    chosen = "full" if style == "full" else "quick"
    try:
        model = find_model(model or workload.model).key
        wire = profile(wire or workload.wire).name
    except (ModelError, ProfileError) as error:
        raise UsageError(str(error)) from None
    if chosen == "full" and not cases:
        cases = tuple(c.id for c in workload.case if c.published)
    count = trials if trials is not None else getattr(workload.trials, chosen)
    return Settings(
        workload=workload.name,
        style="full" if chosen == "full" else "quick",
        trials=count,
        releases=tuple(r.name for r in choose_releases(workload, releases)),
        cases=tuple(c.id for c in choose_cases(workload, cases)),
        model=model,
        wire=wire,
    )  # fmt: skip


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def run_ftp(settings: Settings, folder: Path, guest: Guest, resumed: bool) -> int:
    """Run what is left of SETTINGS in FOLDER, print and write its tables; the exit code."""
    from hercules.deadline import EmulatorError
    from workloads.ftp.plan import load_workload
    from workloads.ftp.runner import FtpRun
    from workloads.progress import progress
    from workloads.settings import locked, save

    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        run = FtpRun(load_workload(), settings, guest, folder)
        if not resumed:
            save(settings, folder)
        elif run.left:
            done = len(run.plan) - len(run.left)
            click.echo(f"{done} of {len(run.plan)} trials are there; the others follow", err=True)
        try:
            with progress([p.case.id for p in run.left]) as shown:
                run.run(shown)
        except KeyboardInterrupt:
            click.echo(f"\nStopped; vmkb run ftp --resume {folder} goes on.", err=True)
            return EXIT_STOPPED
        except EmulatorError:
            click.echo(f"What is done is kept; vmkb run ftp --resume {folder} goes on.", err=True)
            raise
        return finish(folder, len(run.plan), settings.model)


def finish(folder: Path, planned: int, model: str) -> int:
    """Print the tables of FOLDER and write them there; the exit code."""
    from accounting.costs import CostError
    from accounting.models import ModelError
    from accounting.records import UnitError
    from accounting.stats import StatsError
    from accounting.store import StoreError
    from accounting.tables.table import TableError
    from workloads.ftp.report import make_report, write_report

    try:
        report = make_report(folder, planned, model)
    except (CostError, ModelError, UnitError, StatsError, StoreError, TableError) as error:
        click.echo(f"NOT TRUSTED: no table can be made: {error}", err=True)
        return EXIT_UNTRUSTED
    _show(report)
    for note in report.notes:
        click.echo(f"Note: {note}", err=True)
    write_report(report, folder, f"vmkb run ftp: {folder.name}")
    click.echo(f"Tables, transcripts and records are in {folder}", err=True)
    for doubt in report.doubts:
        click.echo(f"NOT TRUSTED: {doubt}", err=True)
    return EXIT_UNTRUSTED if report.doubts else 0


def _show(report: Report) -> None:
    from rich.console import Console

    from accounting.report.terminal import show

    show(report.tables, Console(width=None if sys.stdout.isatty() else 120))


@click.command("run")
@click.argument("workload", type=click.Choice(WORKLOADS))
@click.option("--quick", "style", flag_value="quick", help="Few files, five trials (default).")
@click.option("--full", "style", flag_value="full", help="The published cases, sizes and trials.")
@click.option("--trials", type=click.IntRange(1, 999), help="Trials of each case and release.")
@click.option("--releases", default="", help="Releases to compare, base first: A,B.")
@click.option("--case", "cases", multiple=True,
              help="Case, its beginning (G2M) or a published run id; may be given again.")
@click.option("--model", default="", help="CPU model that QUERY TIME tells milliseconds of.")
@click.option("--wire", default="", help="Profile of the wire.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path),
              help="Folder for the results; default: results/ftp-STAMP.")
@click.option("--resume", type=click.Path(file_okay=False, path_type=Path),
              help="Folder of a run that was stopped; its own options hold.")
@click.option("--guest", "guest_name", default="vmkb", show_default=True,
              help="Guest that plays both roles.")  # fmt: skip
def command(
    workload: str, style: str | None, trials: int | None, releases: str, cases: tuple[str, ...],
    model: str, wire: str, out: Path | None, resume: Path | None, guest_name: str,
) -> None:
    """Repeat WORKLOAD on guests and print its tables: CPU per KB by release.

    Exit codes: 0 good, 1 not trusted (said why), 2 usage, 3 guest or emulator failed.
    """
    from accounting.store import StoreError
    from hercules.guest import load_guest
    from hercules.volume.errors import VolumeError
    from workloads.errors import UsageError
    from workloads.ftp.settings import Settings
    from workloads.settings import FILE_NAME, restore

    given = (style, trials, releases, cases, model, wire, out)
    if resume is not None and any(given):
        raise Refused("--resume goes on with the options of the run; give none with it.")
    signal.signal(signal.SIGTERM, _stop)
    try:
        if resume is not None:
            folder, settings = resume, restore(resume, Settings, workload)
        else:
            stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
            folder = out or Path(RESULTS) / f"{workload}-{stamp}"
            if (folder / FILE_NAME).exists():
                raise UsageError(f"{folder} has a run already; --resume {folder} takes it up.")
            settings = settings_of(style, trials, releases, cases, model, wire)
        code = run_ftp(settings, folder, load_guest(guest_name), resume is not None)
    except (UsageError, StoreError, VolumeError) as error:
        raise Refused(str(error)) from error
    raise SystemExit(code)
