# SPDX-License-Identifier: MIT
"""Who holds a pipe open: how processes that were started together are found without a list."""

from __future__ import annotations

import contextlib
import os
import signal


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


def _points_to(path: str, target: str) -> bool:
    try:
        return os.readlink(path) == target
    except OSError:
        return False
