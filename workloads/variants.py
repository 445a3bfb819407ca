# SPDX-License-Identifier: MIT
"""A guest in several builds: the same source, what compiler and linker may choose chosen otherwise.

One binary is one sample of what a release costs: the order in which the optimiser is fed alone
moves a kilobyte's instructions by some tenths of a percent. So a release is measured in several
builds, and the interval covers them as it covers trials.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import Guest

PLAIN = 1
"""The number of the build that `make` makes for everybody; from 2 on it is the seed."""
BUILD_WITHIN = 600.0


def variant(guest: Guest, number: int, level: str = "") -> Guest:
    """Build NUMBER of GUEST for the LEVEL of its TCP/IP, made now if it is not up to date.

    Raises EmulatorError when the guest's description has no variants, or it cannot be made.
    """
    for key in ((number, level), (number, "")):
        if key in guest.images:
            return guest.with_image(guest.images[key])
    if number == PLAIN:
        return guest
    if guest.build is None or not guest.build.variant:
        raise EmulatorError(f"Guest '{guest.name}' has no [build] variant; measure one build.")
    command = [word.format(seed=number) for word in guest.build.variant]
    command.append(f"PYTHON={sys.executable}")
    log = guest.folder / "build" / f"variant-{number}.log"
    try:
        # Workers on one machine may want the same build at the same time.
        with log.with_suffix(".lock").open("wb") as lock, log.open("wb") as out:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = subprocess.run(
                command, cwd=guest.folder, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, timeout=BUILD_WITHIN, check=False,
            )  # fmt: skip
    except OSError as error:
        raise EmulatorError(f"Build {number} of guest '{guest.name}': {error}.") from None
    except subprocess.TimeoutExpired:
        raise EmulatorError(
            f"Build {number} of guest '{guest.name}' took over {BUILD_WITHIN:.0f} s; see {log}."
        ) from None
    if done.returncode:
        raise EmulatorError(f"Build {number} of guest '{guest.name}' failed; see {log}.")
    made = guest.with_image(guest.build.variant_image.format(seed=number))
    made.check_built()
    return made
