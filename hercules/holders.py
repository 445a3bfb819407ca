# SPDX-License-Identifier: MIT
"""Who holds a pipe open: how processes that were started together are found without a list."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the terminal port, which is to be there at once, imports this
    from collections.abc import Iterable
    from pathlib import Path


def kill_holders(fd: int) -> list[int]:
    """Kills the processes that have the same pipe open as our `fd`, and tells which. What one of
    them has forked while we looked at the others is found when we look again."""
    killed: list[int] = []
    while new := _kill(fd, killed):
        killed += new
    return killed


def _kill(fd: int, before: list[int]) -> list[int]:
    """One look at all processes, but for those killed BEFORE, which may not be gone yet."""
    pipe = f"pipe:[{os.fstat(fd).st_ino}]"
    killed = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in (os.getpid(), *before):
            continue
        with contextlib.suppress(OSError):
            folder = f"/proc/{name}/fd"
            if any(_points_to(f"{folder}/{entry}", pipe) for entry in os.listdir(folder)):
                os.kill(int(name), signal.SIGKILL)
                killed.append(int(name))
    return killed


def writer_of(paths: Iterable[Path]) -> tuple[int, Path] | None:
    """A process that has one of the files open for writing, and which; None if there is none that
    this user may see."""
    wanted = {os.fspath(path.resolve()): path for path in paths}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            for entry in os.listdir(f"/proc/{name}/fd"):
                with contextlib.suppress(OSError):
                    found = wanted.get(os.readlink(f"/proc/{name}/fd/{entry}"))
                    if found is not None and _writes(f"/proc/{name}/fdinfo/{entry}"):
                        return int(name), found
    return None


def _writes(info: str) -> bool:
    """Whether a file is open for writing, by its fdinfo (proc(5))."""
    with open(info, encoding="ascii") as lines:
        flags = next(line for line in lines if line.startswith("flags:"))
    return int(flags.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY


def _points_to(path: str, target: str) -> bool:
    try:
        return os.readlink(path) == target
    except OSError:
        return False
