# SPDX-License-Identifier: MIT
"""Folders for what lives no longer than its processes: whoever uses one holds its lease, and a
folder that nobody holds any more is removed by the next who makes one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from hercules.closing import Closing

PREFIX = "vmkb-"
LEASE = "lease"
"""A file in the folder that its users have locked."""
_UNFINISHED = "."  # before its name, until its lease is locked


class Scratch(Closing):
    """A new folder in `parent` that only this user may enter. It is removed by `close`, and the
    processes that are given `lease`, a file descriptor, may use it until they end.

    OSError when it cannot be made. What was left there by processes that were killed goes."""

    def __init__(self, parent: str | Path, prefix: str = PREFIX) -> None:
        sweep(Path(parent))
        made = Path(tempfile.mkdtemp(prefix=_UNFINISHED + prefix, dir=parent))
        self.lease = os.open(made / LEASE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self.lease, fcntl.LOCK_EX)
        self.path = made.rename(made.with_name(made.name.removeprefix(_UNFINISHED)))

    def release(self) -> None:
        """The folder is others' from now on: those who hold the lease."""
        if self.lease >= 0:
            os.close(self.lease)
            self.lease = -1

    def close(self) -> None:
        """Removes the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()


def sweep(parent: Path) -> list[Path]:
    """Removes the folders in `parent` whose lease nobody holds; tells which."""
    removed = []
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
