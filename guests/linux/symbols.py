# SPDX-License-Identifier: MIT
"""Which function has which address: a kernel is asked once, and what it says is kept beside it."""

from __future__ import annotations

import base64
import bz2
import gzip
import shutil
import tempfile
from fcntl import LOCK_EX, flock
from pathlib import Path

from vmkb.guests.base import Driver
from vmkb.guests.linux.make.image import pieces_folder
from vmkb.guests.linux.make.store import Say
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.messages import Pace
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import EmulatorError, on
from vmkb.hercules.emulator.choice import Emulator

NAME = "symbols.gz"
SAID_WITHIN = 3600.0
"""Seconds of its own clock: it types some thousand lines, four a second, and waits between."""
TOD = 3192422400 * 16_000_000
"""Its date, the first of March 2001: any that Linux takes."""
FAST = Pace(1_000_000)
"""Nobody measures it."""
_LINE = "= "
_PREFIX = "symbols-"


def kept_symbols(hands: Driver, emulator: Emulator, say: Say) -> str:
    """The functions of the kernel of HANDS' guest and where its modules were, asked of it on
    EMULATOR if they are not kept. EmulatorError."""
    folder = pieces_folder(hands.guest.image)
    kept = folder / NAME
    try:
        with (folder.parent / "lock").open("w") as lock:
            flock(lock, LOCK_EX)
            if not kept.is_file():
                for left in folder.parent.glob(f"{_PREFIX}*"):  # what a killed one left
                    shutil.rmtree(left, ignore_errors=True)
                say(f"asking {hands.guest.title} for the names of its functions")
                new = kept.with_suffix(".new")
                new.write_bytes(gzip.compress(_asked(hands, emulator, folder).encode(), mtime=0))
                new.replace(kept)
        return gzip.decompress(kept.read_bytes()).decode()
    except (OSError, EOFError, UnicodeError) as error:
        raise EmulatorError(f"{kept} cannot be made or read: {error}. Remove it.") from None


def _asked(hands: Driver, emulator: Emulator, folder: Path) -> str:
    """Its text, booted alone, on virtual time: so nothing that is typed is lost."""
    world = World(TOD)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=folder.parent) as scratch:
        place = Path(scratch)
        with on(WorldClock(world)):
            clock = GuestClock(world, "symbols", FAST)
            running = hands.start("symbols", place, place, (), None, emulator, (), clock)
            try:
                modules = hands.modules(running)
                mark = running.machine.log.mark()
                running.machine.operator("symbols functions 0")
                running.machine.wait_log("^SYMBOLS 0 END$", SAID_WITHIN, mark)
                lines = list(running.machine.log.since(mark))
            finally:
                running.close()
    packed = "".join(x.removeprefix(_LINE) for x in lines if x.startswith(_LINE))
    try:
        return modules + bz2.decompress(base64.b64decode(packed, validate=True)).decode("ascii")
    except ValueError as error:  # not all of it has arrived
        raise EmulatorError(
            f"{hands.guest.title} has not said the names of its functions: {error}."
        ) from None
