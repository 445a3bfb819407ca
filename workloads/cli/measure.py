# SPDX-License-Identifier: MIT
"""vmkb measure: the CPU of commands on any VM system that answers on a 3270."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vmkb import given
from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.number import Number
from vmkb.workloads.command.output import say
from vmkb.workloads.command.show import show

if TYPE_CHECKING:
    from vmkb.hercules.tn3270.address import Address
    from vmkb.hercules.tn3270.dialogue import Dialogue
    from vmkb.hercules.tn3270.session import UserSession
    from vmkb.hercules.tn3270.terminal import Link
    from vmkb.workloads.measuring.runner import Measurement, MeasureRun

PASSWORD = "VMKB_PASSWORD"
RESULTS = "results"
TRIALS = 6
"""So many give an interval of 95 %."""


@click.command("measure")
@click.argument("commands", nargs=-1, metavar="[COMMAND]...")
@click.option("--connect", metavar="HOST:PORT", help="The system's 3270 port; default: a guest of"
              " its own, which is ended again.")  # fmt: skip
@click.option("--lu", default="", help="Logical unit to ask for.")
@click.option("--tls", is_flag=True, help="Connect by TLS; the certificate is checked against"
              " this computer's.")  # fmt: skip
@click.option("--dialogue", default="", metavar="NAME|FILE", help="How the system is talked to;"
              " default: the one whose logo it shows.")  # fmt: skip
@click.option("--guest", default="vmkb", show_default=True, help="What to boot without --connect.")
@click.option("--disks", type=click.Path(exists=True, path_type=Path), metavar="DIR",
              help="Your own disks, for a --guest that has none.")  # fmt: skip
@click.option("--user", required=True, help="Userid to log on.")
@click.option("--password-file", type=click.Path(dir_okay=False, path_type=Path),
              help=f"Its first line is the password; else {PASSWORD}, else a prompt.")  # fmt: skip
@click.option("--trials", type=click.IntRange(1), default=TRIALS, show_default=True)
@click.option("--repeat", type=click.IntRange(1), help="Runs of the command in one interval;"
              " default: until the counter's step is 1 % of it, 30 s at most.")  # fmt: skip
@click.option("--kb", type=Number(0, 1e12, min_open=True), help="KB that one run moves.")
@click.option("--before", multiple=True, help="Command to give before each interval.")
@click.option("--after", multiple=True, help="Command to give after each interval.")
@click.option("--variant", "settings", multiple=True, metavar="LABEL=COMMAND",
              help="Measure under this setting; give it twice to compare two.")  # fmt: skip
@click.option("--label", default="", help="Name of the command in the tables.")
@click.option("--within", type=Number(0, min_open=True), default=None,
              help="Seconds for one command; default: the dialogue's.")  # fmt: skip
@click.option("--learn", is_flag=True, help="Log on, ask for the time, log off, and show each"
              " screen with what it was recognised by.")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for results.")
@click.option("--clock", type=click.Choice(["virtual", "host"]),
              help="Clock of a guest that is booted; default: virtual if it can.")  # fmt: skip
@click.option("--all", "whole", is_flag=True, help="Print every table and note.")
def command(
    commands: tuple[str, ...],
    connect: str | None,
    lu: str,
    tls: bool,
    dialogue: str,
    guest: str,
    disks: Path | None,
    user: str,
    password_file: Path | None,
    trials: int,
    repeat: int | None,
    kb: float | None,
    before: tuple[str, ...],
    after: tuple[str, ...],
    settings: tuple[str, ...],
    label: str,
    within: float | None,
    learn: bool,
    out: Path | None,
    clock: str | None,
    whole: bool,
) -> None:
    """Measure the CPU of each COMMAND on a VM system: QUERY TIME before and after in one session.

    @FILE as a COMMAND is a session script (docs/reference/scripts.md), played at that terminal.
    Several commands, or one under several --variant settings, run interleaved and are compared
    with the first of them. The session is logged off at the end, or left disconnected if it was
    so before.

    Exit codes: 0 measured, 2 usage, 3 the system or the session failed.
    """
    from vmkb.errors import UsageError
    from vmkb.hercules.tn3270.reach import reach
    from vmkb.workloads.measuring.asked import variants
    from vmkb.workloads.measuring.runner import Measurement

    if disks is not None and connect:
        raise Refused("--disks is for a guest that is booted, --connect for a system that runs")
    if (lu or tls) and not connect:
        raise Refused("--lu and --tls are for --connect HOST:PORT")
    try:
        chosen = () if learn else variants(commands, settings, label, before, after)
    except UsageError as error:
        raise Refused(str(error)) from None
    asked = Measurement(chosen, trials, repeat or 0, kb or 0.0)
    secret = _password(user, password_file) if _asks_password(dialogue) else ""
    with _system(connect, lu, tls, guest, disks, clock) as (address, link):
        how, arrive = reach(dialogue, address, link)
        if learn:
            from vmkb.hercules.tn3270.learn import learn as show_screens

            show_screens(how, arrive, user, secret, lambda text: say(text))
            return
        folder = out or Path(RESULTS) / f"measure-{datetime.now():%Y%m%d-%H%M%S}"
        ran_on = {} if connect else {"clock": "virtual" if link else "host"}
        run = _measure(asked, how, arrive, user, secret, folder, within or 0.0, ran_on)
    raise SystemExit(_print(run, whole))


def _asks_password(dialogue: str) -> bool:
    """Whether a password will be wanted, as far as this is known before the system answers."""
    from vmkb.hercules.tn3270.dialogue import load_dialogue

    return not dialogue or bool(load_dialogue(dialogue).session.asks_password)


def _password(user: str, file: Path | None) -> str:
    """From the file, the environment or a prompt; never from the command line."""
    if file is not None:
        try:
            lines = given.text(file, pipe=True).splitlines()
        except OSError as error:
            raise Refused(f"{file}: the password cannot be read: {error.strerror}") from None
        if not lines or not lines[0]:
            raise Refused(f"{file}: its first line is empty; that is where the password stands")
        return lines[0]
    known = os.environ.get(PASSWORD)
    return known or str(click.prompt(f"Password of {user}", hide_input=True, err=True))


@contextmanager
def _system(
    connect: str | None, lu: str, tls: bool, guest: str, disks: Path | None, clock: str | None
) -> Iterator[tuple[Address, Link | None]]:
    """Where the system answers, and over which link if not the usual one: the one that was named,
    or a guest that lives as long as this."""
    from vmkb.hercules.tn3270.address import Address, AddressError
    from vmkb.hercules.tn3270.reach import outward

    if connect is not None:
        try:
            address = Address.parse(connect, lu, tls)
            yield address, outward(address)
        except AddressError as error:
            raise Refused(f"--connect: {error}") from None
        return
    from vmkb.guests.base import Ability, driver
    from vmkb.hercules.emulator.boot import find_guest
    from vmkb.hercules.emulator.choice import choose
    from vmkb.hercules.emulator.config import LOOPBACK
    from vmkb.workloads.base.virtual import alone, volumes_dated
    from vmkb.workloads.command.private import own_guest

    described = find_guest(guest)
    if disks is not None:
        hands = driver(described)
        described = hands.with_disks(disks)
        if rest := hands.left_out(disks):
            say(f"vmkb: {rest}", err=True)
    able = choose("").exact and Ability.COUNT in driver(described).abilities
    if clock == "virtual" and not able:
        raise Refused(f"Guest {guest} runs on the host's clock only, or the emulator does.")
    if clock == "host" or not able:
        with own_guest(described, "measure") as machine:
            yield Address(LOOPBACK, machine.terminal_port), None
        return
    with (
        volumes_dated(),
        alone(described.name) as virtual,
        own_guest(described, "measure", virtual) as machine,
    ):
        yield Address(LOOPBACK, machine.terminal_port), virtual.link()


def _measure(
    asked: Measurement,
    how: Dialogue,
    arrive: Callable[[], UserSession],
    user: str,
    secret: str,
    folder: Path,
    within: float,
    ran_on: Mapping[str, str],
) -> MeasureRun:
    """Log on, run all trials, log off. EmulatorError tells where the finished ones are kept."""
    from vmkb.hercules.deadline import EmulatorError, Timeout
    from vmkb.workloads.base.progress import progress
    from vmkb.workloads.measuring.report import WORKLOAD
    from vmkb.workloads.measuring.runner import MeasureRun
    from vmkb.workloads.measuring.trial import Bench

    with arrive() as session:
        try:
            session.logon(user, secret)
        except Timeout as error:
            raise EmulatorError(f"{error}\n{_unknown(how)}") from None
        bench = Bench(session, how, user.upper(), (secret,), within)
        system = session.terminal.screen.system
        run = MeasureRun(asked, folder, {"workload": WORKLOAD, "guest": how.name, **ran_on,
                                         **({"system": system} if system else {})})  # fmt: skip
        try:
            with progress([v.label for _, v in run.plan]) as shown:
                run.run(bench, shown)
        except EmulatorError as error:
            done = len(run.trials())
            hint = f"\n{_unknown(how)}" if isinstance(error, Timeout) and not done else ""
            raise EmulatorError(
                f"{bench.masked(str(error))}{hint}\n{done} of {len(run.plan)} trials came to their"
                f" end; they and the console are kept in {folder}."
            ) from None
        finally:
            session.leave()
    return run


def _unknown(how: Dialogue) -> str:
    """Advice when a screen was waited for that HOW does not know."""
    return (
        f"If the screen shows that the step has ended, dialogue {how.name} does not know its words:"
        " --learn tells which key it rests on."
    )


def _print(run: MeasureRun, whole: bool) -> int:
    from vmkb.workloads.base.report import analysed

    rest = [f"vmkb compare {run.folder} and the transcripts there have the rest."]
    return show(analysed(run.trials()), run.notes, rest=rest, whole=whole)
