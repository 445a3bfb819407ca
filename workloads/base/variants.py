# SPDX-License-Identifier: MIT
"""A guest in several builds: the same source, what compiler and linker may choose chosen otherwise.

One binary is one sample of what a release costs: the order in which the optimiser is fed alone
moves a kilobyte's instructions by some tenths of a percent, and the compiler's options by more. So
a release is measured in several builds.
"""

from __future__ import annotations

import fcntl
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from vmkb.guests.compiled import PLAIN, build_name, of_build
from vmkb.hercules.deadline import EmulatorError

if TYPE_CHECKING:
    from vmkb.hercules.guest import Guest

BUILD_WITHIN = 600.0
TOLD = 4
"""How often a build says how far it is, at most."""
LOOK_S = 1.0
"""Between two looks at how far a build is."""


Linked = Callable[[int, int], None]
"""Is told how many programs of a build are linked, and of how many."""


def variant(guest: Guest, number: int, level: str = "", linked: Linked | None = None) -> Guest:
    """Build NUMBER of GUEST for the LEVEL of its TCP/IP, which may stand among other words of its
    IPL, made now if it is not up to date; LINKED hears how far it is.

    Raises EmulatorError when the guest's description has no variants, or it cannot be made.
    """
    for word in (*level.split(), ""):
        if (number, word) in guest.images:
            return guest.with_image(guest.images[number, word])
    compiled = of_build(guest.compiled, number)
    name = build_name(number, compiled)
    if name == str(PLAIN):
        return guest
    if guest.build is None or not guest.build.variant:
        raise EmulatorError(f"Guest '{guest.name}' has no [build] variant; measure one build.")
    image = guest.build.variant_image.format(build=name)
    if installed(guest):
        return guest.with_image(image)
    seed = str(number) if number > PLAIN else ""
    words = {"build": name, "seed": seed, "options": compiled}
    command = [x for word in guest.build.variant if (x := word.format(**words))]
    command.append(f"PYTHON={sys.executable}")
    log = guest.folder / "build" / f"variant-{name}.log"
    try:
        # Workers on one machine may want the same build at the same time.
        with log.with_suffix(".lock").open("wb") as lock, log.open("wb") as out:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with subprocess.Popen(
                command, cwd=guest.folder, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT,
            ) as child:  # fmt: skip
                failed = _waited(child, guest, image, _date(log), linked or _nobody)
    except OSError as error:
        raise EmulatorError(f"Build {number} of guest '{guest.name}': {error}.") from None
    except subprocess.TimeoutExpired:
        raise EmulatorError(
            f"Build {number} of guest '{guest.name}' took over {BUILD_WITHIN:.0f} s; see {log}."
        ) from None
    if failed:
        raise EmulatorError(f"Build {number} of guest '{guest.name}' failed; see {log}.")
    made = guest.with_image(image)
    made.check_built()
    return made


def _waited(
    child: subprocess.Popen[bytes], guest: Guest, image: str, began: float, linked: Linked
) -> int:
    """The exit code of CHILD, which makes another IMAGE of GUEST's programs since BEGAN, a file's
    date. TimeoutExpired."""
    folder = (guest.folder / image).parent
    listed = guest.image.read_text("utf-8") if guest.image.is_file() else ""
    names = re.findall(r"^(\S+)\.bin\b", listed, re.M)
    told, ends = 0, time.monotonic() + BUILD_WITHIN
    try:
        while True:
            try:
                return child.wait(LOOK_S)
            except subprocess.TimeoutExpired:
                if time.monotonic() > ends:
                    raise
            now = sum(_date(folder / f"{name}.elf") >= began for name in names)
            if now * TOLD > told * len(names):
                told = now * TOLD // len(names) + 1
                linked(now, len(names))
    except BaseException:
        child.terminate()
        raise


def _nobody(linked: int, of: int) -> None:
    """Nobody is told."""


def _date(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def at_most(guest: Guest, wanted: int) -> int | None:
    """How many builds of GUEST there are, if it was installed without its sources; else None.
    EmulatorError if WANTED are more."""
    if not installed(guest):
        return None
    assert guest.build is not None
    number = PLAIN
    while variant(guest, number + 1).image.is_file():
        number += 1
    if wanted > number:
        raise EmulatorError(
            f"This installation has {number} builds of guest '{guest.name}' and no sources to make"
            f" more: ask for --builds {number} at most, or use a clone of vmkb."
        )
    return number


def installed(guest: Guest) -> bool:
    """Whether GUEST came without the sources that its other builds are made from."""
    made = guest.build is not None and guest.build.variant[:1] == ("make",)
    return made and not (guest.folder / "Makefile").is_file()
