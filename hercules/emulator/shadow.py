# SPDX-License-Identifier: MIT
"""Shadow files: what a guest has written on a disk that it may not change, kept beside it by the
emulator (Hercules' `sf=`). They mean something only on the very disk that they were made on."""

from __future__ import annotations

import json
from pathlib import Path

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.sparse import copy_sparse

_NOTE = "{}.below"
_SHADOW, _COPIED = ".shadow", ".copied"


def shadows(folder: Path, name: str) -> list[Path]:
    """The shadow files of the disk NAME in the run FOLDER, the oldest first."""
    return sorted(folder.glob(f"{name}_*{_SHADOW}"))


def check_shadow(
    disk: Path, folder: Path, name: str, keep: bool, below: tuple[Path, ...] = ()
) -> None:
    """Make the shadow files of DISK in FOLDER go on from those that are BELOW, the oldest first, if
    there are none, or if they are not to be KEPT. They are copies: the emulator writes on the last
    one. EmulatorError when DISK, or what is below, is not as it was when they were made."""
    note = folder / _NOTE.format(name)
    if not keep or list(folder.glob(f"{name}_*{_COPIED}")):  # a copy that was not finished
        for shadow in (*shadows(folder, name), *folder.glob(f"{name}_*{_COPIED}")):
            shadow.unlink()
    now = _like(disk)
    if below:
        now["shadows"] = [_like(path) for path in below]
    if own := shadows(folder, name):
        if _read(note) != now:
            raise EmulatorError(
                f"{_changed(now, _read(note))} is not the disk, or not as it was, when the guest"
                f" wrote what is in {own[-1]}: --fresh throws that away and starts from the disk."
            )
        return
    made = [folder / f"{name}_{number}{_SHADOW}" for number in range(1, len(below) + 1)]
    for source, target in zip(below, made, strict=True):
        copy_sparse(source, target.with_name(target.name + _COPIED))
    note.write_text(json.dumps(now) + "\n", "utf-8")
    for target in reversed(made):  # none is whole while one of them is not there
        target.with_name(target.name + _COPIED).rename(target)


def _like(path: Path) -> dict[str, object]:
    found = path.stat()
    return {"disk": str(path), "bytes": found.st_size, "changed_ns": found.st_mtime_ns}


def _changed(now: dict[str, object], before: object) -> object:
    """The file that is not as it was; the disk where that cannot be told."""
    was = before if isinstance(before, dict) else {}
    if {**now, "shadows": 0} == {**was, "shadows": 0}:
        listed, old = now.get("shadows"), was.get("shadows")
        for each in listed if isinstance(listed, list) else []:
            if not isinstance(old, list) or each not in old:
                return each["disk"]
    return now["disk"]


def _read(note: Path) -> object:
    try:
        return json.loads(note.read_text("utf-8"))
    except (OSError, ValueError):
        return None
