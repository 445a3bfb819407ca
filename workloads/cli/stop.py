# SPDX-License-Identifier: MIT
"""vmkb stop: end a guest that vmkb boot started."""

from __future__ import annotations

import click

from hercules.boot import run_dir, shut_down
from hercules.guest import load_guest
from hercules.machine import Hercules


@click.command()
@click.argument("guest", default="vmkb")
def command(guest: str) -> None:
    """Shut GUEST (default vmkb) down and end its emulator."""
    described = load_guest(guest)
    machine = Hercules.attach(run_dir(guest))
    if machine is None:
        click.echo(f"Guest '{guest}' is not running.")
        return
    clean = shut_down(described, machine)
    click.echo(f"Guest '{guest}' has ended" + ("." if clean else "; it did not shut down cleanly."))
