# SPDX-License-Identifier: MIT
"""The project's guests and emulator as tests are to boot them: made from the sources that are there
now."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vmkb.hercules.deadline import Timeout, wait_until
from vmkb.hercules.emulator import choice

LOCK_WITHIN = 1200.0
MAKE_WITHIN = 900


@contextmanager
def _setup_lock(work: Path) -> Iterator[None]:
    """The lock that scripts/setup has while it builds."""
    with (work / "lock").open("ab") as lock:

        def ours() -> bool:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

        wait_until(ours, LOCK_WITHIN, "another build of the guests to end", poll=0.05)
        yield


def no_emulator() -> str:
    """Why tests have no emulator that hercules/exact makes, in a sentence; empty if they have, or
    if somebody has chosen another. Else the stock one would take its place without a word."""
    if os.environ.get(choice.CHOICE) or choice.exact_build():
        return ""
    return (
        f"There is no counting emulator here: {choice.why_no_exact()}"
        f" {choice.CHOICE}=stock tests the stock one."
    )


def build_guests(project: Path) -> str:
    """Make what is older than its sources. A sentence says why a guest cannot be made; empty if all
    are as their sources say, or if scripts/setup has made none here, of which tests say so
    themselves."""
    folders = [path.parent for path in sorted(project.glob("guests/*/Makefile"))]
    built = [folder for folder in folders if any((folder / "build").glob("*.ins"))]
    try:
        if all(_make(folder, "-q").returncode == 0 for folder in built):
            return ""
        (project / ".setup").mkdir(exist_ok=True)
        with _setup_lock(project / ".setup"):
            for folder in built:
                made = _make(folder, f"-j{os.cpu_count()}")
                if made.returncode:
                    said = "\n".join((made.stdout + made.stderr).splitlines()[-15:])
                    return (
                        f"Guest '{folder.name}' is older than its sources, and make fails:\n{said}"
                    )
    except (OSError, subprocess.TimeoutExpired, Timeout) as error:
        return f"Whether the guests are as their sources say is not known: {error}"
    return ""


def _make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", "-C", str(folder), f"PYTHON={sys.executable}", *words],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        timeout=MAKE_WITHIN, check=False,
    )  # fmt: skip
