# SPDX-License-Identifier: MIT
"""vmkb console: a 3270 terminal of the running guest, in this window."""

from __future__ import annotations

import os
import re

import click

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import find_guest, run_dir
from vmkb.hercules.emulator.config import LOOPBACK
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.installed import found


@click.command()
@click.argument("userid", required=False)
@click.option("--guest", default="vmkb", show_default=True)
def command(userid: str | None, guest: str) -> None:
    """Open c3270 on a free terminal; with USERID, type LOGON USERID there."""
    described = find_guest(guest)
    if not described.session.logo:
        raise EmulatorError(f"Guest '{described.name}' has no 3270 sessions.")
    program = found("c3270")
    machine = Hercules.attach(run_dir(described.name))
    if machine is None:
        raise EmulatorError(f"Guest '{guest}' is not running; start it with vmkb boot {guest}.")
    args = [program, "-model", "3278-2", "-codepage", "cp1047"]
    if userid is not None:
        if not re.fullmatch(r"[A-Za-z0-9@#$_-]{1,8}", userid):
            raise click.UsageError(f"'{userid}' is not a userid: 1 to 8 letters, digits or @#$_-.")
        logon = described.session.logon.format(user=userid)
        args += ["-loginmacro", f'Wait(5,Output) Enter() String("{logon}") Enter()']
    os.execv(program, [*args, f"{LOOPBACK}:{machine.terminal_port}"])
