# SPDX-License-Identifier: MIT
"""Folders for what lives no longer than its processes: whoever uses one holds its lease, and a
folder that nobody holds any more is removed by the next who makes one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
import time
from pathlib import Path

from vmkb.hercules.closing import Closing
from vmkb.hercules.warden import Warden

PREFIX = "vmkb-"
LEASE = "lease"
"""A file in the folder that its users have locked."""
_UNFINISHED = "."  # before its name, until its lease is locked, and while it is removed
_RANDOM = 8  # characters
OLD_SECONDS = 600.0
"""No folder takes so long to be made or to be removed."""


class Scratch(Closing):
    """A new folder in `parent` that only this user may enter. It is removed by `close`, and the
    processes that are given `lease`, a file descriptor, may use it until they end.

    OSError when it cannot be made. What was left there by processes that were killed goes. One that
    is `guarded` is removed when this process is killed, too; for that a process is started."""

    def __init__(self, parent: str | Path, prefix: str = PREFIX, guarded: bool = False) -> None:
        sweep(Path(parent))
        self._guard = Warden() if guarded else None
        final = Path(parent, prefix + secrets.token_hex(_RANDOM // 2))
        made = final.with_name(_UNFINISHED + final.name)
        if self._guard is not None:  # before they are there: this process may be killed right then
            self._guard.remove(made)
            self._guard.remove(final)
        self.path = final
        self.lease = -1
        try:
            made.mkdir(mode=0o700)
            self.lease = os.open(made / LEASE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self.lease, fcntl.LOCK_EX)
            made.rename(final)
        except BaseException:
            self.close()
            raise

    @property
    def held(self) -> tuple[int, ...]:
        """A file descriptor, if it is guarded: a process that holds it open is killed with it."""
        return () if self._guard is None else (self._guard.held,)

    def release(self) -> None:
        """The folder is others' from now on: those who hold the lease."""
        if self.lease >= 0:
            os.close(self.lease)
            self.lease = -1

    def close(self) -> None:
        """Removes the folder."""
        try:
            self._remove()
        except BaseException:  # a second Ctrl-C
            self._remove()
            raise
        self.release()
        if self._guard is not None:
            self._guard.close()

    def _remove(self) -> None:
        going = self.path.with_name(_UNFINISHED + self.path.name)
        with contextlib.suppress(OSError):  # a stop halfway leaves what `sweep` knows
            self.path.rename(going)
        for path in (going, self.path):
            shutil.rmtree(path, ignore_errors=True)


def sweep(parent: Path) -> list[Path]:
    """Removes the folders in `parent` whose lease nobody holds, and those that were being made or
    removed some time ago; tells which."""
    removed = []
    for path in parent.glob(f"{_UNFINISHED}{PREFIX}*"):
        with contextlib.suppress(OSError):
            found = path.lstat()
            old = time.time() - found.st_mtime > OLD_SECONDS
            if old and found.st_uid == os.getuid() and stat.S_ISDIR(found.st_mode):
                shutil.rmtree(path)
                removed.append(path)
    for lease in parent.glob(f"{PREFIX}*/{LEASE}"):
        with contextlib.suppress(OSError):
            if lease.parent.stat().st_uid != os.getuid():
                continue
            fd = os.open(lease, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lease.parent)
                removed.append(lease.parent)
            finally:
                os.close(fd)
    return removed
