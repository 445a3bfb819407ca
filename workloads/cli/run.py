# SPDX-License-Identifier: MIT
"""vmkb run: repeats a published measurement on guests and prints its tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workloads.failures import Refused, kept, stopped
from workloads.show import EXIT_UNTRUSTED, setup, show
from workloads.stopping import STOPPED, stop_in_order

if TYPE_CHECKING:
    from hercules.guest import Guest
    from workloads.base.settings import Settings
    from workloads.base.workload import Workload

RESULTS = "results"


@dataclass(frozen=True)
class Spread:
    """Where a run's parts go: WORKERS on this machine, or those of a Dask SCHEDULER; GUEST is how
    they find the guest."""

    workers: int
    scheduler: str
    guest: str


def run_workload(
    workload: Workload[Any, Any],
    settings: Settings,
    folder: Path,
    guest: Guest,
    resumed: bool,
    whole: bool = False,
    spread: Spread | None = None,
) -> int:
    """Run what is left of SETTINGS in FOLDER, here or SPREAD over workers, print and write its
    tables; the exit code."""
    from hercules.emulator.choice import cost_of_stock
    from workloads.base.progress import progress
    from workloads.base.run import Run
    from workloads.base.settings import locked, save
    from workloads.shut_off import shut_off

    goes_on = f"vmkb run {workload.name} --resume {folder} goes on."
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        run = Run(workload, settings, guest, folder)
        if run.left and (cost := cost_of_stock(run.emulator)):
            click.echo(f"vmkb: {run.emulator.name}: {cost}", err=True)
        if not resumed:
            save(settings, folder)
        elif run.left:
            done = len(run.plan) - len(run.left)
            click.echo(f"{done} of {len(run.plan)} trials are there; the others follow", err=True)
        try:
            away = spread is not None and not (run.virtual and spread.workers)
            if run.left and not (spread and spread.scheduler):
                shut_off(away)
            with kept(goes_on, folder), progress([p.like for p in run.left]) as shown:
                if spread is None or not away:
                    run.run(shown, spread.workers if spread else 0)
                else:
                    from workloads.campaign.campaign import run_on_workers

                    run_on_workers([run], spread.guest, spread.workers, spread.scheduler, shown)
        except KeyboardInterrupt:
            click.echo(stopped(goes_on, folder), err=True)
            return STOPPED
        return finish(workload, folder, len(run.plan), settings.model, whole)


def finish(
    workload: Workload[Any, Any], folder: Path, planned: int, model: str, whole: bool = False
) -> int:
    """Print the answer of FOLDER, or WHOLE: every table, and write all there; the exit code."""
    from accounting.costs import CostError
    from accounting.models import ModelError
    from accounting.records import UnitError
    from accounting.report.build import FILES, unwritten, write_all
    from accounting.stats import StatsError
    from accounting.store import StoreError
    from accounting.tables.table import TableError
    from workloads.base.report import make_report

    try:
        report = make_report(workload, folder, planned, model)
    except (CostError, ModelError, UnitError, StatsError, StoreError, TableError) as error:
        click.echo(f"NOT TRUSTED: no table can be made: {error}", err=True)
        return EXIT_UNTRUSTED
    title = f"vmkb run {workload.name}: {folder.name}"
    made = write_all(report.tables, report.costs, folder, title, report.sentence)
    notes = [*report.notes, *unwritten(made)]
    rest = f"Every table, with plots: {folder / FILES['html']}; transcripts and records are beside"
    rest += f" it. vmkb report {folder} --all prints every table."
    code = show(
        report.tables, report.sentence, report.doubts, notes, rest=rest,
        about=setup(report.costs), whole=whole,
    )  # fmt: skip
    if report.profile and not whole:
        from workloads.profile_report import show_profile

        click.echo()
        show_profile(report.profile)
    return code


@click.command("run")
@click.argument("workload")
@click.option("--quick", "style", flag_value="quick", help="Little of all, in minutes (default).")
@click.option("--full", "style", flag_value="full", help="The published cases, sizes and times.")
@click.option("--trials", type=click.IntRange(1, 999), help="Trials of each case and release.")
@click.option(
    "--builds",
    type=click.IntRange(1, 20),
    help="Builds of each release; --trials are of each of them, if the workload has several.",
)
@click.option(
    "--releases",
    default="",
    metavar="A,B,..",
    help="Releases to compare, base first. NAME=PATH[@REF] is an lwIP of your own"
    " (docs/guide/releases.md).",
)
@click.option(
    "--case",
    "cases",
    multiple=True,
    help="Case, its beginning or a published run id (vmkb list cases). May be given again.",
)
@click.option("--model", default="", help="CPU model that QUERY TIME tells milliseconds of.")
@click.option("--wire", default="", help="Profile of the wire.")
@click.option("--mtu", type=click.IntRange(576, 32760), default=None,
              help="Bytes of a packet at most, where it can be chosen (serve).")  # fmt: skip
@click.option(
    "--emulator",
    default="",
    help="exact, stock, hyperion or the path of a hercules; default:"
    " exact, else stock (vmkb list emulators).",
)
@click.option("--clock", type=click.Choice(["virtual", "host"]), default=None,
              help="What the guests' time follows: what they execute (default, where the emulator"
              " can), or this computer's clock.")  # fmt: skip
@click.option(
    "--profile",
    is_flag=True,
    help="Tell where the instructions go, by layer and function (docs/profile.md).",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the results; default: results/WORKLOAD-STAMP.",
)
@click.option(
    "--resume",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of a run that was stopped; its own options hold.",
)
@click.option("--workers", type=click.IntRange(1, 64), default=None,
              help="Run on so many workers on this machine.")  # fmt: skip
@click.option("--scheduler", default="", metavar="ADDRESS",
              help="Run parts on this Dask scheduler's workers (tcp://HOST:8786).")  # fmt: skip
@click.option("--guest", "guest_name", default="vmkb", show_default=True, metavar="GUEST,..",
              help="Guest of all roles; several: see the workload's page.")  # fmt: skip
@click.option("--all", "whole", is_flag=True, help="Print every table and note.")
def command(
    workload: str,
    style: str | None,
    trials: int | None,
    releases: str,
    cases: tuple[str, ...],
    model: str,
    wire: str,
    mtu: int | None,
    emulator: str,
    clock: str | None,
    builds: int | None,
    profile: bool,
    out: Path | None,
    resume: Path | None,
    workers: int | None,
    scheduler: str,
    guest_name: str,
    whole: bool,
) -> None:
    """Repeat WORKLOAD on guests and print its tables: what it costs in CPU.

    `vmkb list workloads` tells which there are. Exit codes: 0 good, 1 not trusted (said why), 2
    usage, 3 guest or emulator failed, 130 stopped.
    """
    from accounting.store import StoreError
    from guests.base import driver, refusal
    from guests.errors import ContentsError
    from hercules.emulator.boot import find_guest
    from workloads.base.found import workload as find
    from workloads.base.own import check_unchanged, taken, with_own
    from workloads.base.settings import FILE_NAME, Asked, restore
    from workloads.errors import UsageError

    asked = Asked(
        style, trials, releases, cases, model, wire, emulator, builds, profile, mtu=mtu,
        clock=clock or "",
    )  # fmt: skip
    if resume is not None and (out or asked != Asked()):
        raise Refused("--resume goes on with the options of the run; give none with it.")
    if workers and scheduler:
        raise Refused("--workers are started here, --scheduler has its own; give one of them.")
    spread = Spread(workers or 0, scheduler, guest_name) if workers or scheduler else None
    stop_in_order()
    try:
        found = find(workload)
        names = tuple(filter(None, (name.strip() for name in guest_name.split(","))))
        if found.servers and (len(names) > 1 or refusal(driver(find_guest(names[0])), found.roles)):
            found = find(found.servers)
        if found.compares:
            asked, guest_name = replace(asked, guests=names), "vmkb"
        elif found.beside and len(names) > 1:
            asked, guest_name = replace(asked, guests=names[1:]), names[0]
        if resume is not None:
            folder, settings = resume, restore(resume, found.name)
            check_unchanged(settings)
        else:
            stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
            folder = out or Path(RESULTS) / f"{found.name}-{stamp}"
            if (folder / FILE_NAME).exists():
                raise UsageError(f"{folder} has a run already; --resume {folder} takes it up.")
            asked, mine = taken(found, asked)
            settings = found.settings(asked).model_copy(update={"own": mine})
        guest = find_guest(guest_name)
        hands = driver(guest)
        if why := refusal(hands, found.roles):
            raise UsageError(why)
        hands.build()
        for own in settings.own:
            click.echo(f"Release {own.name}: {own.about()}", err=True)
        with_own(guest, settings, lambda said: click.echo(said, err=True))
        if spread is not None and settings.profile:
            raise UsageError("--profile runs on one machine: leave out --workers and --scheduler.")
        code = run_workload(found, settings, folder, guest, resume is not None, whole, spread)
    except (UsageError, StoreError, ContentsError) as error:
        raise Refused(str(error)) from error
    raise SystemExit(code)
