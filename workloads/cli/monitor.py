# SPDX-License-Identifier: MIT
"""vmkb monitor: what the guest's real-time monitor shows, live in this window."""

from __future__ import annotations

import itertools
from collections import deque
from pathlib import Path
from typing import TextIO

import click
from rich.live import Live

from vmkb.accounting.records import Record
from vmkb.accounting.report.terminal import Output
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import find_guest, run_dir
from vmkb.hercules.emulator.machine import Hercules
from vmkb.workloads.command.output import say
from vmkb.workloads.measuring.monitor import Feed, plain, screen

_KEPT = 200


@click.command()
@click.option(
    "--interval", type=click.IntRange(1, 3600), metavar="S",
    help="Sample every S seconds (default: as RTMSF is set, 10 at first).",
)  # fmt: skip
@click.option("--count", type=click.IntRange(min=1), metavar="N", help="End after N intervals.")
@click.option(
    "--log", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Add RTMSF's lines to FILE; vmkb parse reads it.",
)  # fmt: skip
@click.option("--guest", default="vmkb", show_default=True)
@click.option(
    "--run", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", hidden=True,
    help="The run folder of the machine.",
)  # fmt: skip
def command(
    interval: int | None, count: int | None, log: Path | None, guest: str, run: Path | None
) -> None:
    """Show the booted guest's load: CP, users, I/O, IUCV, storage; Ctrl-C ends it.

    It logs on to RTMSF, or resumes it, and leaves it as it was. Percent: 100 is one engine, under
    the CPU model in force; wait is by the CPU timer.
    """
    described = find_guest(guest)
    machine = Hercules.attach(run or run_dir(described.name))
    if machine is None:
        raise EmulatorError(f"Guest '{guest}' is not running; start it with vmkb boot {guest}.")
    out = log.open("a", encoding="ascii") if log is not None else None
    try:
        with Feed(described, machine, interval) as feed:
            _show(feed, count, out)
    except KeyboardInterrupt:
        say()
    finally:
        if out is not None:
            out.close()


def _show(feed: Feed, count: int | None, out: TextIO | None) -> None:
    console = Output()
    past: deque[Record] = deque(maxlen=_KEPT)
    live = Live(console=console, auto_refresh=False) if console.is_terminal else None
    if live is not None:
        live.start()
    try:
        for one in itertools.islice(feed.intervals(), count):
            past.append(one.system)
            if out is not None:
                out.write("".join(line + "\n" for line in one.lines))
                out.flush()
            if live is not None:
                live.update(screen(one, list(past), console), refresh=True)
            else:
                say(plain(one))
    finally:
        if live is not None:
            live.stop()
