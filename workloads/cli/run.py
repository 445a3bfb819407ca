# SPDX-License-Identifier: MIT
"""vmkb run: repeats a published measurement on guests and prints its tables."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vmkb.errors import VmkbError
from vmkb.workloads.command.failures import Refused, kept, stopped
from vmkb.workloads.command.number import Number
from vmkb.workloads.command.output import say
from vmkb.workloads.command.show import EXIT_FAILED, EXIT_REGRESSION, show
from vmkb.workloads.command.stopping import STOPPED, stop_in_order

if TYPE_CHECKING:
    from vmkb.accounting.analysis.analyse import Analysis
    from vmkb.accounting.tables.table import Table
    from vmkb.hercules.guest import Guest
    from vmkb.workloads.base.here import Executor
    from vmkb.workloads.base.run import Run
    from vmkb.workloads.base.settings import Checksum, Ip, Settings
    from vmkb.workloads.base.workload import Workload

RESULTS = "results"


@dataclass(frozen=True)
class Aim:
    """When a run knows enough: each case within WIDTH percent, or on one side of FAIL_ABOVE
    percent; after SECONDS at the latest, if given. FIXED: it is as long as it was asked to be.
    EXPLAINED: at its end it tells sizes and functions, too."""

    width: float = 1.0
    fail_above: float | None = None
    seconds: float | None = None
    fixed: bool = False
    explained: bool = False


def run_workload(
    workload: Workload[Any, Any],
    settings: Settings,
    folder: Path,
    guest: Guest,
    resumed: bool,
    whole: bool = False,
    executor: Executor | None = None,
    aim: Aim | None = None,
) -> int:
    """Run what is left of SETTINGS in FOLDER by EXECUTOR, or here, and more of it until AIM is
    reached; print and write its tables; the exit code."""
    from vmkb.hercules.emulator.choice import cost_of_stock
    from vmkb.workloads.base.here import Here
    from vmkb.workloads.base.run import Run
    from vmkb.workloads.base.settings import locked, save
    from vmkb.workloads.command.shut_off import shut_off

    aim = aim or Aim(fixed=True)
    goes_on = f"vmkb run {workload.name} --resume {folder} goes on."
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with locked(folder):
        run = Run(workload, settings, guest, folder)
        if run.left and (cost := cost_of_stock(run.emulator)):
            say(f"vmkb: {run.emulator.name}: {cost}", err=True)
        if not resumed:
            save(settings, folder)
        elif run.left:
            done = len(run.plan) - len(run.left)
            say(f"{done} of {len(run.plan)} trials are there; the others follow", err=True)
        if run.left and (executor is None or isinstance(executor, Here)):
            shut_off()
        while True:
            here, trials = time.monotonic(), len(run.left)
            try:
                _run(run, goes_on, executor)
            except KeyboardInterrupt:
                say(stopped(goes_on, folder), err=True)
                return STOPPED
            found = _analysed(run.workload, folder, len(run.plan), settings.model, aim)
            if isinstance(found, str):
                say(f"NOT TRUSTED: no table can be made: {found}", err=True)
                return EXIT_FAILED
            each = (time.monotonic() - here) / trials if trials else 0.0
            further = _further(found[0], run, settings, aim)
            if further is not None:
                settings = settings.model_copy(update={"more": further})
                run = Run(workload, settings, guest, folder, lambda said: say(said, err=True))
            if further is None or not run.left:  # the workload may have no more of these cases
                code = _end(run, folder, found, whole, aim)
                return code or _open(found[0], aim)
            takes = each * len(run.left)
            if aim.seconds is not None and time.monotonic() - began + takes > aim.seconds:
                code = _end(run, folder, found, whole, aim)
                say("Undecided when --time ran out; --resume with more of it goes on.", err=True)
                return code or EXIT_REGRESSION
            save(settings, folder)
            about = f", about {takes:.0f} s" if takes else ""
            say(f"Not decided yet: {len(run.left)} more trials{about}", err=True)


def _run(run: Run[Any, Any], goes_on: str, executor: Executor | None) -> None:
    from vmkb.workloads.base.progress import progress

    with kept(goes_on, run.folder), progress([p.like for p in run.left]) as shown:
        run.run(shown, executor)


def _end(
    run: Run[Any, Any], folder: Path, found: tuple[Analysis, tuple[Table, ...]], whole: bool,
    aim: Aim,
) -> int:  # fmt: skip
    """Print and write to FOLDER the answer FOUND, with what changed beside the cost, which is found
    out if AIM says so; the exit code."""
    from vmkb.workloads.base.profile.told import tables

    answer, profile = found
    try:
        if aim.explained:
            from vmkb.workloads.base.profile.changes import find

            tell_it = partial(say, err=True)
            find(answer, run.workload, run.settings, run.guest, folder, tell_it)
        if more := tables(folder):
            answer = replace(answer, tables=(*answer.tables, *more))
    except (VmkbError, OSError, KeyboardInterrupt) as error:
        reason = str(error).partition("\n")[0] or "stopped"
        say(f"Note: Sizes and functions are not told: {reason}", err=True)
    return tell(folder, answer, profile, whole, aim.fail_above)


def _further(
    found: Analysis, run: Run[Any, Any], settings: Settings, aim: Aim
) -> dict[str, int] | None:
    """How many more rounds of which cases AIM needs; None if it is reached, or never will be. The
    error of a stock counter is that of each layout of the code: more rounds do not lessen it."""
    from vmkb.workloads.base.further import undecided, wanted

    if aim.fixed or found.doubts or not run.emulator.exact:
        return None
    changes = undecided(found.rulings, aim.fail_above)
    more = wanted(changes, settings.trials * settings.builds, settings.more, aim.width)
    return more if more != settings.more else None


def _open(found: Analysis, aim: Aim) -> int:
    """The exit code of a run that ends for want of more to do: 1 if it was asked whether a case is
    beyond a limit, and does not know."""
    from vmkb.accounting.analysis.rule import split_at
    from vmkb.workloads.base.further import undecided

    if aim.fixed or aim.fail_above is None:
        return 0
    if not (undecided(found.rulings, aim.fail_above) or split_at(found.rulings, aim.fail_above)):
        return 0
    say("Undecided, and more trials would not decide it.", err=True)
    return EXIT_REGRESSION


def _analysed(
    workload: Workload[Any, Any], folder: Path, planned: int, model: str, aim: Aim
) -> tuple[Analysis, tuple[Table, ...]] | str:
    """The analysis of the trials in FOLDER, with the tables of its profile; or why they say
    nothing."""
    from vmkb.workloads.base.report import of_run

    try:
        return of_run(workload, folder, planned, model, aim.width)
    except VmkbError as error:
        return str(error)


def tell(
    folder: Path, found: Analysis, profile: Sequence[Table], whole: bool, fail_above: float | None
) -> int:
    """Print the answer, or WHOLE: every table, and write all to FOLDER; the exit code."""
    from vmkb.accounting.compare import PUBLISHED
    from vmkb.accounting.report.formats import FILES, unwritten, write_all

    name = found.specification.name
    notes = unwritten(write_all(found, folder, f"vmkb run {name}: {folder.name}"))
    beside = (
        ", published figures beside"
        if any(t.name.startswith(PUBLISHED) for t in found.tables)
        else ""
    )
    rest = [f"By machine{beside}: {folder / FILES['html']}", f"Here: vmkb report {folder} --all"]
    code = show(found, notes, rest=rest, whole=whole, fail_above=fail_above)
    if profile and not whole:
        from vmkb.workloads.command.show import show_profile

        say()
        show_profile(profile)
    return code


def seconds_of(context: click.Context, option: click.Parameter, given: str | None) -> float | None:
    """A time such as 90s, 10m or 1h, in seconds."""
    if given is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", given.strip())
    if not found or not float(found[1]):
        raise click.BadParameter("a time is a number of s, m or h, such as 90s or 10m")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


checksum_option = click.option(
    "--checksum", type=click.Choice(["cksm", "own"]), default=None,
    help="What makes checksums in a stack of your own: the instruction CHECKSUM (default), or its"
    " own code.",
)  # fmt: skip

ip_option = click.option(
    "--ip", type=click.Choice([4, 6]), default=None,
    help="Version of IP of stacks of your own: 4 (default) or 6 (docs/guide/releases.md).",
)  # fmt: skip


@click.command("run")
@click.argument("workload")
@click.option("--quick", "style", flag_value="quick", help="Little of all, in minutes (default).")
@click.option("--full", "style", flag_value="full", help="The published cases, sizes and times.")
@click.option("--trials", type=click.IntRange(1, 999), help="Trials of each case and release.")
@click.option(
    "--builds",
    type=click.IntRange(1, 60),
    help="Builds of each release; --trials are of each of them, if the workload has several.",
)
@click.option("--cflags", default="", metavar="FLAGS",
              help="Compile all builds with these options, not with several in turn.")  # fmt: skip
@checksum_option
@ip_option
@click.option(
    "--releases",
    default="",
    metavar="A,B,..",
    help="Releases to compare, base first. NAME=PATH[@REF] is an lwIP or VM/KB of your own"
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
@click.option("--users", type=click.IntRange(1, 999), default=None,
              help="Users at terminals, where their number can be chosen (cms).")  # fmt: skip
@click.option(
    "--emulator",
    default="",
    help="exact, stock, hyperion or the path of a hercules; default:"
    " exact, else stock (vmkb list emulators).",
)
@click.option(
    "--profile",
    is_flag=True,
    help="Tell where the instructions go, by layer and function (docs/guide/profile.md).",
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
@click.option("--width", type=Number(0, min_open=True), default=1.0, show_default=True,
              help="Percent within which each case's change is to be known.")  # fmt: skip
@click.option("--time", "within", callback=seconds_of, metavar="TIME",
              help="Go on for so long at most (90s, 10m), whatever --trials says.")  # fmt: skip
@click.option("--fail-above", type=Number(-100), metavar="PERCENT",
              help="Exit with 1 if a case became dearer by more than this.")  # fmt: skip
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
    users: int | None,
    emulator: str,
    builds: int | None,
    cflags: str,
    checksum: Checksum | None,
    ip: Ip | None,
    profile: bool,
    out: Path | None,
    resume: Path | None,
    workers: int | None,
    scheduler: str,
    guest_name: str,
    width: float,
    within: float | None,
    fail_above: float | None,
    whole: bool,
    explained: bool = False,
) -> None:
    """Repeat WORKLOAD on guests and print its tables: what it costs in CPU.

    `vmkb list workloads` tells which there are. A run goes on until each case is known well enough,
    unless --trials or --builds says how long it is. Exit codes: 0 measured, 1 a case became dearer
    than --fail-above allows or --time ran out before it was decided, 2 usage, 3 a trial failed or
    is not to be trusted, 130 stopped.
    """
    from vmkb.accounting.store import StoreError
    from vmkb.errors import UsageError
    from vmkb.guests.base import driver, refusal
    from vmkb.guests.errors import ContentsError
    from vmkb.hercules.emulator.boot import find_guest
    from vmkb.hercules.emulator.choice import BUILDER, choose
    from vmkb.workloads.base.found import workload as find
    from vmkb.workloads.base.here import Here
    from vmkb.workloads.base.own import check_unchanged, taken, with_own
    from vmkb.workloads.base.population import population
    from vmkb.workloads.base.settings import FILE_NAME, Asked, restore
    from vmkb.workloads.base.unlinked import with_unlinked
    from vmkb.workloads.base.variants import at_most

    asked = Asked(
        style, trials, releases, cases, model, wire, emulator, builds, profile, mtu=mtu,
        users=users, checksum=checksum, ip=ip,
    )  # fmt: skip
    if resume is not None and (out or cflags or asked != Asked()):
        raise Refused("--resume goes on with the options of the run; give none with it.")
    if workers and scheduler:
        raise Refused("--workers are started here, --scheduler has its own; give one of them.")
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
        guest = find_guest(guest_name)
        if resume is not None:
            folder, settings = resume, restore(resume, found.name)
            check_unchanged(settings)
        else:
            stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
            folder = out or Path(RESULTS) / f"{found.name}-{stamp}"
            if (folder / FILE_NAME).exists():
                raise UsageError(f"{folder} has a run already; --resume {folder} takes it up.")
            asked, mine = taken(found, asked)
            settings = found.settings(asked)
            several = len(settings.releases) > 1
            compiled = population(found, mine, guest, cflags) if several or cflags else ()
            most = builds or max(settings.builds, len(compiled))
            added = {"own": (*settings.own, *mine), "compiled": compiled, "builds": most}
            settings = settings.model_copy(update=added)
        guest = guest.model_copy(update={"compiled": settings.compiled})
        hands = driver(guest)
        if why := refusal(hands, found.roles):
            raise UsageError(why)
        hands.build()
        if not found.compares:  # builds of systems are their drivers'
            settings = settings.model_copy(update={"builds_here": at_most(guest, settings.builds)})
        for own in settings.own:
            say(f"Release {own.name}: {own.about()}", err=True)
        built = with_own(guest, settings, lambda said: say(said, err=True))
        if resume is None and not found.compares:
            settings = with_unlinked(settings, found, built)
        if (workers or scheduler) and settings.profile:
            raise UsageError("--profile runs on one machine: leave out --workers and --scheduler.")
        if (workers or scheduler) and not choose(settings.emulator).exact:
            raise UsageError(
                "--workers and --scheduler need virtual time, which the counting emulator has:"
                f" {BUILDER} builds it."
            )
        executor: Executor = Here(workers or 0)
        if scheduler:
            from vmkb.workloads.campaign.away import Away  # asyncio, for this alone

            executor = Away(scheduler, guest_name)
        code = run_workload(
            found,
            settings,
            folder,
            guest,
            resume is not None,
            whole,
            executor,
            Aim(width, fail_above, within, settings.fixed and within is None, explained),
        )
    except (UsageError, StoreError, ContentsError) as error:
        raise Refused(str(error)) from error
    raise SystemExit(code)
