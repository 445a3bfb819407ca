# SPDX-License-Identifier: MIT
"""Ends the programs of a process that is no more: the program of a warden's process
(hercules/warden.py), and how whoever holds a pipe is ended.

`python -I -S leftover.py FD`: FD ends with who started this; standard input is a pipe that others
hold. It is a file that imports little, for each guest has one of its own.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys

REMOVE, DONE, KEEP = "remove ", "done", "keep"
"""Said on a lease: what is to be removed; nothing is; what was started stays."""
_CHUNK = 4096


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


def main(lease: int) -> None:
    """Waits for the end of LEASE; then those end who hold standard input's other end. What LEASE
    has named is removed unless it has said DONE."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    said = b""
    while data := os.read(lease, _CHUNK):
        said += data
    lines = [os.fsdecode(line) for line in said.split(b"\0")]
    if _held(sys.stdin.fileno()):
        kill_holders(sys.stdin.fileno())
    if DONE in lines:
        return
    for line in lines:
        if line.startswith(REMOVE):
            _remove(line.removeprefix(REMOVE))


def _held(pipe: int) -> bool:
    """Whether somebody has the other end of a PIPE in which nothing is."""
    poll = select.poll()
    poll.register(pipe, select.POLLHUP)
    return not poll.poll(0)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            import shutil  # seldom needed, and slow to import

            shutil.rmtree(path)
        else:
            os.unlink(path)


if __name__ == "__main__":
    main(int(sys.argv[1]))
