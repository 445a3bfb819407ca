# SPDX-License-Identifier: MIT
"""Shadow files: what a guest has written on a disk that it may not change, kept beside it by the
emulator (Hercules' `sf=`). They mean something only on the very disk that they were made on."""

from __future__ import annotations

import json
from pathlib import Path

from hercules.deadline import EmulatorError

_NOTE = "{}.below"


def shadows(folder: Path, name: str) -> list[Path]:
    """The shadow files of the disk NAME in the run FOLDER, the oldest first."""
    return sorted(folder.glob(f"{name}_*.shadow"))


def check_shadow(disk: Path, folder: Path, name: str, keep: bool) -> None:
    """Note what DISK is like, if there is no shadow file of it in FOLDER, or if it is not to be
    KEPT: then it is removed. EmulatorError when DISK is not as it was when that was made."""
    note = folder / _NOTE.format(name)
    if not keep:
        for shadow in shadows(folder, name):
            shadow.unlink()
    found = disk.stat()
    now = {"disk": str(disk), "bytes": found.st_size, "changed_ns": found.st_mtime_ns}
    if shadows(folder, name) and _read(note) != now:
        raise EmulatorError(
            f"{disk} is not the disk, or not as it was, when the guest wrote what is in"
            f" {shadows(folder, name)[-1]}: --fresh throws that away and starts from the disk."
        )
    note.write_text(json.dumps(now) + "\n", "utf-8")


def _read(note: Path) -> object:
    try:
        return json.loads(note.read_text("utf-8"))
    except (OSError, ValueError):
        return None
