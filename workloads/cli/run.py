# SPDX-License-Identifier: MIT
"""vmkb run: repeats a published measurement on guests and prints its tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from workloads.failures import kept
from workloads.show import EXIT_UNTRUSTED, setup, show
from workloads.stopping import STOPPED, stop_in_order

if TYPE_CHECKING:
    from hercules.emulator.choice import Emulator
    from hercules.guest import Guest
    from workloads.ftp.report import Report
    from workloads.ftp.settings import Settings
    from workloads.progress import Progress
    from workloads.terminal.settings import Settings as TerminalSettings

RESULTS = "results"
WORKLOADS = ("ftp", "terminal")


class Refused(click.ClickException):
    """A sentence for the user; exit code 2 (usage)."""

    exit_code = 2


def settings_of(
    style: str | None,
    trials: int | None,
    releases: str,
    cases: tuple[str, ...],
    model: str,
    wire: str,
    emulator: str = "",
    builds: int | None = None,
    profile: bool = False,
) -> Settings:
    """The FTP options with the workload's own defaults; UsageError for what does not exist."""
    from workloads.ftp.plan import choose_cases, choose_releases, load_workload
    from workloads.ftp.settings import Settings

    workload = load_workload()
    chosen = "full" if style == "full" else "quick"
    if chosen == "full" and not cases:
        cases = tuple(c.id for c in workload.case if c.published)
    count = trials if trials is not None else getattr(workload.trials, chosen)
    return Settings(
        workload=workload.name,
        style="full" if chosen == "full" else "quick",
        trials=count,
        releases=tuple(r.name for r in choose_releases(workload, releases)),
        cases=tuple(c.id for c in choose_cases(workload, cases)),
        builds=builds or getattr(workload.builds, chosen),
        profile=profile,
        model=_model(model or workload.model),
        wire=_wire(wire or workload.wire),
        emulator=emulator,
    )  # fmt: skip


def terminal_settings(
    style: str | None,
    trials: int | None,
    releases: str,
    cases: tuple[str, ...],
    model: str,
    wire: str,
    emulator: str = "",
    builds: int | None = None,
    profile: bool = False,
) -> TerminalSettings:
    """The terminal options with the workload's own defaults; UsageError for what does not exist."""
    from workloads.errors import UsageError
    from workloads.terminal.plan import choose_paths, choose_releases, load_workload
    from workloads.terminal.settings import Settings

    if builds is not None:
        raise UsageError("--builds is for workload ftp; terminal measures one build.")
    if profile:
        raise UsageError("--profile is for workload ftp.")

    workload = load_workload()
    return Settings(
        workload=workload.name,
        style="full" if style == "full" else "quick",
        trials=trials or workload.amount("full" if style == "full" else "quick").trials,
        releases=tuple(r.name for r in choose_releases(workload, releases)),
        cases=tuple(p.id for p in choose_paths(workload, cases)),
        model=_model(model or workload.model),
        wire=_wire(wire or workload.wire),
        emulator=emulator,
    )  # fmt: skip


def _model(name: str) -> str:
    """A CPU model's name as it is spelt; UsageError if there is none."""
    from accounting.models import ModelError, model
    from workloads.errors import UsageError

    try:
        return model(name).key
    except ModelError as error:
        raise UsageError(str(error)) from None


def _wire(name: str) -> str:
    """A wire profile's name as it is spelt; UsageError if there is none."""
    from hercules.wire.profile import ProfileError, profile
    from workloads.errors import UsageError

    try:
        return profile(name).name
    except ProfileError as error:
        raise UsageError(str(error)) from None


class Run(Protocol):
    """What a workload's runner is to this command."""

    @property
    def emulator(self) -> Emulator:
        """What it runs on."""

    @property
    def plan(self) -> Sequence[object]:
        """Every trial."""

    @property
    def left(self) -> Sequence[object]:
        """Those that have no result yet."""

    def run(self, progress: Progress) -> None:
        """Run what is left."""


def runner(
    settings: Settings | TerminalSettings, folder: Path, guest: Guest
) -> tuple[Run, list[str]]:
    """The runner of the settings' workload in FOLDER, and what kind each trial left is of."""
    if settings.workload == "terminal":
        from workloads.terminal.plan import load_workload as load_terminal
        from workloads.terminal.runner import TerminalRun
        from workloads.terminal.settings import Settings as Terminal

        assert isinstance(settings, Terminal)
        terminal = TerminalRun(load_terminal(), settings, guest, folder)
        return terminal, [f"{p.kind}{p.documents}" for p in terminal.left]
    from workloads.ftp.plan import load_workload
    from workloads.ftp.runner import FtpRun
    from workloads.ftp.settings import Settings as Ftp

    assert isinstance(settings, Ftp)
    ftp = FtpRun(load_workload(), settings, guest, folder)
    return ftp, [p.case.id for p in ftp.left]


def check_roles(workload: str, guest: Guest) -> None:
    """UsageError with a sentence when GUEST cannot play the roles of WORKLOAD."""
    from guests.base import Ability, Role, driver, refusal
    from workloads.errors import UsageError

    all_need = {Ability.FILES, Ability.CPU, Ability.LEVELS}
    roles = {
        "ftp": [Role(name, frozenset({*all_need, Ability.FTP})) for name in ("server", "client")],
        "terminal": [
            Role("node", frozenset({*all_need, Ability.TELNET, Ability.DECNET, Ability.LAT}))
        ],
    }
    if why := refusal(driver(guest), roles[workload]):
        raise UsageError(why)


def run_workload(
    settings: Settings | TerminalSettings,
    folder: Path,
    guest: Guest,
    resumed: bool,
    whole: bool = False,
) -> int:
    """Run what is left of SETTINGS in FOLDER, print and write its tables; the exit code."""
    from hercules.emulator.choice import cost_of_stock
    from workloads.progress import progress
    from workloads.settings import locked, save

    name = settings.workload
    goes_on = f"vmkb run {name} --resume {folder} goes on."
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        run, kinds = runner(settings, folder, guest)
        if run.left and (cost := cost_of_stock(run.emulator)):
            click.echo(f"vmkb: {run.emulator.name}: {cost}", err=True)
        if not resumed:
            save(settings, folder)
        elif run.left:
            done = len(run.plan) - len(run.left)
            click.echo(f"{done} of {len(run.plan)} trials are there; the others follow", err=True)
        try:
            with kept(goes_on), progress(kinds) as shown:
                run.run(shown)
        except KeyboardInterrupt:
            click.echo(f"\nStopped; {goes_on}", err=True)
            return STOPPED
        return finish(name, folder, len(run.plan), settings.model, whole)


def make_report(workload: str, folder: Path, planned: int, model: str) -> Report:
    """The report of WORKLOAD's trials in FOLDER. Raises what the workload's own maker does."""
    if workload == "terminal":
        from workloads.terminal.report import make_report as make_terminal

        return make_terminal(folder, planned, model)
    from workloads.ftp.report import make_report as make_ftp

    return make_ftp(folder, planned, model)


def finish(workload: str, folder: Path, planned: int, model: str, whole: bool = False) -> int:
    """Print the answer of FOLDER, or WHOLE: every table, and write all there; the exit code."""
    from accounting.costs import CostError
    from accounting.models import ModelError
    from accounting.records import UnitError
    from accounting.report.build import FILES
    from accounting.stats import StatsError
    from accounting.store import StoreError
    from accounting.tables.table import TableError
    from workloads.ftp.report import write_report

    try:
        report = make_report(workload, folder, planned, model)
    except (CostError, ModelError, UnitError, StatsError, StoreError, TableError) as error:
        click.echo(f"NOT TRUSTED: no table can be made: {error}", err=True)
        return EXIT_UNTRUSTED
    write_report(report, folder, f"vmkb run {workload}: {folder.name}")
    rest = f"Every table, with plots: {folder / FILES['html']}; transcripts and records are beside"
    rest += f" it. vmkb report {folder} --all prints every table."
    code = show(
        report.tables, report.sentence, report.doubts, report.notes, rest=rest,
        about=setup(report.costs), whole=whole,
    )  # fmt: skip
    if report.profile and not whole:
        from workloads.profile_report import show_profile

        click.echo()
        show_profile(report.profile)
    return code


@click.command("run")
@click.argument("workload", type=click.Choice(WORKLOADS))
@click.option("--quick", "style", flag_value="quick", help="Little of all, in minutes (default).")
@click.option("--full", "style", flag_value="full", help="The published cases, sizes and times.")
@click.option("--trials", type=click.IntRange(1, 999), help="Trials of each case and release.")
@click.option(
    "--builds",
    type=click.IntRange(1, 20),
    help="Builds of each release; --trials are of each of them (ftp).",
)
@click.option("--releases", default="", help="TCP/IP releases to compare, base first: A,B.")
@click.option(
    "--case",
    "cases",
    multiple=True,
    help="ftp: case, its beginning (G2M) or a published run id; terminal: path"
    " (TELNET, SET HOST, LAT). May be given again.",
)
@click.option("--model", default="", help="CPU model that QUERY TIME tells milliseconds of.")
@click.option("--wire", default="", help="Profile of the wire.")
@click.option(
    "--emulator",
    default="",
    help="exact, stock, hyperion or the path of a hercules; default:"
    " exact, else stock (vmkb list emulators).",
)
@click.option(
    "--profile",
    is_flag=True,
    help="ftp: tell where the instructions go, by layer and function (docs/profile.md).",
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
@click.option("--guest", "guest_name", default="vmkb", show_default=True,
              help="Guest that plays both roles.")  # fmt: skip
@click.option("--all", "whole", is_flag=True, help="Print every table and note.")
def command(
    workload: str,
    style: str | None,
    trials: int | None,
    releases: str,
    cases: tuple[str, ...],
    model: str,
    wire: str,
    emulator: str,
    builds: int | None,
    profile: bool,
    out: Path | None,
    resume: Path | None,
    guest_name: str,
    whole: bool,
) -> None:
    """Repeat WORKLOAD on guests and print its tables: what a kilobyte costs in CPU.

    Exit codes: 0 good, 1 not trusted (said why), 2 usage, 3 guest or emulator failed.
    """
    from accounting.store import StoreError
    from guests.base import driver
    from guests.errors import ContentsError
    from hercules.emulator.boot import find_guest
    from workloads.errors import UsageError
    from workloads.ftp.settings import Settings
    from workloads.settings import FILE_NAME, restore
    from workloads.terminal.settings import Settings as Terminal

    given = (style, trials, releases, cases, model, wire, emulator, builds, profile, out)
    if resume is not None and any(given):
        raise Refused("--resume goes on with the options of the run; give none with it.")
    stop_in_order()
    try:
        if resume is not None:
            kind: type[Settings | Terminal] = Terminal if workload == "terminal" else Settings
            folder, settings = resume, restore(resume, kind, workload)
        else:
            stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
            folder = out or Path(RESULTS) / f"{workload}-{stamp}"
            if (folder / FILE_NAME).exists():
                raise UsageError(f"{folder} has a run already; --resume {folder} takes it up.")
            make = terminal_settings if workload == "terminal" else settings_of
            settings = make(style, trials, releases, cases, model, wire, emulator, builds, profile)
        guest = find_guest(guest_name)
        check_roles(workload, guest)
        driver(guest).build()
        code = run_workload(settings, folder, guest, resume is not None, whole)
    except (UsageError, StoreError, ContentsError) as error:
        raise Refused(str(error)) from error
    raise SystemExit(code)
