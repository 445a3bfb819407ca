# SPDX-License-Identifier: MIT
"""vmkb script: play a session script."""

from __future__ import annotations

import sys
from typing import TextIO

import click

from vmkb.hercules.emulator.boot import find_guest, open_session, run_dir
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.tn3270.player import Player
from vmkb.hercules.tn3270.script import Step, parse_script
from vmkb.workloads.private import own_guest


@click.command()
@click.argument("file", type=click.File(encoding="utf-8"))
@click.option("--guest", default="vmkb", show_default=True)
@click.option("--private", is_flag=True, help="Boot a guest of its own, though one is running.")
def command(file: TextIO, guest: str, private: bool) -> None:
    """Play the session script FILE (- for standard input) and print the transcript.

    It runs on the guest that vmkb boot has started, or on one that it boots and ends itself.
    """
    steps = parse_script(file.read(), file.name)
    described = find_guest(guest)
    running = None if private else Hercules.attach(run_dir(described.name))
    if running is not None:
        _play(described, running, steps, file.name)
        return
    with own_guest(described, "script") as machine:
        _play(described, machine, steps, file.name)


def _play(guest: Guest, machine: Hercules, steps: tuple[Step, ...], name: str) -> None:
    with Player(
        lambda device: open_session(guest, machine, device), machine, _print, name
    ) as player:
        player.play(steps)


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
