# SPDX-License-Identifier: MIT
"""vmkb status: which guests run."""

from __future__ import annotations

import time

import click
import psutil

from hercules.boot import RUNS
from hercules.deadline import EmulatorError
from hercules.machine import Hercules


@click.command()
def command() -> None:
    """Show the guests that vmkb boot has started."""
    found = False
    for folder in sorted(RUNS.glob("*/")):
        machine = Hercules.attach(folder)
        if machine is None:
            continue
        found = True
        up = time.time() - psutil.Process(machine.pid).create_time()
        try:
            cpu = f"{machine.cpu_seconds():.2f} s (HT)"
        except EmulatorError:
            cpu = "not known"
        click.echo(
            f"{folder.name}  pid {machine.pid}  up {up:.0f} s  "
            f"terminals on port {machine.console_port}  CPU thread {cpu}"
        )
    if not found:
        click.echo("No guest is running; vmkb boot starts one.")
