# SPDX-License-Identifier: MIT
"""Run make for a release, and say what went wrong."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from vmkb.guests.release.cache import VMKB
from vmkb.guests.release.errors import SourceError

BUILD_WITHIN = 600.0
"""Seconds for one build."""
COMPILER = "s390x-linux-gnu-gcc"
_ERROR = re.compile(r"^.*?(?:\berror: |undefined reference|cannot find).*$", re.M)


@cache
def compiler() -> str:
    """The compiler's name and version. SourceError if there is none."""
    try:
        return subprocess.run(
            [COMPILER, "--version"], capture_output=True, text=True, check=True, timeout=60
        ).stdout.splitlines()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        raise SourceError(f"{COMPILER} cannot be run; scripts/setup installs it") from None


def made(words: Sequence[str], log: Path, folder: Path = VMKB) -> bool:
    """Run make with WORDS in FOLDER; its output goes to LOG. True if it succeeds."""
    if not (folder / "Makefile").is_file():
        raise SourceError(
            "this installation has no sources of VM/KB, which a release of your own is built with;"
            " use a clone of vmkb"
        )
    jobs = len(os.sched_getaffinity(0))
    try:
        with log.open("wb") as out:
            done = subprocess.run(
                ["make", "-s", f"-j{jobs}", f"PYTHON={sys.executable}", *words], cwd=folder,
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                timeout=BUILD_WITHIN, check=False,
            )  # fmt: skip
    except FileNotFoundError:
        raise SourceError("make is not installed; scripts/setup installs it") from None
    except subprocess.TimeoutExpired:
        raise SourceError(f"make took over {BUILD_WITHIN:.0f} s; the log is {log}") from None
    return done.returncode == 0


def arranged(number: int) -> list[str]:
    """Words for make: build NUMBER has an order of sources and a layout of its own, number 1 the
    usual ones."""
    return [f"ORDER={number}", f"LAYOUT={number}"] if number > 1 else []


def refused(log: Path, here: Path = Path(), what: str = "it") -> SourceError:
    """The error that WHAT does not build, with the first one in LOG (see `first_error`)."""
    return SourceError(f"{what} does not build: {first_error(log, here)}; the log is {log}")


def first_error(log: Path, here: Path = Path()) -> str:
    """The compiler's first error in LOG, or make's last line. HERE: the build's folder, whose paths
    are left out."""
    text = log.read_text("utf-8", "replace")
    found = _ERROR.search(text)
    lines = text.strip().splitlines()
    said = found.group(0) if found else lines[-1] if lines else "make says nothing"
    for folder in (VMKB / here, here):
        said = said.replace(f"{folder}/lwip/lwip-own/", "")
    return said.strip()
