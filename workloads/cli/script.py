# SPDX-License-Identifier: MIT
"""vmkb script: play a session script, for one user or for several at once."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from statistics import fmean
from typing import TextIO

import click

from vmkb.accounting.shown import plain
from vmkb.errors import UsageError
from vmkb.guests.base import Ability, driver
from vmkb.hercules.deadline import present
from vmkb.hercules.emulator.boot import find_guest, open_session, run_dir
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.tn3270.cast import Cast
from vmkb.hercules.tn3270.player import Player, Response
from vmkb.hercules.tn3270.script import Step, parse_script
from vmkb.hercules.tn3270.session import UserSession
from vmkb.workloads.base.virtual import alone, volumes_dated
from vmkb.workloads.command.output import say
from vmkb.workloads.command.private import own_guest


@click.command()
@click.argument("file", type=click.File(encoding="utf-8"))
@click.option("--guest", default="vmkb", show_default=True)
@click.option("--private", is_flag=True, help="Boot a guest of its own, though one is running.")
@click.option("--users", type=click.IntRange(1, 64), default=1, show_default=True,
              help="So many play it at once; {user} is each one's number.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True,
              help="What is picked, and how long users think.")  # fmt: skip
@click.option("--times", is_flag=True, help="Print how long responses took, on standard error.")
@click.option("--cast", type=click.File("w", encoding="utf-8", lazy=True),
              help="Record the user's first display for asciinema, on virtual time.")  # fmt: skip
def command(
    file: TextIO, guest: str, private: bool, users: int, seed: int, times: bool,
    cast: TextIO | None,
) -> None:  # fmt: skip
    """Play the session script FILE (- for standard input) and print the transcript.

    It runs on the guest that vmkb boot has started, or on one that it boots and ends itself; with
    --cast always on its own.
    """
    if cast and users > 1:
        raise UsageError("--cast records one user: leave --users out.")
    steps = parse_script(file.read(), file.name)
    described = find_guest(guest)
    running = None if private or cast else Hercules.attach(run_dir(described.name))
    if running is not None:
        taken = _play(described, running, steps, file.name, users, seed)
    else:
        with _own(described, cast is not None) as machine:
            shown = Cast(cast, present().now, file.name) if cast else None
            taken = _play(described, machine, steps, file.name, users, seed, shown)
    if times:
        _tell(taken)


@contextmanager
def _own(guest: Guest, virtual: bool) -> Iterator[Hercules]:
    with ExitStack() as until_ended:
        clock = None
        if virtual:
            if not choose("").exact or Ability.COUNT not in driver(guest).abilities:
                raise UsageError(f"--cast: guest {guest.name} or the emulator has no virtual time.")
            until_ended.enter_context(volumes_dated())
            clock = until_ended.enter_context(alone(guest.name))
        yield until_ended.enter_context(own_guest(guest, "script", clock))


def _play(
    guest: Guest, machine: Hercules, steps: Sequence[Step], name: str, users: int, seed: int,
    cast: Cast | None = None,
) -> list[Response]:  # fmt: skip
    """All users' responses; the first error there is, when all have come to their end."""
    opened: list[UserSession] = []

    def opening(device: int | None) -> UserSession:
        session = open_session(guest, machine, device)
        if cast and not opened:
            session.terminal.watch = cast.show
            session.terminal.read()
        opened.append(session)
        return session

    def one(user: int) -> list[Response]:
        out = _printer(f"{user}: " if users > 1 else "")
        with Player(
            opening, machine, out, name,
            random.Random(f"{seed}/user{user}"), {"user": str(user)},
        ) as player:  # fmt: skip
            player.play(steps)
        return player.responses

    with ThreadPoolExecutor(users) as pool:
        return [r for taken in list(pool.map(one, range(1, users + 1))) for r in taken]


def _printer(whose: str) -> Callable[[str], None]:
    def out(line: str) -> None:
        sys.stdout.write(plain(f"{whose}{line}\n"))
        sys.stdout.flush()

    return out


def _tell(taken: Sequence[Response]) -> None:
    if not taken:
        return
    ordered = sorted(r.seconds for r in taken)
    near = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    slowest = max(taken, key=lambda r: r.seconds)
    say(
        f"{len(taken)} responses, seconds of this computer's clock: average {fmean(ordered):.3f},"
        f" 95 of 100 within {near:.3f}, longest {slowest.seconds:.3f} (line {slowest.line}:"
        f" {slowest.step})",
        err=True,
    )
