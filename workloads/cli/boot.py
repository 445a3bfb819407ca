# SPDX-License-Identifier: MIT
"""vmkb boot: start a guest to play with, and say how to connect."""

from __future__ import annotations

from pathlib import Path

import click

from hercules.boot import boot, check_free, open_session, run_dir
from hercules.config import LOOPBACK
from hercules.deadline import Deadline
from hercules.guest import Guest, load_guest
from hercules.lan import HeldWire
from hercules.machine import Hercules
from hercules.wire import WireError


@click.command()
@click.argument("guest", default="vmkb")
@click.option("--parm", metavar="TEXT", help="IPL parameter, such as MODEL=2064-109.")
@click.option("--fresh", is_flag=True, help="Start from the built volumes, not from last time's.")
def command(guest: str, parm: str | None, fresh: bool) -> None:
    """Start GUEST (default vmkb); it runs until vmkb stop."""
    described = load_guest(guest)
    folder = run_dir(guest)
    clock = Deadline(0)
    machine, on_lan = _boot(described, folder, not fresh, parm)
    try:
        open_session(described, machine).close()
    except BaseException:
        machine.stop()
        raise
    first = described.machine.terminals[0]
    click.echo(f"{described.title} is up after {clock.elapsed:.2f} s (pid {machine.pid}).")
    click.echo(f"  terminal   vmkb console, or c3270 {first:04X}@{LOOPBACK}:{machine.console_port}")
    if on_lan:
        click.echo("  LAT        vmkb lat, a terminal at 9600 baud on the guest's LAN")
    click.echo(f"  log        {folder / 'log'}")
    click.echo("  end it     vmkb stop")


def _boot(guest: Guest, folder: Path, keep: bool, parameter: str | None) -> tuple[Hercules, bool]:
    """The guest on a LAN of its own, or alone when there can be none; whether it is on one."""
    check_free(guest, folder)
    if not any(device.kind == "ctce" for device in guest.machine.devices):
        return boot(guest, folder, keep, parameter=parameter), False
    try:
        wire = HeldWire(folder)
    except WireError as error:
        click.echo(f"vmkb: no LAN for the guest: {error}", err=True)
        return boot(guest, folder, keep, parameter=parameter), False
    with wire:
        return boot(guest, folder, keep, wire.lines, parameter, (wire.held,)), True
