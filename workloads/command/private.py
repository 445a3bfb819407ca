# SPDX-License-Identifier: MIT
"""A guest that a command has for itself: it ends with the command, however that ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from vmkb.guests.base import driver
from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.emulator import boot as booting
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.scratch import PREFIX, Scratch
from vmkb.workloads.command.shut_off import shut_off
from vmkb.workloads.command.stopping import stop_in_order


@contextmanager
def own_guest(guest: Guest, command: str, virtual: GuestClock | None = None) -> Iterator[Hercules]:
    """GUEST, booted for COMMAND in a folder that goes with it, with the clock VIRTUAL, if there is
    one. From now on Ctrl-C, SIGTERM and the
    end of the window end both in order; if this process is killed they end, too."""
    driver(guest).build()
    booting.RUNS.mkdir(exist_ok=True)
    stop_in_order()
    shut_off()
    with (
        Scratch(booting.RUNS, f"{PREFIX}{command}-", guarded=True) as folder,
        booting.boot(guest, folder.path, holds=folder.held, virtual=virtual) as machine,
    ):
        yield machine
