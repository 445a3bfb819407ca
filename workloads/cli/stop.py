# SPDX-License-Identifier: MIT
"""vmkb stop: end a guest that vmkb boot started."""

from __future__ import annotations

import contextlib

import click

from vmkb.guests.base import driver
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import claim, find_guest, run_dir
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.network import forget
from vmkb.workloads.command.output import say


@click.command()
@click.argument("guest", default="vmkb")
def command(guest: str) -> None:
    """Shut GUEST (default vmkb) down and end its emulator."""
    described = find_guest(guest)
    guest = described.name
    folder = run_dir(guest)
    machine = Hercules.attach(folder)
    if machine is None:
        say(f"Guest '{guest}' is not running.")
        return
    clean = driver(described).end(machine)
    forget(folder)
    with contextlib.suppress(EmulatorError), claim(described, folder):
        pass  # its wire and its ports are free now, for the next boot
    say(f"Guest '{guest}' has ended" + ("." if clean else "; it did not shut down cleanly."))
