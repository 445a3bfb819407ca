# SPDX-License-Identifier: MIT
"""Who has a file open for writing."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path


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
