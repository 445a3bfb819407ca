# SPDX-License-Identifier: MIT
"""vmkb lat: a LAT terminal of the running guest, in this window or as a pseudo-terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

import click

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import find_guest, run_dir
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.lat.seat import Keys, Seat
from vmkb.hercules.lat.station import LatStation
from vmkb.hercules.wire.client import WireError
from vmkb.hercules.wire.held import join_lan
from vmkb.workloads.command.output import say

FIND_SECONDS = 3.0
RESENDS = 60
"""About five seconds: a busy computer may pause the guest longer than a terminal server waits."""
USER_ENDED = "user disconnect"


@click.command()
@click.argument("node", required=False)
@click.option("--guest", default="vmkb", show_default=True)
@click.option(
    "--baud", type=click.IntRange(50, 115200), default=9600, show_default=True,
    help="Speed of the terminal's line.",
)  # fmt: skip
@click.option("--pty", "serial", is_flag=True, help="Serve screen, cu or minicom instead.")
def command(node: str | None, guest: str, baud: int, serial: bool) -> None:
    """Open a LAT terminal of the running guest, in this window.

    It joins the guest's LAN as a terminal server with one terminal, and begins a session with
    NODE (needed only if several nodes answer). Ctrl-] q leaves, which disconnects the user; Ctrl-C
    is the attention key; Ctrl-S and Ctrl-Q stop and start the output.

    With --pty it prints the path of a pseudo-terminal and serves that until Ctrl-C: RETURN there
    begins a session.
    """
    if not serial and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("vmkb lat needs a terminal to sit at; --pty makes one for others.")
    guest = find_guest(guest).name
    folder = run_dir(guest)
    if Hercules.attach(folder) is None:
        raise EmulatorError(f"Guest '{guest}' is not running; start it with vmkb boot {guest}.")
    with contextlib.closing(join_lan(guest, folder)) as wire:
        name = f"LAT{os.getpid()}"
        path = wire.add_stream(name)
        try:
            station = LatStation(path, name, cps=baud / 10, resends=RESENDS)
            try:
                service = _find(station, node)
                _sit(station, service, baud, serial)
            finally:
                station.leave()
        finally:
            with contextlib.suppress(WireError):
                wire.remove(name)


def _find(station: LatStation, node: str | None) -> str:
    """The service of NODE, or the only one there is."""
    wanted = (node or "").upper()
    there = station.services(wanted, FIND_SECONDS)
    if wanted in there:
        return wanted
    if not there:
        raise EmulatorError("No node answers on the guest's LAN: is its system running?")
    if wanted:
        raise EmulatorError(f"No node {wanted} answers; there is {', '.join(there)}.")
    if len(there) > 1:
        raise click.UsageError(f"Several nodes answer: name one of {', '.join(there)}.")
    return there[0]


def _sit(station: LatStation, service: str, baud: int, serial: bool) -> None:
    if serial:
        with _pseudo_terminal() as (fd, path):
            say(path)
            say(
                f"RETURN there begins a session with {service} at {baud} baud; Ctrl-C here ends.",
                err=True,
            )
            _serve(Seat(station, service, fd, None))
        return
    say(f"{service} at {baud} baud; Ctrl-] q leaves.")
    with _raw_tty() as fd:
        reason = _serve(Seat(station, service, fd, Keys(sys.stdin.encoding)))
    with contextlib.suppress(OSError):  # the window may be gone
        say(f"\n{service}: {reason or 'left'}.")
    if reason not in (None, USER_ENDED):
        raise EmulatorError(f"The session with {service} ended: {reason}.")


def _serve(seat: Seat) -> str | None:
    """Sits until the end; a signal that would end the process ends the session in order."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: seat.leave()) for number in numbers}
    try:
        return seat.sit()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        seat.close()


@contextmanager
def _raw_tty() -> Iterator[int]:
    """This window, raw but for ^S and ^Q, by a file descriptor that does not block: the one that
    was inherited is shared with the shell."""
    fd = os.open(os.ttyname(sys.stdin.fileno()), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        before = termios.tcgetattr(fd)
        try:
            tty.setraw(fd)
            mode = termios.tcgetattr(fd)
            mode[0] |= termios.IXON
            termios.tcsetattr(fd, termios.TCSANOW, mode)
            yield fd
        finally:
            with contextlib.suppress(termios.error):
                # not when the output is through: it may be stopped
                termios.tcsetattr(fd, termios.TCSANOW, before)
    finally:
        os.close(fd)


@contextmanager
def _pseudo_terminal() -> Iterator[tuple[int, str]]:
    """The master of a new pseudo-terminal, and the path of the other end. That is kept open here:
    whoever uses it may come and go."""
    master, slave = pty.openpty()
    try:
        tty.setraw(slave)
        os.set_blocking(master, False)
        yield master, os.ttyname(slave)
    finally:
        os.close(master)
        os.close(slave)
