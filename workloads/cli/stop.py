# SPDX-License-Identifier: MIT
"""vmkb stop: end a guest that vmkb boot started."""

from __future__ import annotations

import contextlib

import click

from hercules.deadline import EmulatorError
from hercules.emulator.boot import claim, run_dir, shut_down
from hercules.emulator.machine import Hercules
from hercules.guest import load_guest
from hercules.network import forget


@click.command()
@click.argument("guest", default="vmkb")
def command(guest: str) -> None:
    """Shut GUEST (default vmkb) down and end its emulator."""
    described = load_guest(guest)
    folder = run_dir(guest)
    machine = Hercules.attach(folder)
    if machine is None:
        click.echo(f"Guest '{guest}' is not running.")
        return
    clean = shut_down(described, machine)
    forget(folder)
    with contextlib.suppress(EmulatorError), claim(described, folder):
        pass  # its wire and its ports are free now, for the next boot
    click.echo(f"Guest '{guest}' has ended" + ("." if clean else "; it did not shut down cleanly."))
