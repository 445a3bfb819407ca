# SPDX-License-Identifier: MIT
"""How a user gets a missing program: from scripts/setup in a clone, else from the system."""

from __future__ import annotations

import shutil
from pathlib import Path

from vmkb.hercules.deadline import EmulatorError

BROUGHT = Path(__file__).resolve().parent / "programs"
"""The emulator and s3270, where vmkb was installed from a wheel of scripts/wheel."""
SETUP = Path(__file__).resolve().parents[1] / "scripts" / "setup"


def is_clone() -> bool:
    """Whether this vmkb runs from a clone, whose scripts/setup installs and builds."""
    return SETUP.is_file()


def obtained(package: str) -> str:
    """Advice on getting Debian's PACKAGE."""
    if is_clone():
        return "run scripts/setup"
    return f"install it (on Debian: apt install {package})"


def found(program: str) -> str:
    """The path of PROGRAM, whose Debian package has the same name: the one that came with vmkb, or
    else PATH's. EmulatorError if it is not installed."""
    path = shutil.which(program, path=BROUGHT) or shutil.which(program)
    if path is None:
        raise EmulatorError(f"The program {program} is not installed; {obtained(program)}.")
    return path


def built() -> str:
    """Advice on getting a guest's programs."""
    if is_clone():
        return "run scripts/setup to build it"
    return "this installation has no guests: use a clone of vmkb, or a wheel from scripts/wheel"
