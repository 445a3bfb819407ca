# SPDX-License-Identifier: MIT
"""vmkb script: play a session script, for one user or for several at once."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean
from typing import TextIO

import click

from vmkb.hercules.emulator.boot import find_guest, open_session, run_dir
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.tn3270.player import Player, Response
from vmkb.hercules.tn3270.script import Step, parse_script
from vmkb.workloads.private import own_guest


@click.command()
@click.argument("file", type=click.File(encoding="utf-8"))
@click.option("--guest", default="vmkb", show_default=True)
@click.option("--private", is_flag=True, help="Boot a guest of its own, though one is running.")
@click.option("--users", type=click.IntRange(1, 64), default=1, show_default=True,
              help="So many play it at once; {user} is each one's number.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True,
              help="What is picked, and how long users think.")  # fmt: skip
@click.option("--times", is_flag=True, help="Print how long responses took, on standard error.")
def command(file: TextIO, guest: str, private: bool, users: int, seed: int, times: bool) -> None:
    """Play the session script FILE (- for standard input) and print the transcript.

    It runs on the guest that vmkb boot has started, or on one that it boots and ends itself.
    """
    steps = parse_script(file.read(), file.name)
    described = find_guest(guest)
    running = None if private else Hercules.attach(run_dir(described.name))
    if running is not None:
        taken = _play(described, running, steps, file.name, users, seed)
    else:
        with own_guest(described, "script") as machine:
            taken = _play(described, machine, steps, file.name, users, seed)
    if times:
        _tell(taken)


def _play(
    guest: Guest, machine: Hercules, steps: Sequence[Step], name: str, users: int, seed: int
) -> list[Response]:
    """All users' responses; the first error there is, when all have come to their end."""

    def one(user: int) -> list[Response]:
        out = _printer(f"{user}: " if users > 1 else "")
        with Player(
            lambda device: open_session(guest, machine, device), machine, out, name,
            random.Random(f"{seed}/user{user}"), {"user": str(user)},
        ) as player:  # fmt: skip
            player.play(steps)
        return player.responses

    with ThreadPoolExecutor(users) as pool:
        return [r for taken in list(pool.map(one, range(1, users + 1))) for r in taken]


def _printer(whose: str) -> Callable[[str], None]:
    def out(line: str) -> None:
        sys.stdout.write(f"{whose}{line}\n")
        sys.stdout.flush()

    return out


def _tell(taken: Sequence[Response]) -> None:
    if not taken:
        return
    ordered = sorted(r.seconds for r in taken)
    near = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    slowest = max(taken, key=lambda r: r.seconds)
    click.echo(
        f"{len(taken)} responses, seconds of this computer's clock: average {fmean(ordered):.3f},"
        f" 95 of 100 within {near:.3f}, longest {slowest.seconds:.3f} (line {slowest.line}:"
        f" {slowest.step})",
        err=True,
    )
