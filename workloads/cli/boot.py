# SPDX-License-Identifier: MIT
"""vmkb boot: start a guest to play with, and say how to connect."""

from __future__ import annotations

import click

from hercules.boot import boot, open_session, run_dir
from hercules.config import LOOPBACK
from hercules.deadline import Deadline
from hercules.guest import load_guest


@click.command()
@click.argument("guest", default="vmkb")
@click.option("--parm", metavar="TEXT", help="IPL parameter, such as MODEL=2064-109.")
@click.option("--fresh", is_flag=True, help="Start from the built volumes, not from last time's.")
def command(guest: str, parm: str | None, fresh: bool) -> None:
    """Start GUEST (default vmkb); it runs until vmkb stop."""
    described = load_guest(guest)
    folder = run_dir(guest)
    clock = Deadline(0)
    machine = boot(described, folder, keep=not fresh, parameter=parm)
    try:
        open_session(described, machine).close()
    except BaseException:
        machine.stop()
        raise
    first = described.machine.terminals[0]
    click.echo(f"{described.title} is up after {clock.elapsed:.2f} s (pid {machine.pid}).")
    click.echo(f"  terminal   vmkb console, or c3270 {first:04X}@{LOOPBACK}:{machine.console_port}")
    click.echo(f"  log        {folder / 'log'}")
    click.echo("  end it     vmkb stop")
